"""Planned comparisons of orders, and the change of one model against another."""

from __future__ import annotations

import polars as pl

from evenhand.analysis import CONTRASTS, compare, contrasts
from evenhand.report._numbers import count, decimal, points, probability
from evenhand.report._page import Cell, Column, Figure, Table
from evenhand.report._theme import ACCENT, MAJORITY, pattern_order
from evenhand.report.figures._marks import in_percent, pictogram_layers, tooltips
from evenhand.report.figures._numbers import interval_cell, key_cell

_PERMUTATIONS = 2_000
_TOOLTIP = {
    "difference": ("difference, points", "+.1f"),
    "low": ("95% interval from", "+.1f"),
    "high": ("to", "+.1f"),
    "p_holm": ("p, adjusted", ".4f"),
    "sets": ("instance sets", ",d"),
}


def planned_contrasts(frame: pl.DataFrame) -> Figure | None:
    """Planned contrasts of order patterns with intervals and Holm-adjusted p-values."""
    import altair as alt

    found = contrasts(frame, permutations=_PERMUTATIONS)
    known = found.filter(pl.col("difference").is_not_null())
    if known.is_empty():
        return None
    names = [_short(c.name) for c in CONTRASTS if c.name in set(known["contrast"])]
    models = frame["model"].unique(maintain_order=True).to_list()
    data = in_percent(known, ["difference", "low", "high"]).with_columns(
        pl.Series("contrast", [_short(name) for name in known["contrast"]], dtype=pl.String)
    )
    title = "difference, points"
    base = alt.Chart().encode(
        y=alt.Y("contrast:N", sort=names, title=None, axis=alt.Axis(labelLimit=140))
    )
    layers = (
        alt.Chart().mark_rule(strokeDash=[4, 4]).encode(x=alt.datum(0, title=title)),
        base.mark_rule(strokeWidth=4, opacity=0.32, color=MAJORITY).encode(
            x=alt.X("low:Q", title=title, scale=alt.Scale(domain=[-100, 100], nice=False)),
            x2="high:Q",
        ),
        base.mark_point(filled=True, size=70, opacity=1).encode(
            x=alt.X("difference:Q", title=title, axis=alt.Axis(tickCount=5)),
            color=alt.condition("datum.p_holm < 0.05", alt.value(ACCENT), alt.value(MAJORITY)),
            shape=alt.condition("datum.p_holm < 0.05", alt.value("diamond"), alt.value("circle")),
            tooltip=tooltips({"contrast": ("comparison", ""), **_TOOLTIP}),
        ),
    )
    chart: alt.TopLevelMixin
    values = alt.InlineData(values=data.to_dicts())
    layered = alt.layer(*layers).properties(height=24 * len(names))
    if len(models) == 1:
        chart, panel = layered.properties(data=values, width="container"), 0
    else:
        chart = (
            layered.properties(width=190)
            .facet(facet=alt.Facet("model:N", sort=models, title=None), columns=3, data=values)
            .resolve_axis(x="independent")
            .properties(usermeta={"left": 158, "most": 3})
        )
        panel = 150
    clear = known.filter(pl.col("p_holm") < 0.05)
    spoken = " ".join(
        f"{row['model']}, {row['contrast']}: {points(row['difference'])}."
        for row in clear.iter_rows(named=True)
    )
    return Figure(
        title="Comparisons planned before looking",
        chart=chart,
        alt=(
            "Dot plot of differences in accuracy between orders with 95% intervals. Clear after "
            f"adjustment: {spoken or 'none.'}"
        ),
        reading=(
            "Paired within instance sets. Dashed: no difference. An orange diamond has an adjusted "
            "p-value (Holm, over the comparisons of its model) under 0.05."
            + (_INVERTED if _inverted(known) else "")
        ),
        numbers=contrast_table(found, "contrast"),
        panel_width=panel,
    )


_INVERTED = (
    " A wide difference can be a plain dot beside a smaller diamond: the test deals order labels "
    "anew among the runs of a set, and two single runs leave fewer deals than one beside several "
    "random ones."
)


def _inverted(known: pl.DataFrame) -> bool:
    """Whether some model has a clear difference from random, and a wider one that is not clear."""
    size = pl.col("difference").abs()
    clear, random = pl.col("p_holm") < 0.05, pl.col("contrast").str.ends_with("− random")
    smallest = known.filter(clear & random).group_by("model").agg(size.min().alias("clear"))
    others = known.filter(~clear & ~random).join(smallest, on="model")
    return others.filter(size > pl.col("clear")).height > 0


def _short(contrast: str) -> str:
    """``soft middle − random``: every pattern is about the majority."""
    return contrast.replace("soft-majority-", "soft ").replace("majority-", "")


def contrast_table(found: pl.DataFrame, name: str) -> Table:
    """Differences with interval and p-values, one row a comparison."""
    by = ("model", name) if "model" in found.columns else (name,)
    rows = tuple(
        (
            *(key_cell(column, row[column]) for column in by),
            Cell(decimal(row["difference"], 1, scale=100, sign=True), row["difference"]),
            interval_cell(row["low"], row["high"]),
            Cell(probability(row["p_value"]), row["p_value"]),
            Cell(probability(row["p_holm"]), row["p_holm"]),
            Cell(count(row["sets"]), row["sets"]),
        )
        for row in found.iter_rows(named=True)
    )
    headings = {"model": "Model", "contrast": "Comparison", "pattern": "Order"}
    columns = (
        *(Column(headings.get(column, column)) for column in by),
        Column("Difference", "percentage points", "right"),
        Column("95% interval", "cluster bootstrap over instance sets", "right"),
        Column("p", "permutation test", "right"),
        Column("p, adjusted", "Holm", "right"),
        Column("Sets", "instance sets that count", "right"),
    )
    return Table("Differences", columns, rows)


def paired_difference(frame: pl.DataFrame, a: str, b: str) -> pl.DataFrame:
    """Accuracy of ``a`` less that of ``b``, over all orders and order by order.

    Returns:
        ``pattern`` (``all orders`` first), then the columns of
        :func:`evenhand.analysis.compare`; p-values of the orders are Holm-adjusted among
        themselves, that of all orders stands alone.
    """
    overall = compare(frame, a, b).with_columns(pl.lit("all orders").alias("pattern"))
    each = compare(frame, a, b, ("pattern",))
    return pl.concat([overall.select(each.columns), each])


def comparison(frame: pl.DataFrame, a: str, b: str) -> Figure | None:
    """Two models over the same experiments: paired differences by order."""
    import altair as alt

    found = paired_difference(frame, a, b)
    known = found.filter(pl.col("difference").is_not_null() & (pl.col("pattern") != "all orders"))
    if known.is_empty():
        return None
    patterns = pattern_order(known["pattern"].unique().to_list())
    title = f"{a} minus {b}, points"
    base = alt.Chart().encode(y=alt.Y("pattern:N", sort=patterns, axis=None))
    layers = (
        *pictogram_layers(patterns),
        alt.Chart().mark_rule(strokeDash=[4, 4]).encode(x=alt.datum(0, title=title)),
        base.mark_rule(strokeWidth=5, opacity=0.32, color=MAJORITY).encode(
            x=alt.X("low:Q", title=title, scale=alt.Scale(domain=[-100, 100], nice=False)),
            x2="high:Q",
        ),
        base.mark_point(filled=True, size=95, opacity=1, color=MAJORITY).encode(
            x=alt.X("difference:Q", title=title, axis=alt.Axis(tickCount=5)),
            tooltip=tooltips({"pattern": ("order", ""), **_TOOLTIP}),
        ),
    )
    data = in_percent(known, ["difference", "low", "high"])
    overall = found.filter(pl.col("pattern") == "all orders").row(0, named=True)
    return Figure(
        title=f"{a} against {b}",
        chart=alt.layer(*layers).properties(
            data=alt.InlineData(values=data.to_dicts()),
            width="container",
            height=42 * len(patterns),
        ),
        alt=(
            f"Dot plot of accuracy differences by order, {a} minus {b}. Over all orders "
            f"{points(overall['difference'])}, {probability(overall['p_value'])}."
        ),
        reading=(
            "Only experiments that both did count, paired set by set. Right of the dashed zero "
            f"{a} was right more often. Bars are 95% intervals over instance sets."
        ),
        numbers=contrast_table(found, "pattern"),
    )
