"""Accuracy by order pattern."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from evenhand.analysis import accuracy
from evenhand.report._numbers import interval, listed, percent
from evenhand.report._page import Figure
from evenhand.report._theme import MAJORITY, pattern_order
from evenhand.report.figures._marks import (
    ACCURACY_TOOLTIP,
    LABEL_WIDTH,
    in_percent,
    interval_dots,
    percent_axis,
    pictogram_layers,
    tooltips,
)
from evenhand.report.figures._numbers import accuracy_table

if TYPE_CHECKING:
    import altair as alt

REPRESENTATIVE = ("random", "majority-first", "majority-middle", "majority-last")
"""The four patterns that Figures 2 and 3 show (4.1, footnote 7)."""


def accuracy_by_pattern(frame: pl.DataFrame) -> pl.DataFrame:
    """Accuracy of each model on each order pattern, tasks and majority labels pooled.

    Returns:
        ``model``, ``pattern``, and the columns of :func:`evenhand.analysis.accuracy`.
    """
    return accuracy(frame, ("model", "pattern"))


def majority_position(frame: pl.DataFrame) -> Figure:
    """Accuracy by order pattern, one panel a model, patterns drawn as pictograms (Figures 1, 8)."""
    import altair as alt

    shares = accuracy_by_pattern(frame)
    patterns = pattern_order(shares["pattern"].unique().to_list())
    models = list(dict.fromkeys(frame["model"]))
    overall = accuracy(frame, ("model",)).select("model", pl.col("accuracy").alias("overall"))
    data = in_percent(
        shares.join(overall, on="model", how="left"), ["accuracy", "low", "high", "sd", "overall"]
    )
    row = alt.Y("pattern:N", sort=patterns, axis=None)
    base = alt.Chart().encode(y=row)
    title = "right answers, %"
    layers: list[alt.Chart] = [
        *pictogram_layers(patterns),
        alt.Chart()
        .mark_rule(strokeDash=[4, 4], strokeWidth=1.2)
        .encode(x=alt.X("mean(overall):Q", title=title)),
        base.mark_rule(strokeWidth=5, opacity=0.32, color=MAJORITY).encode(
            x=alt.X("low:Q", title=title), x2="high:Q"
        ),
        base.mark_point(filled=True, size=95, opacity=1, color=MAJORITY).encode(
            x=percent_axis(), tooltip=tooltips({"pattern": ("order", ""), **ACCURACY_TOOLTIP})
        ),
        base.mark_text(dy=-11, fontSize=11.5).encode(
            x=alt.X("accuracy:Q", title=title), text=alt.Text("accuracy:Q", format=".0f")
        ),
    ]
    chart: alt.TopLevelMixin
    layered = alt.layer(*layers).properties(height=42 * len(patterns))
    if len(models) == 1:
        chart = layered.properties(data=alt.InlineData(values=data.to_dicts()), width="container")
        panel = 0
    else:
        chart = (
            layered.properties(width=190)
            .facet(
                facet=alt.Facet("model:N", sort=models, title=None),
                columns=3,
                data=alt.InlineData(values=data.to_dicts()),
            )
            .resolve_axis(x="independent")
            .properties(usermeta={"each": LABEL_WIDTH + 8, "most": 3})
        )
        panel = 165
    return Figure(
        title="How often the answer was right, by where the majority stood",
        chart=chart,
        alt=_spoken(shares, models),
        reading=(
            "Dot: share of right answers among valid runs. Bar: 95% interval, which knows that "
            "runs over one instance set stand or fall together. Dashed line: the model's accuracy "
            "over all orders, where every dot would lie, give or take its bar, if order did not "
            "matter."
        ),
        numbers=accuracy_table(shares, "Accuracy by order pattern", ("model", "pattern")),
        panel_width=panel,
    )


def _spoken(shares: pl.DataFrame, models: Sequence[str]) -> str:
    sentences = []
    for model in models:
        rows = shares.filter(pl.col("model") == model)
        parts = [
            f"{row['pattern']} {percent(row['accuracy'])} ({interval(row['low'], row['high'])})"
            for row in rows.iter_rows(named=True)
        ]
        sentences.append(f"{model}: {listed(parts)}.")
    return "Dot plot of accuracy by order pattern with 95% intervals. " + " ".join(sentences)


def representative_patterns(frame: pl.DataFrame) -> Figure | None:
    """Per-model accuracy on four representative order patterns (Figure 2)."""
    rows = frame.filter(pl.col("pattern").is_in(REPRESENTATIVE))
    return _by_row(rows, "model", REPRESENTATIVE, "Accuracy of each model on four orders")


def all_patterns_by_model(frame: pl.DataFrame) -> Figure | None:
    """Per-model accuracy on all seven order patterns (Figure 17)."""
    return _by_row(frame, "model", None, "Accuracy of each model on every order")


def all_patterns_by_task(frame: pl.DataFrame) -> Figure | None:
    """Per-task accuracy on all seven order patterns, models pooled (Figure 18).

    Runs of all models pool, so a model weighs as many runs as it has valid ones.
    """
    return _by_row(frame, "task", None, "Accuracy on each task, by order")


def _by_row(
    frame: pl.DataFrame, row: str, wanted: Sequence[str] | None, title: str
) -> Figure | None:
    shares = accuracy(frame, (row, "pattern"))
    if shares["accuracy"].drop_nulls().is_empty():
        return None
    patterns = pattern_order(shares["pattern"].unique().to_list())
    if wanted is not None:
        patterns = [name for name in wanted if name in patterns]
    rows = list(dict.fromkeys(frame[row])) if row == "model" else sorted(frame[row].unique())
    chart = interval_dots(
        in_percent(shares, ["accuracy", "low", "high", "sd"]),
        row=row,
        row_order=rows,
        series="pattern",
        series_order=patterns,
        field="accuracy",
        title="right answers, %",
        tooltip=tooltips({row: (row, ""), "pattern": ("order", ""), **ACCURACY_TOOLTIP}),
    )
    best = shares.sort("accuracy", descending=True, nulls_last=True).row(0, named=True)
    worst = shares.sort("accuracy", nulls_last=True).row(0, named=True)
    return Figure(
        title=title,
        chart=chart.properties(width="container"),
        alt=(
            f"Dot plot of accuracy by {row} and order pattern, with 95% intervals. Highest: "
            f"{best[row]}, {best['pattern']}, {percent(best['accuracy'])}; lowest: {worst[row]}, "
            f"{worst['pattern']}, {percent(worst['accuracy'])}."
        ),
        reading=(
            "Lines are 95% intervals over instance sets; standard deviations over set seeds are in "
            "the numbers. Without an order effect the shapes of one row would lie on each other."
        ),
        numbers=accuracy_table(shares, title, (row, "pattern")),
    )
