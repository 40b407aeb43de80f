"""What a run found, per model, and how to say it. No number here is written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from evenhand.analysis import accuracy, best_worst_gap, gap_null, holm
from evenhand.report._leaning import (
    ALIKE,
    Leaning,
    Shift,
    bias_words,
    leanings,
    named_words,
    one_label,
    shift,
)
from evenhand.report._numbers import (
    count,
    decimal,
    percent,
    plural,
    points,
    probability,
)
from evenhand.report._pictograms import PLACES, PLACES_OF_IT

SIGNIFICANT = 0.05
BLIND = 0.5
"""A design whose null reaches half the scale by chance cannot tell much: said as such."""

READER = "reader/"
"""Simulated readers are for scale: they lead no page, and count among no models."""

Verdict = Literal["effect", "none", "unclear", "one-label"]


@dataclass(frozen=True, slots=True)
class Side:
    """One order pattern of a finding: accuracy (0 to 1), its 95% interval, valid runs."""

    pattern: str
    accuracy: float
    low: float | None
    high: float | None
    runs: int


@dataclass(frozen=True, slots=True)
class Finding:
    """Best against worst order of one model in one condition.

    Attributes:
        model: Name as the report shows it.
        n: The instance counts pooled (one, for a headline).
        runs, valid: Experiments, and those with a valid answer.
        best, worst: The two patterns, None where no pair could be measured.
        gap: Mean paired difference over set seeds (0 to 1); ``low`` and ``high`` its interval.
        null_mean, null_95: The gap that permuted pattern labels give, mean and 95th percentile.
        p_value: Permutation p-value, Holm-adjusted over the models of the report (simulated
            readers among themselves).
        verdict: ``effect`` below 0.05; ``one-label`` when the answers name one label whatever they
            are asked; ``unclear`` when nothing could be told; else ``none``.
        overall: All orders together, with ``all orders`` for a pattern.
        answer_mode: ``generate`` or ``forced``.
        leanings: The label named most, task by task.
        shift: For forced choices: margins at the edges less margins in the middle.
    """

    model: str
    n: tuple[int, ...]
    runs: int
    valid: int
    best: Side | None
    worst: Side | None
    gap: float | None
    low: float | None
    high: float | None
    null_mean: float | None
    null_95: float | None
    p_value: float | None
    verdict: Verdict
    overall: Side | None = None
    answer_mode: str = "generate"
    leanings: tuple[Leaning, ...] = ()
    shift: Shift | None = None

    @property
    def alike(self) -> bool:
        """Whether all orders have the same accuracy: the best of them is the worst too."""
        return self.best is not None and self.best == self.worst


def findings(frame: pl.DataFrame, nulls: pl.DataFrame | None = None) -> tuple[Finding, ...]:
    """One finding a model, in the frame's order of models.

    Args:
        frame: Results, one condition a model.
        nulls: :func:`evenhand.analysis.gap_null` of the frame by model, where it is known already.
    """
    shares = accuracy(frame, ("model", "pattern"))
    gaps = best_worst_gap(frame)
    overall = _by_name(accuracy(frame, ("model",)), "model", "all orders")
    nulls = gap_null(frame) if nulls is None else nulls
    reader = pl.col("model").str.starts_with(READER)
    nulls = pl.concat([holm(nulls.filter(~reader)), holm(nulls.filter(reader))])
    found = []
    for model in dict.fromkeys(frame["model"]):
        mine = frame.filter(pl.col("model") == model)
        gap = gaps.row(by_predicate=pl.col("model") == model, named=True)
        null = nulls.row(by_predicate=pl.col("model") == model, named=True)
        sides = _by_name(shares.filter(pl.col("model") == model), "pattern")
        leaning = leanings(mine)
        found.append(
            Finding(
                model=model,
                n=tuple(sorted(mine["n"].unique())),
                runs=mine.height,
                valid=int(mine["valid"].sum()),
                best=sides.get(gap["best"]),
                worst=sides.get(gap["worst"]),
                gap=gap["gap"],
                low=null["low"],
                high=null["high"],
                null_mean=null["null_mean"],
                null_95=null["null_95"],
                p_value=null["p_holm"],
                verdict=_verdict(
                    gap["gap"], null["null_95"], null["p_holm"], one_label(mine, leaning)
                ),
                overall=overall.get(model),
                answer_mode=mine["answer_mode"][0],
                leanings=leaning,
                shift=shift(mine),
            )
        )
    return tuple(found)


def _by_name(shares: pl.DataFrame, name: str, pattern: str | None = None) -> dict[str, Side]:
    """Accuracies by a column, those that are known."""
    return {
        row[name]: Side(
            pattern or row["pattern"], row["accuracy"], row["low"], row["high"], row["runs"]
        )
        for row in shares.iter_rows(named=True)
        if row["accuracy"] is not None
    }


def _verdict(
    gap: float | None, null_95: float | None, p_value: float | None, one_label: bool
) -> Verdict:
    if gap is None or null_95 is None or p_value is None:
        return "unclear"
    if p_value < SIGNIFICANT:
        return "effect"
    if one_label:
        return "one-label"
    return "unclear" if null_95 >= BLIND else "none"


def headline(finding: Finding, subject: str | None = None) -> str:
    """The finding in one sentence that needs no statistics to be read.

    Args:
        finding: One model's.
        subject: Who answered; by default ``this model``.
    """
    who = subject or "this model’s answer"
    records = " or ".join(count(n) for n in finding.n)
    if finding.valid == 0:
        return (
            f"{subject or 'This model'} gave no answer that counts: none of its "
            f"{plural(finding.runs, 'run')} was valid."
        )
    best, worst = finding.best, finding.worst
    if best is None or worst is None or finding.gap is None:
        return (
            f"Too few valid answers to compare orders: {finding.valid:,} of "
            f"{plural(finding.runs, 'run')}."
        )
    if finding.verdict == "one-label":
        return _one_label_headline(finding, subject or "this model")
    if finding.alike:
        return (
            f"With the same {records} records, {who} was right "
            f"{percent(best.accuracy)} of the time in every order."
        )
    contrast = (
        f"with the same {records} records, {who} was right {percent(best.accuracy)} of the "
        f"time {PLACES[best.pattern]} and {percent(worst.accuracy)} "
        f"{_second_place(best.pattern, worst.pattern)}"
    )
    if finding.verdict == "effect":
        return f"{_capital(contrast)}."
    if finding.verdict == "none":
        return f"No sign of an order effect: {contrast}, a gap that chance alone makes."
    return f"Too few runs to tell: {contrast}."


def _one_label_headline(finding: Finding, who: str) -> str:
    named = _capital(f"{who} {named_words(finding.leanings)}, whatever the order")
    if finding.shift is None:
        return f"{named}: its answers cannot show whether order matters."
    return f"{named}; {_margin_clause(finding.shift)}."


def _margin_clause(found: Shift) -> str:
    """What the margins say where the answers do not."""
    size = decimal(abs(found.difference), 2)
    way = "further towards" if found.difference >= 0 else "further away from"
    moved = f"{size} {way} the majority with it at the edges than with it in the middle"
    if found.p_value is None:
        return f"its margins lean {moved}, from too few sets of records to judge"
    if found.p_value < SIGNIFICANT:
        return f"but its margins move with the order: they lean {moved}"
    return f"its margins show no clear effect of order either: they lean {moved}"


def verdict_text(finding: Finding) -> str:
    """The verdict in a few words."""
    if finding.verdict == "effect":
        return "Order changes the answer: chance alone rarely makes a gap this wide."
    if finding.verdict == "one-label":
        rule = f"{percent(ALIKE)} or more of the valid ones name one label"
        margins = "" if finding.shift is None else "; see the margins"
        return f"Order cannot be judged from these answers: {rule}{margins}."
    p = None if finding.shift is None else finding.shift.p_value
    moved = p is not None and p < SIGNIFICANT
    margins = " Its margins do move with the order; see below." if moved else ""
    if finding.verdict == "none":
        return f"No order effect seen: the gap is within what chance alone makes.{margins}"
    if finding.null_95 is None:
        return f"Not decided: there are not enough valid answers to compare orders.{margins}"
    return (
        "Not decided: in a design of this size chance alone makes gaps of up to "
        f"{points(finding.null_95)}.{margins}"
    )


def explanation(finding: Finding) -> tuple[str, ...]:
    """The numbers behind the headline, in sentences."""
    lines = []
    if finding.verdict == "one-label":
        lines.append(bias_words(finding.leanings))
    elif finding.gap is not None and finding.null_mean is not None:
        lines.append(_gap_sentence(finding))
    invalid = finding.runs - finding.valid
    if invalid:
        lines.append(
            f"{plural(invalid, 'run')} of {finding.runs:,} ({percent(invalid / finding.runs)}) "
            f"gave no valid answer and {'is' if invalid == 1 else 'are'} left out of these shares."
        )
    else:
        lines.append(f"All {plural(finding.runs, 'run')} gave a valid answer.")
    return tuple(lines)


def _gap_sentence(finding: Finding) -> str:
    chance = (
        f"were order irrelevant, chance alone would still put {points(finding.null_mean)} between "
        "the best and the worst order of this design on average, and more than "
        f"{points(finding.null_95)} in one case of twenty ({probability(finding.p_value)})."
    )
    if finding.alike:
        return f"All orders did equally well; {chance}"
    spread = (
        f" ({_interval_words(finding.low, finding.high)})"
        if finding.low is not None and finding.high is not None
        else " (no interval: it needs two instance sets or more)"
    )
    gap = points(finding.gap)
    return f"The gap between the best and the worst order is {gap}{spread}; {chance}"


def _interval_words(low: float, high: float) -> str:
    if round(low, 6) == round(high, 6):
        return "the same however the instance sets are redrawn"
    return f"95% interval {interval_points(low, high)}"


def interval_points(low: float | None, high: float | None) -> str:
    """An interval of differences as ``12 to 80 points``."""
    if low is None or high is None:
        return percent(None)
    return f"{decimal(low, 0, scale=100)} to {points(high)}"


def _second_place(first: str, second: str) -> str:
    """``with it in the middle`` after a phrase that named the majority, else in full."""
    named = first.startswith("majority-")
    return PLACES_OF_IT[second] if named and second.startswith("majority-") else PLACES[second]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
