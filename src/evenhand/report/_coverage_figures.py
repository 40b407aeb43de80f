"""Figures of coverage: what reasoning traces mention (5.1.2, C.5.4, E.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from evenhand.analysis import (
    block_boundaries,
    label_agreement,
    mean_coverage,
    mention_rates,
)
from evenhand.report._numbers import count, percent
from evenhand.report._page import Cell, Column, Figure, Table
from evenhand.report._theme import ACCENT, MAJORITY, pattern_order
from evenhand.report.figures._marks import in_percent, series_scales, tooltips
from evenhand.report.figures._numbers import key_cell, key_columns, share_cell

if TYPE_CHECKING:
    import altair as alt

_RATE = "mentioned by, %"
_MARKED = (
    "Diamonds are ids at multiples of 100, circles at other multiples of 50. Valid experiments "
    "only."
)


def commonest_n(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of the number of instances that most experiments with a trace have."""
    traced = frame.filter(pl.col("trace") == "trace")
    sizes = traced.group_by("n").len().sort("len", "n", descending=True)
    return traced.filter(pl.col("n") == sizes["n"][0]) if sizes.height else traced


def rates_by_model(frame: pl.DataFrame) -> Figure | None:
    """Share of valid traces that mention each id, one panel a model (Figure 5)."""
    rates = _valid(mention_rates(commonest_n(frame), ("model",)))
    if rates.is_empty():
        return None
    return _rate_panels(rates, "model", list(dict.fromkeys(rates["model"])), _titled("model"), ())


def rates_by_pattern(frame: pl.DataFrame) -> Figure | None:
    """Mention rates by order pattern, block boundaries marked (Figure 21)."""
    rows = commonest_n(frame)
    rates = _valid(mention_rates(rows, ("pattern",)))
    if rates.is_empty() or rates["pattern"].n_unique() < 2:
        return None
    keys = rows.select("pattern", "n", "p").unique().sort("pattern", "p").iter_rows()
    cuts = {(name, cut) for name, n, p in keys for cut in block_boundaries(name, n, p)}
    patterns = pattern_order(rates["pattern"].unique().to_list())
    return _rate_panels(rates, "pattern", patterns, _titled("order"), sorted(cuts))


def _titled(kind: str) -> str:
    return f"Which records the traces mention, by {kind}"


def _rate_panels(
    rates: pl.DataFrame,
    panel: str,
    panels: Sequence[str],
    title: str,
    boundaries: Sequence[tuple[str, int]],
) -> Figure:
    import altair as alt

    sizes = dict(rates.select(panel, "experiments").unique().iter_rows())
    words = {name: f"{name} ({count(sizes[name])})" for name in panels}
    data = in_percent(rates, ["rate"]).with_columns(
        pl.col(panel).replace_strict(words, return_dtype=pl.String).alias("panel"),
        pl.lit(0).alias("cut"),
    )
    cuts = pl.DataFrame(
        [{"panel": words[name], "id": at, "cut": 1} for name, at in boundaries if name in words],
        schema={"panel": pl.String(), "id": pl.Int64(), "cut": pl.Int32()},
    )
    kept = data.select("panel", "id", "rate", "mentions", "experiments", "cut")
    values = pl.concat([kept, cuts.select("panel", "id", "cut")], how="diagonal")
    layers = _rate_layers(int(rates["n"][0]))
    chart = (
        alt.layer(*layers)
        .properties(width=330, height=120)
        .facet(
            facet=alt.Facet("panel:N", sort=list(words.values()), title=None),
            columns=2,
            data=alt.InlineData(values=values.to_dicts()),
        )
        .properties(usermeta={"left": 46, "most": 2})
    )
    lines = " Dashed lines are the boundaries of the label blocks." if cuts.height else ""
    return Figure(
        title=title,
        chart=chart,
        alt=f"{title}. " + " ".join(_spoken(rates, panel, name) for name in panels),
        reading=f"Share of traces that mention each instance id at least once. {_MARKED}{lines}",
        numbers=_rate_table(rates, panel, panels),
        panel_width=300,
    )


def _rate_layers(n: int) -> list[alt.Chart]:
    import altair as alt

    x = alt.X("id:Q", title="instance id", scale=alt.Scale(domain=[1, n], nice=False))
    y = alt.Y("rate:Q", title=_RATE, scale=alt.Scale(domain=[0, 100]))
    hover = tooltips(
        {
            "id": ("instance", ",d"),
            "rate": ("mentioned by, %", ".1f"),
            "mentions": ("traces", ",d"),
            "experiments": ("of", ",d"),
        }
    )
    ids, cuts = alt.Chart().transform_filter("datum.cut == 0"), alt.Chart()
    fifties = "datum.cut == 0 && datum.id % 50 == 0"
    return [
        ids.mark_area(color=MAJORITY, opacity=0.75, interpolate="step-after").encode(x=x, y=y),
        ids.transform_filter("datum.id % 50 == 0")
        .mark_rule(color=MAJORITY)
        .encode(x=x, y=y, y2=alt.datum(0)),
        cuts.transform_filter("datum.cut == 1")
        .mark_rule(strokeDash=[3, 3], strokeWidth=1.5)
        .encode(x=x),
        *(
            alt.Chart()
            .transform_filter(f"{fifties} && datum.id % 100 {'==' if hundred else '!='} 0")
            .mark_point(filled=True, color=ACCENT, size=22, shape=shape, opacity=1)
            .encode(x=x, y=y, tooltip=hover)
            for hundred, shape in ((True, "diamond"), (False, "circle"))
        ),
    ]


def rates_by_budget(frame: pl.DataFrame) -> Figure | None:
    """Mention rates under each output budget (Figure 12)."""
    import altair as alt

    rates = _valid(mention_rates(commonest_n(frame), ("model", "output_budget")))
    if rates.is_empty() or rates["output_budget"].n_unique() < 2:
        return None
    words = [f"{value:,} tokens" for value in rates["output_budget"]]
    data = in_percent(rates, ["rate"]).with_columns(pl.Series("budget", words, dtype=pl.String))
    names = [f"{value:,} tokens" for value in sorted(rates["output_budget"].unique())]
    colour, _ = series_scales(names)
    x = alt.X("id:Q", title="instance id")
    y = alt.Y("rate:Q", title=_RATE, scale=alt.Scale(domain=[0, 100]))
    shade = alt.Color(
        "budget:N", sort=names, scale=colour, legend=alt.Legend(title=None, orient="top")
    )
    base = alt.Chart().encode(x=x, y=y, color=shade)
    layers = [base.mark_line(strokeWidth=1.2, interpolate="step-after")]
    for filled, test in ((True, "=="), (False, "!=")):
        chosen = f"datum.id % 50 == 0 && datum.id % 100 {test} 0"
        layers.append(base.transform_filter(chosen).mark_point(filled=filled, size=24, opacity=1))
    models = list(dict.fromkeys(rates["model"]))
    chart = (
        alt.layer(*layers)
        .properties(width=330, height=150)
        .facet(
            facet=alt.Facet("model:N", sort=models, title=None),
            columns=2,
            data=alt.InlineData(values=data.to_dicts()),
        )
        .properties(usermeta={"left": 46, "most": 2})
    )
    return Figure(
        title=_titled("output budget"),
        chart=chart,
        alt="Line chart of the share of traces that mention each instance id, by output budget.",
        reading=(
            "Filled marks are ids at multiples of 100, open marks at other multiples of 50. Valid "
            "experiments only."
        ),
        panel_width=300,
    )


def coverage_grid(frame: pl.DataFrame) -> Figure | None:
    """Mean coverage by n and label distribution, pooled and by model (Figures 13, 22 and 23)."""
    import altair as alt

    each = _valid(mean_coverage(frame, ("model", "output_budget")))
    if each.is_empty() or each.select("n", "p").unique().height < 2:
        return None
    several = each["output_budget"].n_unique() > 1
    names = [
        f"{row['model']}, {row['output_budget']:,} tokens" if several else str(row["model"])
        for row in each.iter_rows(named=True)
    ]
    parts = [each.with_columns(pl.Series("panel", names, dtype=pl.String))]
    if each["model"].n_unique() > 1:
        pooled = _valid(mean_coverage(frame, ("output_budget",)))
        titles = [
            f"all models, {budget:,} tokens" if several else "all models"
            for budget in pooled["output_budget"]
        ]
        parts.insert(0, pooled.with_columns(pl.Series("panel", titles, dtype=pl.String)))
    grid = pl.concat(parts, how="diagonal")
    data = in_percent(grid, ["coverage", "strict_coverage"]).with_columns(
        pl.format("{}/{}", (pl.col("p") * 100).round().cast(pl.Int64),
                  100 - (pl.col("p") * 100).round().cast(pl.Int64)).alias("split"),
        pl.format("({})", pl.col("ids").round().cast(pl.Int64)).alias("mean_ids"),
        pl.format("{}%", pl.col("coverage").round(1)).alias("words"),
    )  # fmt: skip
    base = alt.Chart().encode(
        x=alt.X("n:O", title="records", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("split:O", title="majority/minority", sort="descending"),
    )
    shade = alt.Color(
        "coverage:Q",
        title="coverage, %",
        scale=alt.Scale(domain=[0, 100], scheme="blues"),
        legend=alt.Legend(orient="top"),
    )
    light = alt.condition("datum.coverage > 55", alt.value("white"), alt.value("black"))
    hover = tooltips(
        {
            "coverage": ("coverage, %", ".1f"),
            "strict_coverage": ("strict, %", ".1f"),
            "ids": ("ids a trace", ".1f"),
            "experiments": ("experiments", ",d"),
        }
    )
    layers = (
        base.mark_rect().encode(color=shade, tooltip=hover),
        base.mark_text(dy=-6, fontWeight="bold").encode(text="words:N", color=light),
        base.mark_text(dy=8).encode(text="mean_ids:N", color=light),
    )
    panels = list(dict.fromkeys(data["panel"]))
    chart = (
        alt.layer(*layers)
        .properties(width=300, height=180)
        .facet(
            facet=alt.Facet("panel:N", sort=panels, title=None),
            columns=2,
            data=alt.InlineData(values=data.to_dicts()),
        )
        .properties(usermeta={"left": 60, "most": 2})
    )
    low = grid.sort("coverage").row(0, named=True)
    return Figure(
        title="Mean coverage over counts and distributions",
        chart=chart,
        alt=(
            "Heat map of mean coverage by number of records and label distribution. Lowest: "
            f"{percent(low['coverage'])} at n = {low['n']:,}, p = {low['p']:g}."
        ),
        reading=(
            "Bold: mean share of ids that a trace mentions. In brackets: mean number of ids. "
            "Valid experiments only."
        ),
        panel_width=280,
    )


def agreement_figure(frame: pl.DataFrame) -> Figure | None:
    """Agreement of stated labels with gold along the list."""
    import altair as alt

    rows = _valid(label_agreement(commonest_n(frame), ("model",)))
    if rows.is_empty():
        return None
    names = list(dict.fromkeys(rows["model"]))
    colour, shape = series_scales(names)
    legend = alt.Legend(title=None, orient="top", columns=2)
    base = alt.Chart(in_percent(rows, ["agreement"])).encode(
        x=alt.X("first:Q", title="instance id, start of stretch"),
        y=alt.Y(
            "agreement:Q",
            title="stated labels that agree with gold, %",
            scale=alt.Scale(domain=[0, 100]),
        ),
        color=alt.Color("model:N", sort=names, scale=colour, legend=legend),
    )
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        shape=alt.Shape("model:N", sort=names, scale=shape, legend=legend),
        tooltip=tooltips(
            {
                "model": ("model", ""),
                "first": ("from instance", ",d"),
                "last": ("to", ",d"),
                "agreement": ("agree, %", ".1f"),
                "stated": ("labels stated", ",d"),
            }
        ),
    )
    low = rows.sort("agreement").row(0, named=True)
    return Figure(
        title="Where along the list the stated labels go wrong",
        chart=alt.layer(base.mark_line(strokeWidth=1.6), points).properties(
            width="container", height=220
        ),
        alt=(
            "Line chart of the share of stated labels that agree with gold, along the list. "
            f"Lowest: {percent(low['agreement'])}, {low['model']}, instances {low['first']:,} to "
            f"{low['last']:,}."
        ),
        reading=(
            "Where a trace states a label beside an id, it is compared with the gold label. The "
            "list is cut into twenty stretches; valid experiments only."
        ),
    )


def _valid(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("population") == "valid")


def _spoken(rates: pl.DataFrame, panel: str, name: str) -> str:
    rows = rates.filter(pl.col(panel) == name)
    half = rows.height // 2
    first, second = rows.head(half)["rate"].mean(), rows.tail(rows.height - half)["rate"].mean()
    return (
        f"{name}: an id of the first half is mentioned by {_share(first)} of traces, one of the "
        f"second half by {_share(second)}."
    )


def _share(value: object) -> str:
    return percent(value if isinstance(value, float) else None, 1)


def _rate_table(rates: pl.DataFrame, panel: str, panels: Sequence[str]) -> Table:
    """Means over ten stretches of the list."""
    width = -(-int(rates["n"][0]) // 10)
    binned = (
        rates.with_columns(((pl.col("id") - 1) // width * width + 1).alias("first"))
        .group_by(panel, "first", maintain_order=True)
        .agg(pl.col("id").max().alias("last"), pl.col("rate").mean(), pl.col("experiments").first())
    )
    rows = tuple(
        (
            key_cell(panel, row[panel]),
            Cell(f"{row['first']:,}–{row['last']:,}", row["first"]),
            share_cell(row["rate"]),
            Cell(count(row["experiments"]), row["experiments"]),
        )
        for name in panels
        for row in binned.filter(pl.col(panel) == name).iter_rows(named=True)
    )
    columns = (
        *key_columns((panel,)),
        Column("Instances"),
        Column("Mentioned, %", "mean rate over these ids", "right"),
        Column("Experiments", "valid ones", "right"),
    )
    return Table("Mention rate along the list", columns, rows)
