"""What a run found, per model, and how to say it. No number here is written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from evenhand.analysis import accuracy, best_worst_gap, gap_null, holm
from evenhand.report._numbers import (
    count,
    decimal,
    interval,
    listed,
    percent,
    plural,
    points,
    probability,
)
from evenhand.report._page import Lead, Measure
from evenhand.report._pictograms import PLACES, PLACES_OF_IT

SIGNIFICANT = 0.05
BLIND = 0.5
"""A design whose null reaches half the scale by chance cannot tell much: said as such."""

Verdict = Literal["effect", "none", "unclear"]


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
        p_value: Permutation p-value, Holm-adjusted over the models of the report.
        verdict: ``effect`` below 0.05; ``unclear`` when nothing could be told; else ``none``.
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


def findings(frame: pl.DataFrame, nulls: pl.DataFrame | None = None) -> tuple[Finding, ...]:
    """One finding a model, in the frame's order of models.

    Args:
        frame: Results, one condition a model.
        nulls: :func:`evenhand.analysis.gap_null` of the frame by model, where it is known already.
    """
    shares = accuracy(frame, ("model", "pattern"))
    gaps = best_worst_gap(frame)
    nulls = holm(gap_null(frame) if nulls is None else nulls)
    found = []
    for model in dict.fromkeys(frame["model"]):
        mine = frame.filter(pl.col("model") == model)
        gap = gaps.row(by_predicate=pl.col("model") == model, named=True)
        null = nulls.row(by_predicate=pl.col("model") == model, named=True)
        sides = {
            row["pattern"]: Side(
                row["pattern"], row["accuracy"], row["low"], row["high"], row["runs"]
            )
            for row in shares.filter(pl.col("model") == model).iter_rows(named=True)
            if row["accuracy"] is not None
        }
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
                verdict=_verdict(gap["gap"], null["null_95"], null["p_holm"]),
            )
        )
    return tuple(found)


def _verdict(gap: float | None, null_95: float | None, p_value: float | None) -> Verdict:
    if gap is None or null_95 is None or p_value is None:
        return "unclear"
    if p_value < SIGNIFICANT:
        return "effect"
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
    if best.accuracy == worst.accuracy:
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


def verdict_text(finding: Finding) -> str:
    """The verdict in a few words."""
    if finding.verdict == "effect":
        return "Order changes the answer: chance alone rarely makes a gap this wide."
    if finding.verdict == "none":
        return "No order effect seen: the gap is within what chance alone makes."
    if finding.null_95 is None:
        return "Not decided: there are not enough valid answers to compare orders."
    return (
        "Not decided: in a design of this size chance alone makes gaps of up to "
        f"{points(finding.null_95)}."
    )


def explanation(finding: Finding) -> tuple[str, ...]:
    """The numbers behind the headline, in sentences."""
    lines = []
    if finding.gap is not None and finding.null_mean is not None:
        spread = (
            f" ({_interval_words(finding.low, finding.high)})"
            if finding.low is not None and finding.high is not None
            else " (no interval: it needs two instance sets or more)"
        )
        lines.append(
            f"The gap between the best and the worst order is {points(finding.gap)}{spread}. "
            "The best of several orders always beats the worst a little: were order irrelevant, "
            f"this design would show {points(finding.null_mean)} on average and more than "
            f"{points(finding.null_95)} in one case of twenty ({probability(finding.p_value)})."
        )
    invalid = finding.runs - finding.valid
    if invalid:
        lines.append(
            f"{plural(invalid, 'run')} of {finding.runs:,} gave no valid answer and "
            f"{'is' if invalid == 1 else 'are'} left out of these shares."
        )
    else:
        lines.append(f"All {plural(finding.runs, 'run')} gave a valid answer.")
    return tuple(lines)


def _interval_words(low: float, high: float) -> str:
    if round(low, 6) == round(high, 6):
        return "the same however the instance sets are redrawn"
    return f"95% interval {interval_points(low, high)}"


def interval_points(low: float | None, high: float | None) -> str:
    """An interval of differences as ``12 to 80 points``."""
    if low is None or high is None:
        return percent(None)
    return f"{decimal(low, 0, scale=100)} to {points(high)}"


def lead(found: Sequence[Finding], condition: str) -> Lead:
    """The top of the page: the clearest finding, in words, with its two numbers."""
    chosen = leading(found)
    several = len(found) > 1
    measures: tuple[Measure, ...] = ()
    if chosen.best is not None and chosen.worst is not None:
        measures = tuple(
            Measure(
                pattern=side.pattern,
                place=PLACES[side.pattern],
                value=percent(side.accuracy),
                detail=f"95% interval {interval(side.low, side.high)} · {plural(side.runs, 'run')}",
            )
            for side in (chosen.best, chosen.worst)
        )
    lines = explanation(chosen)
    if several:
        lines = (*lines, _others(found))
    who = f"{len(found)} models" if several else chosen.model
    return Lead(
        kicker=f"evenhand · {who} · {condition}",
        headline=headline(chosen, chosen.model if several else None),
        verdict=chosen.verdict,
        verdict_text=verdict_text(chosen),
        explanation=lines,
        measures=measures,
    )


def leading(found: Sequence[Finding]) -> Finding:
    """The model that the headline speaks of.

    Simulated readers only when there is no other; of the rest the largest gap beyond its null.
    """
    real = [one for one in found if not one.model.startswith("reader/")] or list(found)
    return max(real, key=lambda one: (one.gap or 0.0) - (one.null_mean or 0.0))


def _others(found: Sequence[Finding]) -> str:
    counts = [
        (sum(one.verdict == verdict for one in found), words)
        for verdict, words in (
            ("effect", "show an order effect"),
            ("none", "show none"),
            ("unclear", "are not decided"),
        )
    ]
    said = listed([f"{number} {words}" for number, words in counts if number])
    return f"Of {len(found)} models {said} (p-values adjusted for their number)."


def _second_place(first: str, second: str) -> str:
    """``with it in the middle`` after a phrase that named the majority, else in full."""
    named = first.startswith("majority-")
    return PLACES_OF_IT[second] if named and second.startswith("majority-") else PLACES[second]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
