"""Outcomes under several output budgets (C.5)."""

from __future__ import annotations

import polars as pl

from evenhand.analysis import accuracy
from evenhand.report._numbers import percent
from evenhand.report._page import Figure
from evenhand.report._theme import pattern_order
from evenhand.report.figures._marks import (
    LABEL_WIDTH,
    in_percent,
    interval_dots,
    pictogram_layers,
    tooltips,
)
from evenhand.report.figures._numbers import accuracy_table

GROUPS = {"correct": "right", "mistake": "wrong", "tie": "wrong"}
COLOURS = {"right": "#0072b2", "wrong": "#c8501e", "no valid answer": "#858b96"}


def outcomes_by_budget(frame: pl.DataFrame) -> Figure | None:
    """Right, wrong and invalid runs by order under each output budget (Figure 9).

    The figure beside a bar is the mean accuracy of its valid runs over set seeds. One panel for
    each model and budget, of the models that ran under more than one.
    """
    import altair as alt

    frame = several_budgets(frame)
    if frame.is_empty():
        return None
    patterns = pattern_order(frame["pattern"].unique().to_list())
    keys = ["model", "output_budget", "pattern"]
    group = pl.col("outcome").replace_strict(GROUPS, default="no valid answer").alias("group")
    shares = (
        frame.group_by(*keys, group)
        .agg(pl.len().cast(pl.Int64).alias("count"))
        .with_columns((pl.col("count") / pl.col("count").sum().over(keys)).alias("share"))
    )
    means = accuracy(frame, keys)
    panel = pl.format("{}, {} tokens", pl.col("model"), pl.col("output_budget")).alias("panel")
    place = {name: at for at, name in enumerate(COLOURS)}
    data = pl.concat(
        [
            in_percent(shares, ["share"]).with_columns(
                pl.col("group").replace_strict(place, return_dtype=pl.Int64).alias("place")
            ),
            in_percent(means.select(*keys, "accuracy"), ["accuracy"]),
        ],
        how="diagonal",
    ).with_columns(panel)
    row = alt.Y("pattern:N", sort=patterns, axis=None)
    axis = alt.Axis(tickCount=5)
    scale = alt.Scale(domain=[0, 100], nice=False)
    bars = (
        alt.Chart()
        .transform_filter("isValid(datum.share)")
        .mark_bar(height=16)
        .encode(
            y=row,
            x=alt.X("share:Q", title="share of runs, %", stack="zero", scale=scale, axis=axis),
            color=alt.Color(
                "group:N",
                sort=list(COLOURS),
                scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values())),
                legend=alt.Legend(title=None, orient="top"),
            ),
            order=alt.Order("place:Q"),
            tooltip=tooltips(
                {
                    "panel": ("run", ""),
                    "pattern": ("order", ""),
                    "group": ("outcome", ""),
                    "share": ("share, %", ".1f"),
                    "count": ("runs", ",d"),
                }
            ),
        )
    )
    text = (
        alt.Chart()
        .transform_filter("isValid(datum.accuracy)")
        .mark_text(align="left", dy=-14, fontSize=11)
        .encode(y=row, x=alt.value(0), text=alt.Text("accuracy:Q", format=".0f"))
    )
    panels = data["panel"].unique().sort().to_list()
    chart = (
        alt.layer(*pictogram_layers(patterns), bars, text)
        .properties(width=190, height=44 * len(patterns))
        .facet(
            facet=alt.Facet("panel:N", sort=panels, title=None),
            columns=2,
            data=alt.InlineData(values=data.to_dicts()),
        )
        .resolve_axis(x="independent")
        .properties(usermeta={"each": LABEL_WIDTH + 8, "most": 2})
    )
    overall = accuracy(frame, ("model", "output_budget"))
    spoken = " ".join(
        f"{row['model']} with {row['output_budget']:,} tokens: {percent(row['accuracy'])} of "
        f"{row['runs']:,} valid runs."
        for row in overall.iter_rows(named=True)
    )
    return Figure(
        title="Right, wrong and invalid under each output budget",
        chart=chart,
        alt=f"Stacked bars of outcomes by order under each output budget. {spoken}",
        reading=(
            "The number over a bar is the accuracy of its valid runs, in percent; its interval is "
            "in the numbers."
        ),
        numbers=accuracy_table(means, "Accuracy by order and budget", tuple(keys)),
        panel_width=165,
    )


def accuracy_by_budget(frame: pl.DataFrame) -> Figure | None:
    """Accuracy by order under each budget with intervals, beside Figure 9."""
    frame = several_budgets(frame)
    if frame.is_empty():
        return None
    shares = accuracy(frame, ("model", "output_budget", "pattern"))
    label = pl.format("{}, {}", pl.col("model"), pl.col("output_budget")).alias("run")
    data = in_percent(shares, ["accuracy", "low", "high", "sd"]).with_columns(label)
    patterns = pattern_order(shares["pattern"].unique().to_list())
    chart = interval_dots(
        data,
        row="run",
        row_order=data["run"].unique(maintain_order=True).to_list(),
        series="pattern",
        series_order=patterns,
        field="accuracy",
        title="right answers, %",
        tooltip=tooltips(
            {"run": ("model, tokens", ""), "pattern": ("order", ""), "accuracy": ("right", ".1f")}
        ),
    )
    return Figure(
        title="Accuracy by order under each output budget",
        chart=chart.properties(width="container"),
        alt="Dot plot of accuracy by order under each output budget; the numbers are in the table.",
        reading="Lines are 95% intervals over instance sets.",
        numbers=accuracy_table(
            shares, "Accuracy by order and budget", ("model", "output_budget", "pattern")
        ),
    )


def several_budgets(frame: pl.DataFrame) -> pl.DataFrame:
    """The models that ran under more than one output budget."""
    counts = frame.group_by("model").agg(pl.col("output_budget").n_unique().alias("budgets"))
    models = counts.filter(pl.col("budgets") > 1)["model"]
    return frame.filter(pl.col("model").is_in(models.to_list()))
