"""Accuracy over instance counts and label distributions (4.2)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis import accuracy, invalid_rate
from evenhand.report._numbers import percent
from evenhand.report._page import Figure
from evenhand.report._theme import pattern_colour, pattern_order, pattern_shape
from evenhand.report.figures._marks import in_percent, series_scales, tooltips
from evenhand.report.figures._numbers import accuracy_table
from evenhand.report.figures._outcomes import invalid_table
from evenhand.report.figures._patterns import REPRESENTATIVE

_READING = (
    "One panel a label distribution, the clearest majority first. Lines up and down are 95% "
    "intervals over instance sets; without an order effect the curves of a panel would coincide."
)


def counts_by_representative_pattern(frame: pl.DataFrame) -> Figure | None:
    """Accuracy over instance counts and label distributions, four patterns (Figure 3)."""
    return _by_pattern(
        frame.filter(pl.col("pattern").is_in(REPRESENTATIVE)),
        "More records, closer majorities: four orders",
    )


def counts_by_pattern(frame: pl.DataFrame) -> Figure | None:
    """Accuracy over instance counts and label distributions, all patterns (Figure 19)."""
    return _by_pattern(frame, "More records, closer majorities: every order")


def counts_by_budget(frame: pl.DataFrame) -> Figure | None:
    """Accuracy under each output budget over the grid (Figure 10)."""
    if frame["output_budget"].n_unique() < 2:
        return None
    shares = _budget_words(accuracy(frame, ("n", "p", "output_budget")))
    return _panels(
        shares,
        value="accuracy",
        axis="right answers, %",
        series="budget",
        title="Accuracy by output budget, over counts and distributions",
        numbers_by=("n", "p", "budget"),
    )


def invalid_by_budget(frame: pl.DataFrame) -> Figure | None:
    """Invalid rates under each output budget over the grid (Figure 11)."""
    if frame["output_budget"].n_unique() < 2:
        return None
    rates = _budget_words(invalid_rate(frame, ("n", "p", "output_budget")))
    return _panels(
        rates,
        value="invalid_rate",
        axis="runs without a valid answer, %",
        series="budget",
        title="Invalid runs by output budget, over counts and distributions",
        numbers_by=("n", "p", "budget"),
    )


def _budget_words(frame: pl.DataFrame) -> pl.DataFrame:
    words = [f"{value:,} tokens" for value in frame["output_budget"]]
    return frame.with_columns(pl.Series("budget", words, dtype=pl.String))


def _by_pattern(frame: pl.DataFrame, title: str) -> Figure | None:
    if frame.select("n", "p").unique().height < 2:
        return None
    return _panels(
        accuracy(frame, ("n", "p", "pattern")),
        value="accuracy",
        axis="right answers, %",
        series="pattern",
        title=title,
        numbers_by=("n", "p", "pattern"),
    )


def _panels(
    shares: pl.DataFrame,
    *,
    value: str,
    axis: str,
    series: str,
    title: str,
    numbers_by: tuple[str, ...],
) -> Figure | None:
    import altair as alt

    known = shares.filter(pl.col(value).is_not_null())
    if known.is_empty():
        return None
    names: Sequence[str] = known[series].unique(maintain_order=True).to_list()
    if series == "pattern":
        names = pattern_order(list(names))
        colour, shape = pattern_colour(list(names)), pattern_shape(list(names))
    else:
        colour, shape = series_scales(names)
    distributions = sorted(known["p"].unique(), reverse=True)
    words = {p: f"{100 * p:.0f}/{100 - 100 * p:.0f}" for p in distributions}
    data = in_percent(known, [value, "low", "high"]).with_columns(
        pl.col("p").replace_strict(words, return_dtype=pl.String).alias("split")
    )
    counts = [f"{n}" for n in sorted(known["n"].unique())]
    legend = alt.Legend(title=None, orient="top", columns=2, symbolOpacity=1)
    base = alt.Chart().encode(
        x=alt.X("n:O", title="records", sort=counts, axis=alt.Axis(labelAngle=0)),
        color=alt.Color(f"{series}:N", sort=list(names), scale=colour, legend=legend),
    )
    scale = alt.Scale(domain=[0, 100], nice=False)
    y = alt.Y(f"{value}:Q", title=axis, scale=scale, axis=alt.Axis(tickCount=5))
    layers = (
        base.mark_rule(opacity=0.35, strokeWidth=2).encode(
            y=alt.Y("low:Q", title=axis, scale=scale), y2="high:Q"
        ),
        base.mark_line(strokeWidth=1.8).encode(y=y),
        base.mark_point(filled=True, size=55, opacity=1).encode(
            y=y,
            shape=alt.Shape(f"{series}:N", sort=list(names), scale=shape, legend=legend),
            tooltip=tooltips(
                {
                    "n": ("records", ",d"),
                    "split": ("majority/minority", ""),
                    series: (series, ""),
                    value: (axis, ".1f"),
                    "low": ("95% interval from", ".1f"),
                    "high": ("to", ".1f"),
                    "runs": ("runs", ",d"),
                }
            ),
        ),
    )
    chart = (
        alt.layer(*layers)
        .properties(width=190, height=190)
        .facet(
            facet=alt.Facet("split:N", sort=list(words.values()), title=None),
            columns=4,
            data=alt.InlineData(values=data.to_dicts()),
        )
        .resolve_axis(x="independent")
        .properties(usermeta={"left": 46, "most": 4})
    )
    low = known.sort(value).row(0, named=True)
    table = (
        accuracy_table(known, title, numbers_by)
        if value == "accuracy"
        else invalid_table(known, numbers_by)
    )
    return Figure(
        title=title,
        chart=chart,
        alt=(
            f"Line chart of {axis} by number of records, one panel a label distribution. Lowest: "
            f"{percent(low[value])} for {low[series]} at n = {low['n']:,}, p = {low['p']:g}."
        ),
        reading=_READING,
        numbers=table,
        panel_width=165,
    )
