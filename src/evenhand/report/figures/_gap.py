"""The best-worst gap beside what chance alone makes."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.design import PATTERNS
from evenhand.report._finding import Finding, Side
from evenhand.report._numbers import MISSING, points, probability
from evenhand.report._page import Cell, Column, Figure, Table
from evenhand.report._theme import ACCENT, MAJORITY, MINORITY, NEUTRAL
from evenhand.report.figures._marks import tooltips
from evenhand.report.figures._numbers import interval_cell, share_cell

_NUMBERS = ("gap", "low", "high", "null_mean", "null_95", "p_value")
VERDICTS = {
    "effect": "order effect",
    "none": "none seen",
    "unclear": "not decided",
    "one-label": "cannot be judged: one label",
}
"""A verdict in two or three words."""
ALL_ALIKE = "all alike"
"""Stands for best and worst where every order has the same accuracy."""


def gap_frame(found: Sequence[Finding]) -> pl.DataFrame:
    """Gaps with interval and null, one row a model, in percentage points."""
    return pl.DataFrame(
        [
            {
                "model": one.model,
                "gap": _points(one.gap),
                "low": _points(one.low),
                "high": _points(one.high),
                "null_mean": _points(one.null_mean),
                "null_95": _points(one.null_95),
                "p_value": one.p_value,
                "best": _named(one, one.best),
                "worst": _named(one, one.worst),
                "verdict": VERDICTS[one.verdict],
            }
            for one in found
        ],
        schema={
            "model": pl.String(),
            **dict.fromkeys(
                ("gap", "low", "high", "null_mean", "null_95", "p_value"), pl.Float64()
            ),
            **dict.fromkeys(("best", "worst", "verdict"), pl.String()),
        },
    )


def gap_against_chance(found: Sequence[Finding]) -> Figure | None:
    """The gap of each model with its interval, over the gaps that chance alone makes."""
    import altair as alt

    data = gap_frame(found).filter(pl.col("gap").is_not_null())
    if data.is_empty():
        return None
    models = data["model"].to_list()
    title = "best minus worst order, points"
    base = alt.Chart().encode(
        y=alt.Y("model:N", sort=models, title=None, axis=alt.Axis(labelLimit=170))
    )
    domain = alt.Scale(domain=[min(0, _least(data)), 100], nice=False)
    chance = base.mark_bar(height=20, color=NEUTRAL, opacity=0.33).encode(
        x=alt.X("zero:Q", title=title, scale=domain, axis=alt.Axis(tickCount=5)),
        x2="null_95:Q",
    )
    usual = base.mark_tick(thickness=2, height=20, color=NEUTRAL).encode(
        x=alt.X("null_mean:Q", title=title)
    )
    spread = base.mark_rule(strokeWidth=3, opacity=0.5, color=MAJORITY).encode(
        x=alt.X("low:Q", title=title), x2="high:Q"
    )
    verdicts = [words for words in VERDICTS.values() if words in set(data["verdict"])]
    marks = [list(VERDICTS.values()).index(words) for words in verdicts]
    colours, shapes = (
        (ACCENT, MAJORITY, NEUTRAL, MINORITY),
        ("diamond", "circle", "square", "cross"),
    )
    dot = base.mark_point(filled=True, size=110, opacity=1).encode(
        x=alt.X("gap:Q", title=title),
        color=alt.Color(
            "verdict:N",
            scale=alt.Scale(domain=verdicts, range=[colours[at] for at in marks]),
            legend=alt.Legend(title=None, orient="top"),
        ),
        shape=alt.Shape(
            "verdict:N", scale=alt.Scale(domain=verdicts, range=[shapes[at] for at in marks])
        ),
        tooltip=tooltips(
            {
                "model": ("model", ""),
                "gap": ("gap, points", ".1f"),
                "low": ("95% interval from", ".1f"),
                "high": ("to", ".1f"),
                "null_mean": ("by chance, on average", ".1f"),
                "null_95": ("by chance, 95th percentile", ".1f"),
                "p_value": ("p, adjusted", ".4f"),
                "best": ("best order", ""),
                "worst": ("worst order", ""),
            }
        ),
    )
    chart = alt.layer(chance, usual, spread, dot, data=data.with_columns(zero=pl.lit(0.0)))
    spoken = " ".join(
        f"{one.model}: gap {points(one.gap)}, by chance {points(one.null_mean)} on average and up "
        f"to {points(one.null_95)}, {probability(one.p_value)}."
        for one in found
        if one.gap is not None
    )
    return Figure(
        title="The gap, and what chance alone would make of it",
        chart=chart.properties(width="container", height=46 * len(models) + 10),
        alt=f"Dot plot of the best-worst gap by model over its null. {spoken}",
        reading=(
            "Grey: gaps that appear when order labels are dealt at random over the same runs, up "
            "to their 95th percentile; tick: their mean. Dot and line: the gap measured and its "
            "95% interval, with best and worst order held fixed. A dot inside the grey says "
            "nothing."
        ),
        numbers=gap_table(found),
    )


def gap_table(found: Sequence[Finding]) -> Table:
    """Everything that is known about the gap, one row a model."""
    rows = tuple(
        (
            Cell(one.model, one.model),
            _side(_named(one, one.best)),
            _side(_named(one, one.worst)),
            share_cell(one.gap),
            interval_cell(one.low, one.high),
            share_cell(one.null_mean),
            share_cell(one.null_95),
            Cell(probability(one.p_value), one.p_value),
            Cell(VERDICTS[one.verdict], one.verdict),
        )
        for one in found
    )
    columns = (
        Column("Model"),
        Column("Best order"),
        Column("Worst order"),
        Column("Gap", "percentage points, mean of paired differences over set seeds", "right"),
        Column("95% interval", "cluster bootstrap over instance sets", "right"),
        Column("By chance", "mean gap when order labels are permuted", "right"),
        Column("95th pct.", "95th percentile of the gaps by chance", "right"),
        Column("p", "permutation test, Holm-adjusted over the models shown", "right"),
        Column("Verdict"),
    )
    return Table("Gap between the best and the worst order, in points", columns, rows)


def _side(pattern: str | None) -> Cell:
    return Cell(pattern or MISSING, pattern, pattern=pattern if pattern in PATTERNS else None)


def _named(one: Finding, side: Side | None) -> str | None:
    return None if side is None else ALL_ALIKE if one.alike else side.pattern


def _points(share: float | None) -> float | None:
    return None if share is None else round(share * 100, 3)


def _least(data: pl.DataFrame) -> float:
    lows = data["low"].drop_nulls().to_list()
    return min([0.0, *(float(low) for low in lows)])
