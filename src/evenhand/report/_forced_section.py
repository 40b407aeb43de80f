"""Forced choice: all that must be read together, as facts, sentences, and the page's section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from evenhand.analysis import oriented_margin
from evenhand.report._conditions import MODE_WORDS
from evenhand.report._finding import Finding
from evenhand.report._leaning import bias_words, shift_words
from evenhand.report._numbers import MISSING, decimal, interval, percent, plural
from evenhand.report._page import Block, Facts, Measure, Prose, Section
from evenhand.report._pictograms import PLACES
from evenhand.report.figures._forced import label_lean, margin_by_pattern

READABLE = 0.5
"""Below this share of readable free-form answers, they are the stated reason for forced choice."""
COMPARED = ("majority-edges", "majority-middle")
UNIT = "natural-log odds of the majority label against the other"


@dataclass(frozen=True, slots=True)
class FreeForm:
    """How many of a model's free-form answers can be read."""

    valid: int
    runs: int

    @property
    def share(self) -> float:
        """Valid ones of all, 0 to 1."""
        return self.valid / self.runs


def free_form(rows: pl.DataFrame, model: str) -> FreeForm | None:
    """Free-form answers of a forced model, under any budget; None where none was asked for."""
    name = pl.col("model").str.strip_suffix(f" ({MODE_WORDS['generate']})")
    plain = model.removesuffix(f" ({MODE_WORDS['forced']})")
    written = rows.filter((pl.col("answer_mode") == "generate") & (name == plain))
    return FreeForm(int(written["valid"].sum()), written.height) if written.height else None


def free_form_words(found: FreeForm | None) -> str:
    """The share that parses, and what follows."""
    if found is None:
        return "not known: no run of this report asked for any (run without --answer forced)"
    share = f"{found.valid:,} of {found.runs:,} can be read ({percent(found.share)})"
    if found.share < READABLE:
        return f"{share}, which is why the model was made to choose"
    return f"{share}, so it need not have been made to choose"


def together(rows: pl.DataFrame, chosen: Finding) -> tuple[str, ...]:
    """Sentences that belong under a headline about forced choices; none for written answers."""
    if chosen.answer_mode != "forced":
        return ()
    facts = dict(_facts(rows, chosen))
    lines = [f"Over all orders: {facts['Right, all orders']}. Label mass: {facts['Label mass']}."]
    if chosen.verdict != "one-label" and chosen.leanings:
        lines.append(bias_words(chosen.leanings))
    if chosen.shift is not None:
        lines.append(
            "Margin towards the majority, with it at the edges less with it in the middle: "
            f"{shift_words(chosen.shift)}."
        )
    lines.append(
        "No answer was written: the probabilities of the two labels were compared. Free-form "
        f"answers of the same model: {free_form_words(free_form(rows, chosen.model))}."
    )
    return tuple(lines)


def margin_measures(rows: pl.DataFrame, chosen: Finding) -> tuple[Measure, ...]:
    """Margins under the two compared orders, for a headline whose answers cannot tell."""
    mine = rows.filter(pl.col("model") == chosen.model, pl.col("pattern").is_in(COMPARED))
    margins = oriented_margin(mine, ("pattern",))
    if chosen.shift is None or margins.height < len(COMPARED):
        return ()
    return tuple(
        Measure(
            row["pattern"],
            PLACES[row["pattern"]],
            decimal(row["margin"], 2, sign=True),
            f"mean margin towards the majority · 95% interval "
            f"{_between(row['low'], row['high'])} · {plural(row['runs'], 'run')}",
        )
        for row in margins.iter_rows(named=True)
    )


def forced_section(
    rows: pl.DataFrame, main: pl.DataFrame, found: Sequence[Finding]
) -> Section | None:
    """Accuracy, label bias, label mass and margins, where a model was made to choose.

    Args:
        rows: Everything that was run; free-form answers are counted here.
        main: The rows that the headline speaks of.
        found: One finding a model of ``main``.
    """
    forced = main.filter(pl.col("answer_mode") == "forced")
    if forced.is_empty():
        forced = rows.filter(pl.col("answer_mode") == "forced")
    figure = margin_by_pattern(forced) if forced.height else None
    if figure is None:
        return None
    blocks: list[Block] = [
        Facts(f"To be read together: {one.model}", tuple(_facts(rows, one)))
        for one in found
        if one.answer_mode == "forced"
    ]
    blocks.append(figure)
    table = label_lean(forced)
    if table is not None:
        blocks.append(table)
    blocks.append(
        Prose(
            "The comparison of edges and middle was planned before looking; its test is Student’s "
            f"t over differences within instance sets. Margins are {UNIT}.",
            "note",
        )
    )
    return Section(
        "Forced choice: margins and label bias",
        "forced",
        "These answers were not written. The probabilities of the two labels were compared at the "
        "place where the answer goes, which also tells by how much one was ahead.",
        tuple(blocks),
    )


def _facts(rows: pl.DataFrame, one: Finding) -> list[tuple[str, str]]:
    mass = rows.filter(pl.col("model") == one.model)["label_mass"].drop_nulls()
    side = one.overall
    right = (
        MISSING
        if side is None
        else f"{percent(side.accuracy)} (95% interval {interval(side.low, side.high)}), "
        f"{plural(side.runs, 'run')}"
    )
    bias = "; ".join(
        f"“{lean.label}” named in {percent(lean.named)}, right in {percent(lean.right)}: "
        f"{decimal(lean.bias, 0, scale=100, sign=True)} points"
        for lean in one.leanings
    )
    masses = pl.DataFrame({"mass": mass}).select(
        median=pl.col("mass").median(), least=pl.col("mass").min()
    )
    median, least = masses.row(0)
    said = (
        "unknown"
        if median is None
        else f"the two labels hold {percent(median, 1)} of the probability (median; least "
        f"{percent(least, 1)})"
    )
    return [
        ("Right, all orders", right),
        ("Label bias", bias or MISSING),
        ("Label mass", said),
        ("Margin, edges − middle", MISSING if one.shift is None else shift_words(one.shift)),
        ("Free-form answers", free_form_words(free_form(rows, one.model))),
    ]


def _between(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return MISSING
    return f"{decimal(low, 2, sign=True)} to {decimal(high, 2, sign=True)}"
