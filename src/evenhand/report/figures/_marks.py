"""Marks that several charts share. Shares come in as 0 to 1 and are drawn in percent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from evenhand.report._pictograms import pictogram_uri
from evenhand.report._theme import SERIES, SERIES_SHAPES, pattern_colour, pattern_shape

if TYPE_CHECKING:
    import altair as alt

ROW_LEAST = 36
"""Pixels that a row needs at least: a model's name can take two lines."""
LABEL_WIDTH = 138
"""Pixels that the pictogram and the pattern's name take on the left of a chart."""


def in_percent(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """The columns times 100, rounded to a thousandth of a point; the others untouched."""
    return frame.with_columns((pl.col(name) * 100).round(3) for name in columns)


def percent_axis(
    field: str = "accuracy", title: str = "right answers, %", *, low: float = 0, high: float = 100
) -> alt.X:
    """A horizontal axis in percent."""
    import altair as alt

    return alt.X(
        f"{field}:Q",
        title=title,
        scale=alt.Scale(domain=[low, high], nice=False),
        axis=alt.Axis(tickCount=5),
    )


def tooltips(words: Mapping[str, tuple[str, str]]) -> list[alt.Tooltip]:
    """Tooltip lines: field to (words, format); a format of ``""`` shows the value as it is."""
    import altair as alt

    return [
        alt.Tooltip(f"{field}:Q", title=title, format=form)
        if form
        else alt.Tooltip(f"{field}:N", title=title)
        for field, (title, form) in words.items()
    ]


ACCURACY_TOOLTIP: Mapping[str, tuple[str, str]] = {
    "accuracy": ("right, %", ".1f"),
    "low": ("95% interval from", ".1f"),
    "high": ("to", ".1f"),
    "sd": ("SD over set seeds, points", ".1f"),
    "runs": ("runs", ",d"),
    "seeds": ("set seeds", "d"),
}


def pictogram_layers(patterns: Sequence[str]) -> list[alt.Chart]:
    """Name over pictogram for each pattern, on the left of a chart whose rows are patterns."""
    import altair as alt

    data = pl.DataFrame(
        {"pattern": list(patterns), "picture": [pictogram_uri(name) for name in patterns]}
    )
    rows = alt.Chart(data).encode(y=alt.Y("pattern:N", sort=list(patterns), axis=None))
    name = rows.mark_text(align="left", baseline="middle", dy=-14, fontSize=12).encode(
        x=alt.value(-LABEL_WIDTH), text="pattern:N"
    )
    picture = rows.mark_image(align="left", width=119, height=12, aria=False).encode(
        x=alt.value(-LABEL_WIDTH), url="picture:N"
    )
    return [name, picture]


def series_scales(names: Sequence[str]) -> tuple[alt.Scale, alt.Scale]:
    """Colour and shape of up to seven series; more repeat, and the legend still names them."""
    import altair as alt

    count = len(names)
    return (
        alt.Scale(domain=list(names), range=[SERIES[at % len(SERIES)] for at in range(count)]),
        alt.Scale(
            domain=list(names),
            range=[SERIES_SHAPES[at % len(SERIES_SHAPES)] for at in range(count)],
        ),
    )


def interval_dots(
    data: pl.DataFrame,
    *,
    row: str,
    row_order: Sequence[str],
    series: str,
    series_order: Sequence[str],
    field: str,
    title: str,
    tooltip: list[alt.Tooltip],
    low: float = 0,
    high: float = 100,
    row_step: int = 13,
    legend_title: str | None = None,
) -> alt.LayerChart | alt.FacetChart:
    """One dot with its interval for every row and series; series side by side within a row.

    ``data`` has ``field``, ``low`` and ``high`` in percent; ``low`` and ``high`` of the call bound
    the axis. Series of order patterns take the
    patterns' colours and shapes.
    """
    # A height in steps would make Vega-Lite warn in the console beside a width that fits.
    import altair as alt

    if series == "pattern":
        colour, shape = pattern_colour(list(series_order)), pattern_shape(list(series_order))
    else:
        colour, shape = series_scales(series_order)
    legend = alt.Legend(title=legend_title, orient="top", columns=2, symbolOpacity=1)
    base = alt.Chart().encode(
        y=alt.Y(f"{row}:N", sort=list(row_order), title=None, axis=alt.Axis(labelLimit=150)),
        yOffset=alt.YOffset(f"{series}:N", sort=list(series_order)),
        color=alt.Color(f"{series}:N", sort=list(series_order), scale=colour, legend=legend),
    )
    rules = base.mark_rule(strokeWidth=2, opacity=0.55).encode(
        x=alt.X("low:Q", title=title), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=62, opacity=1).encode(
        x=percent_axis(field, title, low=low, high=high),
        shape=alt.Shape(f"{series}:N", sort=list(series_order), scale=shape, legend=legend),
        tooltip=tooltip,
    )
    height = len(row_order) * max(len(series_order) * row_step + 12, ROW_LEAST)
    return alt.layer(rules, dots, data=data).properties(height=height)
