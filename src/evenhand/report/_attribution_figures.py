"""Figures of attribution: where in the list of instances an answer leant (5.2, F)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from evenhand.attribution import (
    order_profile,
    overall_profile,
    region_bands,
    relative_profile,
    single_profile,
)
from evenhand.report._numbers import MINUS, percent
from evenhand.report._page import Cell, Column, Figure, Table
from evenhand.report._theme import ACCENT, MAJORITY, MINORITY, NEUTRAL, pattern_order
from evenhand.report.figures._marks import series_scales, tooltips

if TYPE_CHECKING:
    import altair as alt

_SHARE = "share (× uniform)"
_LABELS = {"majority": MAJORITY, "minority": MINORITY, "unknown": NEUTRAL}
_BANDS = {"majority": MAJORITY, "minority": MINORITY, "alternating": NEUTRAL}
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100)
_BETWEEN, _FEWEST_TICKS = (0.4, 0.6, 0.8, 0.9, 1.1, 1.2, 1.3, 1.7), 4
"""More numbers, for an axis with fewer."""
_READING = (
    "Each point averages the shares of {} over all replays; 1, the dotted line, is what every "
    "instance would have if all counted alike. The scale is logarithmic. The shaded range is the "
    "95% interval over instance sets, where there are several. In the table, push is the share "
    "with its sign: + where an instance moves the score towards its own label."
)
_RELATIVE = {
    "n": ("attribution-by-count", "instances", "number of instances"),
    "p": ("attribution-by-distribution", "majority share", "label distribution"),
    "variant": ("attribution-by-prompt", "prompt", "prompt"),
}


def attribution_figures(frame: pl.DataFrame) -> dict[str, Figure]:
    """Every figure that the replays allow, by file name.

    Args:
        frame: From :func:`evenhand.attribution.attributions`, of one run or several.
    """
    known = frame.filter(pl.col("reason").is_null())
    made: dict[str, Figure] = {}
    if known.is_empty():
        return made
    main = _commonest(known)
    pooled = overall_profile(main, ("model",))
    if pooled.height:
        made["attribution-overall"] = _panels(
            pooled, None, "model", "Where answers leant, all structured orders pooled"
        )
    for (model, task), part in main.group_by("model", "task", maintain_order=True):
        profile = order_profile(part, ("model", "task", "pattern"))
        bands = region_bands(part, ("model", "task", "pattern"))
        name = f"attribution-{len(made)}-{task}"
        made[name] = _panels(
            profile, bands, "pattern", f"Where answers leant: {model} on {task}, by order"
        )
    for column, (name, legend, words) in _RELATIVE.items():
        rows = _varied(known, column)
        if rows.is_empty():
            continue
        profile = relative_profile(rows, ("model", column))
        made[name] = _curves(profile, column, legend, f"Where answers leant, by {words}")
    return made


def single_strip(frame: pl.DataFrame, experiment_id: str) -> Figure:
    """One experiment's instances in reading order, each as high as its share."""
    import altair as alt

    rows = single_profile(frame, experiment_id).with_columns(
        pl.col("majority")
        .replace_strict({True: "majority", False: "minority"}, default=None)
        .fill_null("unknown")
        .alias("label")
    )
    known = rows.drop_nulls("share")
    labels = [one for one in _LABELS if one in rows["label"]]
    chart = (
        alt.Chart(alt.InlineData(values=rows.to_dicts()))
        .mark_bar()
        .encode(
            x=alt.X("instance:O", title="instance", axis=alt.Axis(labelOverlap=True)),
            y=alt.Y("share:Q", title=_SHARE),
            color=alt.Color(
                "label:N",
                title=None,
                scale=alt.Scale(domain=labels, range=[_LABELS[one] for one in labels]),
                legend=alt.Legend(orient="top"),
            ),
            tooltip=tooltips(
                {"instance": ("instance", "d"), "label": ("label", ""), "share": (_SHARE, ".2f")}
            ),
        )
        .properties(width="container", height=150)
    )
    top = known.sort("share", descending=True).row(0, named=True)
    return Figure(
        title=f"One experiment: {experiment_id}",
        chart=chart,
        alt=(
            f"Bars of the share of each of {rows.height} instances. Highest: instance "
            f"{top['instance']}, {top['share']:.2f} times the uniform share."
        ),
        reading="The list as the model read it; a bar's height is the instance's share.",
    )


def _commonest(known: pl.DataFrame) -> pl.DataFrame:
    """Of each model the condition that most replays share: one n and p, and one prompt."""
    keys = ["n", "p", "variant", "answer_mode"]
    counted = known.group_by("model", *keys).len()
    ranked = counted.sort("len", *keys, descending=[True] + [False] * 4)
    first = ranked.group_by("model", maintain_order=True).first().select("model", *keys)
    return known.join(first, on=first.columns, how="semi", maintain_order="left")


def _varied(known: pl.DataFrame, column: str) -> pl.DataFrame:
    """Replays of at least twenty instances, where ``column`` takes several values."""
    long = known.filter(pl.col("n") >= 20)
    if column != "variant":
        long = long.filter(pl.col("variant") == "standard")
    return long if long[column].n_unique() > 1 else long.clear()


def _panels(profile: pl.DataFrame, bands: pl.DataFrame | None, panel: str, title: str) -> Figure:
    import altair as alt

    names = profile[panel].unique(maintain_order=True).to_list()
    names = pattern_order(names) if panel == "pattern" else names
    words = {name: _panel_words(profile, panel, name) for name in names}
    bottom, top = _domain(profile)
    # A facet has one table: points and bands are told apart by whether a row has a share.
    points = profile.drop("region").with_columns(
        ((pl.col("first") + pl.col("last")) / 2).alias("middle"),
        pl.col("low").clip(bottom, top),
        pl.col("high").clip(bottom, top),
        pl.lit("point").alias("kind"),
    )
    if bands is not None and bands.is_empty():
        bands = None
    if bands is not None:
        stretches = bands.select(
            panel,
            "region",
            (pl.col("first") - 0.5).alias("from"),
            (pl.col("last") + 0.5).alias("to"),
            pl.lit("band").alias("kind"),
        )
        points = pl.concat([points, stretches], how="diagonal")
    data = points.with_columns(
        pl.col(panel).replace_strict(words, return_dtype=pl.String).alias("panel"),
        pl.lit(bottom).alias("bottom"),
        pl.lit(top).alias("top"),
        pl.lit(1.0).alias("one"),
    )
    x = alt.X("middle:Q", title="instance", scale=alt.Scale(nice=False, zero=False))
    scale, axis = _share_scale(bottom, top)
    y = alt.Y("share:Q", title=_SHARE, scale=scale, axis=axis)
    regions = (
        alt.Chart()
        .transform_filter("datum.kind === 'band'")
        .mark_rect(opacity=0.13)
        .encode(
            x=alt.X("from:Q", title="instance"),
            x2="to:Q",
            y=alt.Y("bottom:Q", title=_SHARE, scale=scale, axis=axis),
            y2="top:Q",
            color=alt.Color(
                "region:N",
                title=None,
                scale=alt.Scale(domain=list(_BANDS), range=list(_BANDS.values())),
                legend=alt.Legend(orient="top", symbolOpacity=0.5),
            ),
        )
    )
    interval = (
        alt.Chart()
        .transform_filter("datum.kind === 'point'")
        .mark_area(opacity=0.3, color=ACCENT)
        .encode(x=x, y=alt.Y("low:Q", title=_SHARE, scale=scale, axis=axis), y2="high:Q")
    )
    line = (
        alt.Chart()
        .transform_filter("datum.kind === 'point'")
        .mark_line(color=ACCENT, strokeWidth=1.6, point={"size": 14, "color": ACCENT})
        .encode(
            x=x,
            y=y,
            tooltip=tooltips(
                {
                    "first": ("instances from", "d"),
                    "last": ("to", "d"),
                    "share": (_SHARE, ".2f"),
                    "low": ("95% interval from", ".2f"),
                    "high": ("to", ".2f"),
                    "push": ("push towards own label", ".2f"),
                }
            ),
        )
    )
    uniform = _uniform(scale, axis)
    layers = [interval, uniform, line] if bands is None else [regions, interval, uniform, line]
    chart = (
        alt.layer(*layers)
        .properties(width=300, height=130)
        .facet(
            facet=alt.Facet("panel:N", sort=list(words.values()), title=None),
            columns=2,
            data=alt.InlineData(values=data.to_dicts()),
        )
        # Else the axis of a column's last row hangs below an empty place.
        .resolve_axis(x="independent")
        .properties(usermeta={"left": 46, "most": 2})
    )
    size = int(profile["last"][0] - profile["first"][0]) + 1
    bins = "one instance" if size == 1 else f"{size} consecutive instances"
    shown = " Bands mark where majority, minority or alternating labels stand."
    return Figure(
        title=title,
        chart=chart,
        alt=f"{title}. " + " ".join(_spoken(profile, panel, name) for name in names),
        reading=_READING.format(bins) + ("" if bands is None else shown),
        numbers=_numbers(profile, panel, title),
        panel_width=280,
    )


def _curves(profile: pl.DataFrame, series: str, legend: str, title: str) -> Figure:
    import altair as alt

    names = sorted(profile[series].unique())
    words = [f"{name:g}" if isinstance(name, float) else str(name) for name in names]
    bottom, top = _domain(profile)
    data = profile.with_columns(
        pl.col(series).replace_strict(names, words, return_dtype=pl.String).alias("series"),
        (50 * (pl.col("first") + pl.col("last"))).alias("middle"),
        pl.lit(1.0).alias("one"),
        pl.col("low").clip(bottom, top),
        pl.col("high").clip(bottom, top),
    )
    colour, shape = series_scales(words)
    key = alt.Legend(title=legend, orient="top", symbolOpacity=1)
    scale, axis = _share_scale(bottom, top)
    line = (
        alt.Chart()
        .mark_line(strokeWidth=1.6, point=True)
        .encode(
            x=alt.X("middle:Q", title="position in the list, %", scale=alt.Scale(domain=[0, 100])),
            y=alt.Y("share:Q", title=_SHARE, scale=scale, axis=axis),
            color=alt.Color("series:N", sort=words, scale=colour, legend=key),
            shape=alt.Shape("series:N", sort=words, scale=shape, legend=key),
            tooltip=tooltips(
                {"series": (legend, ""), "share": (_SHARE, ".2f"), "replays": ("replays", ",d")}
            ),
        )
    )
    interval = (
        alt.Chart()
        .mark_area(opacity=0.15)
        .encode(
            x="middle:Q",
            y=alt.Y("low:Q", title=_SHARE, scale=scale, axis=axis),
            y2="high:Q",
            color=alt.Color("series:N", sort=words, scale=colour),
        )
    )
    uniform = _uniform(scale, axis)
    models = profile["model"].unique(maintain_order=True).to_list()
    chart = (
        alt.layer(interval, uniform, line)
        .properties(width=300, height=150)
        .facet(
            facet=alt.Facet("model:N", sort=models, title=None),
            columns=2,
            data=alt.InlineData(values=data.to_dicts()),
        )
        .properties(usermeta={"left": 46, "most": 2})
    )
    return Figure(
        title=title,
        chart=chart,
        alt=f"{title}. " + " ".join(_spoken(profile, series, name) for name in names),
        reading=(
            "Twenty bins of relative position; replays count equally within a task, and tasks "
            "equally. The dotted line at 1 is the uniform share; the scale is logarithmic. Shaded "
            "ranges are 95% intervals over instance sets, where there are several."
        ),
        numbers=_numbers(profile, series, title),
        panel_width=280,
    )


def _share_scale(bottom: float, top: float) -> tuple[alt.Scale, alt.Axis]:
    """A logarithmic scale, with the round numbers that lie on it."""
    import altair as alt

    ticks = [tick for tick in _TICKS if bottom <= tick <= top]
    if len(ticks) < _FEWEST_TICKS:
        ticks = [tick for tick in (*_TICKS, *_BETWEEN) if bottom <= tick <= top]
    scale = alt.Scale(type="log", domain=[bottom, top], nice=False)
    return scale, alt.Axis(values=ticks, format="~g", labelOverlap=False)


def _uniform(scale: alt.Scale, axis: alt.Axis) -> alt.Chart:
    """The dotted line at 1."""
    import altair as alt

    y = alt.Y("one:Q", title=_SHARE, scale=scale, axis=axis)
    made: alt.Chart = alt.Chart().mark_rule(strokeDash=[2, 3]).encode(y=y)
    return made


def _domain(profile: pl.DataFrame) -> tuple[float, float]:
    """Bounds of the logarithmic axis: all points, and 1."""
    values = [value for value in profile["share"].drop_nulls().to_list() if value > 0] or [1.0]
    return min(*values, 0.9) / 1.3, max(*values, 1.1) * 1.3


def _rows(profile: pl.DataFrame, column: str, name: object) -> pl.DataFrame:
    return profile.filter(pl.col(column) == name)


def _panel_words(profile: pl.DataFrame, panel: str, name: str) -> str:
    row = _rows(profile, panel, name).row(0, named=True)
    return f"{name} (right {percent(row['accuracy'])}, {row['replays']:,} replays)"


def _spoken(profile: pl.DataFrame, column: str, name: object) -> str:
    rows = _rows(profile, column, name).drop_nulls("share")
    if rows.is_empty():
        return f"{name}: none."
    top = rows.sort("share", descending=True).row(0, named=True)
    first, last = rows["share"][0], rows["share"][-1]
    return (
        f"{name}: first bin {first:.2f}, last bin {last:.2f}, highest {top['share']:.2f} at "
        f"{top['first']:g} to {top['last']:g}."
    )


def _numbers(profile: pl.DataFrame, column: str, title: str) -> Table:
    columns = (
        Column(column),
        Column("from", align="right"),
        Column("to", align="right"),
        Column("share", "times the uniform share", "right"),
        Column("95% interval", "over instance sets", "right"),
        Column("push", "signed share: + towards the instance's own label", "right"),
        Column("replays", align="right"),
    )
    rows = tuple(_number_row(row, column) for row in profile.iter_rows(named=True))
    return Table(title, columns, rows)


def _number_row(row: Mapping[str, object], column: str) -> tuple[Cell, ...]:
    def number(name: str, form: str = ".2f") -> Cell:
        value = row[name]
        assert value is None or isinstance(value, int | float)
        return Cell("–" if value is None else format(value, form).replace("-", MINUS), value)

    low, high = row["low"], row["high"]
    between = "–" if low is None or high is None else f"{low:.2f}–{high:.2f}"
    shown: Sequence[Cell] = (
        Cell(str(row[column]), str(row[column])),
        number("first", "g"),
        number("last", "g"),
        number("share"),
        Cell(between),
        number("push", "+.2f"),
        number("replays", ",d"),
    )
    return tuple(shown)
