"""Prompting variants (4.3, D.5)."""

from __future__ import annotations

import polars as pl

from evenhand.analysis import accuracy, best_worst_gap, gap_null
from evenhand.report._numbers import MISSING, decimal, percent, points
from evenhand.report._page import Cell, Column, Figure, Table
from evenhand.report._theme import NEUTRAL, pattern_order
from evenhand.report.figures._marks import (
    ACCURACY_TOOLTIP,
    LABEL_WIDTH,
    in_percent,
    interval_dots,
    pictogram_layers,
    series_scales,
    tooltips,
)
from evenhand.report.figures._numbers import accuracy_table, key_cell, share_cell

STANDARD = "standard"


def _variants(frame: pl.DataFrame) -> list[str]:
    """Those present, the standard prompt first."""
    known = frame["variant"].unique(maintain_order=True).to_list()
    return sorted(known, key=lambda name: (name != STANDARD, known.index(name)))


def accuracy_by_variant(frame: pl.DataFrame) -> Figure | None:
    """Accuracy under the standard prompt and its variants (Figure 4, top)."""
    variants = _variants(frame)
    if len(variants) < 2:
        return None
    shares = accuracy(frame, ("model", "variant"))
    chart = interval_dots(
        in_percent(shares, ["accuracy", "low", "high", "sd"]),
        row="model",
        row_order=frame["model"].unique(maintain_order=True).to_list(),
        series="variant",
        series_order=variants,
        field="accuracy",
        title="right answers, %",
        tooltip=tooltips({"model": ("model", ""), "variant": ("prompt", ""), **ACCURACY_TOOLTIP}),
    )
    spoken = " ".join(
        f"{row['model']}, {row['variant']}: {percent(row['accuracy'])}."
        for row in shares.iter_rows(named=True)
    )
    return Figure(
        title="Accuracy under other prompts",
        chart=chart.properties(width="container"),
        alt=f"Dot plot of accuracy by model and prompt, with 95% intervals. {spoken}",
        reading="All orders together. Lines are 95% intervals over instance sets.",
        numbers=accuracy_table(shares, "Accuracy by prompt", ("model", "variant")),
    )


def gap_by_variant(frame: pl.DataFrame, *, permutations: int = 10_000) -> Figure | None:
    """Order-pattern gap under the standard prompt and its variants (Figure 4, bottom)."""
    import altair as alt

    variants = _variants(frame)
    if len(variants) < 2:
        return None
    by = ("model", "variant")
    gaps = gap_null(frame, by, permutations=permutations).join(
        best_worst_gap(frame, by).select(*by, "best", "worst", "sd", "mark"), on=list(by)
    )
    data = in_percent(
        gaps.filter(pl.col("gap").is_not_null()), ["gap", "low", "high", "null_mean", "null_95"]
    )
    if data.is_empty():
        return None
    models = data["model"].unique().to_list()
    models = [name for name in frame["model"].unique(maintain_order=True) if name in models]
    dots = interval_dots(
        data,
        row="model",
        row_order=models,
        series="variant",
        series_order=variants,
        field="gap",
        title="best minus worst order, points",
        tooltip=tooltips(
            {
                "model": ("model", ""),
                "variant": ("prompt", ""),
                "gap": ("gap, points", ".1f"),
                "low": ("95% interval from", ".1f"),
                "high": ("to", ".1f"),
                "null_95": ("by chance, 95th percentile", ".1f"),
                "best": ("best order", ""),
                "worst": ("worst order", ""),
            }
        ),
    )
    chance = (
        alt.Chart(data)
        .mark_tick(thickness=2.5, height=11, color=NEUTRAL)
        .encode(
            y=alt.Y("model:N", sort=models, title=None, axis=alt.Axis(labelLimit=150)),
            yOffset=alt.YOffset("variant:N", sort=variants),
            x=alt.X("null_95:Q", title="best minus worst order, points"),
        )
    )
    spoken = " ".join(
        f"{row['model']}, {row['variant']}: {points(row['gap'])} (chance up to "
        f"{points(row['null_95'])})."
        for row in gaps.iter_rows(named=True)
    )
    return Figure(
        title="The gap under other prompts",
        chart=alt.layer(chance, dots).properties(width="container"),
        alt=f"Dot plot of the best-worst gap by model and prompt, over its null. {spoken}",
        reading=(
            "Grey tick: the gap that chance alone reaches in one case of twenty. Lines are 95% "
            "intervals with best and worst order held fixed."
        ),
        numbers=_gap_table(gaps),
    )


def _gap_table(gaps: pl.DataFrame) -> Table:
    rows = tuple(
        (
            key_cell("model", row["model"]),
            key_cell("variant", row["variant"]),
            Cell(decimal(row["gap"], 1, scale=100) + row["mark"], row["gap"]),
            share_cell(row["sd"]),
            share_cell(row["null_mean"]),
            share_cell(row["null_95"]),
            Cell(row["best"] or MISSING, row["best"], pattern=row["best"]),
            Cell(row["worst"] or MISSING, row["worst"], pattern=row["worst"]),
        )
        for row in gaps.iter_rows(named=True)
    )
    columns = (
        Column("Model"),
        Column("Prompt"),
        Column("Gap", "percentage points", "right"),
        Column("SD", "over set seeds", "right"),
        Column("By chance", "mean of the null", "right"),
        Column("95th pct.", "of the null", "right"),
        Column("Best order"),
        Column("Worst order"),
    )
    return Table("Gap by prompt", columns, rows)


def change_by_variant(frame: pl.DataFrame) -> pl.DataFrame:
    """Accuracy of each variant less that of the standard prompt, paired within set seeds.

    Returns:
        ``model``, ``variant``, ``pattern`` (and ``all orders``), ``change`` (-1 to 1, mean over
        set seeds), ``sd``, ``seeds``.
    """
    everything = frame.with_columns(pl.lit("all orders").alias("pattern"))
    keys = ["model", "variant", "pattern", "set_seed"]
    cells = accuracy(pl.concat([frame, everything]), keys).select(*keys, "accuracy")
    base = cells.filter(pl.col("variant") == STANDARD).drop("variant")
    changes = cells.filter(pl.col("variant") != STANDARD).join(
        base, on=["model", "pattern", "set_seed"], suffix="_standard"
    )
    return (
        changes.with_columns((pl.col("accuracy") - pl.col("accuracy_standard")).alias("change"))
        .drop_nulls("change")
        .group_by("model", "variant", "pattern", maintain_order=True)
        .agg(
            pl.col("change").mean(),
            pl.col("change").std(ddof=1).alias("sd"),
            pl.len().cast(pl.Int64).alias("seeds"),
        )
    )


def change_from_standard(frame: pl.DataFrame) -> Figure | None:
    """Accuracy changes of each variant from the standard prompt, by order (Figure 20)."""
    import altair as alt

    variants = _variants(frame)
    if len(variants) < 2 or variants[0] != STANDARD:
        return None
    changes = change_by_variant(frame)
    shown = changes.filter(pl.col("pattern") != "all orders")
    if shown.is_empty():
        return None
    patterns = pattern_order(shown["pattern"].unique().to_list())
    models = frame["model"].unique(maintain_order=True).to_list()
    sd = pl.col("sd").fill_null(0)
    data = in_percent(
        shown.with_columns(
            (pl.col("change") - sd).alias("low"), (pl.col("change") + sd).alias("high")
        ),
        ["change", "sd", "low", "high"],
    )
    others = variants[1:]
    colour, shape = series_scales(others)
    title = "change, points"
    legend = alt.Legend(title=None, orient="top", symbolOpacity=1)
    base = alt.Chart().encode(
        y=alt.Y("pattern:N", sort=patterns, axis=None),
        yOffset=alt.YOffset("variant:N", sort=others),
        color=alt.Color("variant:N", sort=others, scale=colour, legend=legend),
    )
    layers = [
        *pictogram_layers(patterns),
        alt.Chart().mark_rule(strokeDash=[4, 4]).encode(x=alt.datum(0, title=title)),
        base.mark_rule(strokeWidth=2, opacity=0.55).encode(
            x=alt.X("low:Q", title=title), x2="high:Q"
        ),
        base.mark_point(filled=True, size=62, opacity=1).encode(
            x=alt.X("change:Q", title=title, axis=alt.Axis(tickCount=5)),
            shape=alt.Shape("variant:N", sort=others, scale=shape, legend=legend),
            tooltip=tooltips(
                {
                    "pattern": ("order", ""),
                    "variant": ("prompt", ""),
                    "change": ("change, points", "+.1f"),
                    "sd": ("SD over set seeds", ".1f"),
                    "seeds": ("set seeds", "d"),
                }
            ),
        ),
    ]
    values = alt.InlineData(values=data.to_dicts())
    chart = (
        alt.layer(*layers)
        .properties(width=190, height=44 * len(patterns))
        .facet(facet=alt.Facet("model:N", sort=models, title=None), columns=3, data=values)
        .resolve_axis(x="independent")
        .properties(usermeta={"each": LABEL_WIDTH + 8, "most": 3})
    )
    spoken = " ".join(
        f"{row['model']}, {row['variant']}: "
        f"{decimal(row['change'], 1, scale=100, sign=True)} points."
        for row in changes.filter(pl.col("pattern") == "all orders").iter_rows(named=True)
    )
    return Figure(
        title="What each prompt changes, order by order",
        chart=chart,
        alt=f"Dot plot of accuracy changes from the standard prompt. Over all orders: {spoken}",
        reading=(
            "Right of the dashed zero the prompt helped. Lines are standard deviations over set "
            "seeds of the paired changes."
        ),
        numbers=_change_table(changes),
        panel_width=165,
    )


def _change_table(changes: pl.DataFrame) -> Table:
    rows = tuple(
        (
            key_cell("model", row["model"]),
            key_cell("variant", row["variant"]),
            Cell(row["pattern"], row["pattern"])
            if row["pattern"] == "all orders"
            else key_cell("pattern", row["pattern"]),
            Cell(decimal(row["change"], 1, scale=100, sign=True), row["change"]),
            share_cell(row["sd"]),
            Cell(str(row["seeds"]), row["seeds"]),
        )
        for row in changes.iter_rows(named=True)
    )
    columns = (
        Column("Model"),
        Column("Prompt"),
        Column("Order"),
        Column("Change", "percentage points, paired within set seeds", "right"),
        Column("SD", "over set seeds", "right"),
        Column("Set seeds", "", "right"),
    )
    return Table("Change from the standard prompt", columns, rows)
