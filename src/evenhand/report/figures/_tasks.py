"""Accuracy by task."""

from __future__ import annotations

import polars as pl

from evenhand.analysis import accuracy
from evenhand.report._numbers import percent
from evenhand.report._page import Figure
from evenhand.report.figures._marks import ACCURACY_TOOLTIP, in_percent, interval_dots, tooltips
from evenhand.report.figures._numbers import accuracy_table

OVERALL = "all tasks"


def accuracy_by_task(frame: pl.DataFrame) -> pl.DataFrame:
    """Accuracy of each model on each task and over all; columns as ``accuracy``."""
    each = accuracy(frame, ("model", "task"))
    overall = accuracy(frame, ("model",)).with_columns(pl.lit(OVERALL).alias("task"))
    return pl.concat([each, overall.select(each.columns)])


def tasks_by_model(frame: pl.DataFrame) -> Figure | None:
    """Model accuracy on each of the tasks and overall (Figure 16)."""
    shares = accuracy_by_task(frame)
    if frame["task"].n_unique() < 2 or shares["accuracy"].drop_nulls().is_empty():
        return None
    models = frame["model"].unique(maintain_order=True).to_list()
    tasks = [*sorted(frame["task"].unique()), OVERALL]
    chart = interval_dots(
        in_percent(shares, ["accuracy", "low", "high", "sd"]),
        row="model",
        row_order=models,
        series="task",
        series_order=tasks,
        field="accuracy",
        title="right answers, %",
        tooltip=tooltips({"model": ("model", ""), "task": ("task", ""), **ACCURACY_TOOLTIP}),
    )
    known = shares.filter(pl.col("accuracy").is_not_null() & (pl.col("task") != OVERALL))
    worst = known.sort("accuracy").row(0, named=True)
    return Figure(
        title="Accuracy of each model on every task",
        chart=chart.properties(width="container"),
        alt=(
            "Dot plot of accuracy by model and task with 95% intervals. Lowest: "
            f"{worst['model']} on {worst['task']}, {percent(worst['accuracy'])}."
        ),
        reading="All orders together. Lines are 95% intervals over instance sets.",
        numbers=accuracy_table(shares, "Accuracy by task", ("model", "task")),
    )
