"""Forced choice: where the margin points, and how far the labels alone carry it."""

from __future__ import annotations

import polars as pl

from evenhand.analysis import label_bias, oriented_margin
from evenhand.report._numbers import count, decimal, percent
from evenhand.report._page import Cell, Column, Figure, Table
from evenhand.report._theme import MAJORITY, pattern_order
from evenhand.report.figures._marks import LABEL_WIDTH, pictogram_layers, tooltips
from evenhand.report.figures._numbers import interval_cell, key_cell, key_columns, share_cell


def margin_by_pattern(frame: pl.DataFrame) -> Figure | None:
    """Mean margin towards the majority label by order pattern, one panel a model.

    None where no run was a forced choice.
    """
    import altair as alt

    margins = oriented_margin(frame, ("model", "pattern"))
    if margins.is_empty():
        return None
    patterns = pattern_order(margins["pattern"].unique().to_list())
    models = [name for name in dict.fromkeys(frame["model"]) if name in set(margins["model"])]
    title = "margin towards the majority"
    base = alt.Chart().encode(y=alt.Y("pattern:N", sort=patterns, axis=None))
    layers: list[alt.Chart] = [
        *pictogram_layers(patterns),
        alt.Chart().mark_rule(strokeDash=[4, 4]).encode(x=alt.datum(0, title=title)),
        base.mark_rule(strokeWidth=5, opacity=0.32, color=MAJORITY).encode(
            x=alt.X("low:Q", title=title), x2="high:Q"
        ),
        base.mark_point(filled=True, size=95, opacity=1, color=MAJORITY).encode(
            x=alt.X("margin:Q", title=title, axis=alt.Axis(tickCount=5)),
            tooltip=tooltips(
                {
                    "pattern": ("order", ""),
                    "margin": ("margin towards the majority", "+.2f"),
                    "low": ("95% interval from", "+.2f"),
                    "high": ("to", "+.2f"),
                    "runs": ("runs", ",d"),
                }
            ),
        ),
        base.mark_text(dy=-11, fontSize=11.5).encode(
            x=alt.X("margin:Q", title=title), text=alt.Text("margin:Q", format="+.2f")
        ),
    ]
    values = alt.InlineData(values=margins.to_dicts())
    layered = alt.layer(*layers).properties(height=42 * len(patterns))
    chart: alt.TopLevelMixin
    if len(models) == 1:
        chart, panel = layered.properties(data=values, width="container"), 0
    else:
        chart = (
            layered.properties(width=190)
            .facet(facet=alt.Facet("model:N", sort=models, title=None), columns=3, data=values)
            .resolve_axis(x="independent")
            .properties(usermeta={"each": LABEL_WIDTH + 8, "most": 3})
        )
        panel = 165
    best = margins.sort("margin").row(-1, named=True)
    worst = margins.sort("margin").row(0, named=True)
    return Figure(
        title="How strongly the model leaned towards the majority label",
        chart=chart,
        alt=(
            "Dot plot of the mean margin towards the majority label by order, with 95% intervals. "
            f"Highest: {best['model']}, {best['pattern']}, "
            f"{decimal(best['margin'], 2, sign=True)}; lowest: {worst['model']}, "
            f"{worst['pattern']}, {decimal(worst['margin'], 2, sign=True)}."
        ),
        reading=(
            "Right of the dashed zero the model held the majority label to be likelier, left of it "
            "the minority label. A margin still moves where answers do not: with a model that "
            "always says the same word, only margins carry information."
        ),
        numbers=_margin_table(margins),
        panel_width=panel,
    )


def _margin_table(margins: pl.DataFrame) -> Table:
    by = ("model", "pattern")
    rows = tuple(
        (
            *(key_cell(name, row[name]) for name in by),
            Cell(decimal(row["margin"], 2, sign=True), row["margin"]),
            interval_cell(row["low"], row["high"], scale=1),
            Cell(decimal(row["sd"], 2), row["sd"]),
            Cell(count(row["runs"]), row["runs"]),
        )
        for row in margins.iter_rows(named=True)
    )
    columns = (
        *key_columns(by),
        Column("Margin", "mean log-odds of the majority label against the other label", "right"),
        Column("95% interval", "t interval over instance sets", "right"),
        Column("SD", "over set seeds", "right"),
        Column("Runs", "", "right"),
    )
    return Table("Margin towards the majority label", columns, rows)


def label_lean(frame: pl.DataFrame) -> Table | None:
    """Label bias and label mass by model and task: how often each label is named, how much
    probability the two labels hold together. None where no run named a label.
    """
    bias = label_bias(frame, ("model", "task"))
    if bias.is_empty():
        return None
    mass = frame.group_by("model", "task").agg(
        pl.col("label_mass").median().alias("mass"),
        pl.col("label_mass").min().alias("least"),
    )
    table = bias.join(mass, on=["model", "task"], how="left")
    rows = tuple(
        (
            key_cell("model", row["model"]),
            key_cell("task", row["task"]),
            Cell(row["second"], row["second"]),
            share_cell(row["named_second"]),
            share_cell(row["majority_second"]),
            Cell(decimal(row["bias"], 1, scale=100, sign=True), row["bias"]),
            Cell(decimal(row["mean_margin"], 2, sign=True), row["mean_margin"]),
            Cell(percent(row["mass"], 1), row["mass"]),
            Cell(percent(row["least"], 1), row["least"]),
            Cell(count(row["runs"]), row["runs"]),
        )
        for row in table.iter_rows(named=True)
    )
    columns = (
        Column("Model"),
        Column("Task"),
        Column("Label", "the task's second label"),
        Column("Named, %", "share of answers that name it", "right"),
        Column("Is right, %", "share of runs in which it is the majority", "right"),
        Column("Bias", "named minus right, in points", "right"),
        Column("Mean margin", "log-odds of this label against the other", "right"),
        Column("Label mass", "median probability that the two labels hold together", "right"),
        Column("Least mass", "smallest label mass of any run", "right"),
        Column("Runs", "", "right"),
    )
    return Table(
        "Label bias and label mass",
        columns,
        rows,
        note=(
            "A bias of +50 in a balanced design means that this label is always the answer. A "
            "label mass near zero means that the model would have written something else. "
            "Mass and margin exist for forced choices only."
        ),
    )
