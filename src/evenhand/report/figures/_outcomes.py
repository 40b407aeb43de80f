"""What became of the experiments: outcomes, error types, invalid counts."""

from __future__ import annotations

import polars as pl

from evenhand.analysis import invalid_rate, outcome_shares
from evenhand.report._numbers import count, listed, percent
from evenhand.report._page import Cell, Column, Figure, Table
from evenhand.report._theme import NEUTRAL, OUTCOME_COLOURS, OUTCOME_WORDS, pattern_order
from evenhand.report.figures._marks import (
    LABEL_WIDTH,
    ROW_LEAST,
    in_percent,
    interval_dots,
    pictogram_layers,
    tooltips,
)
from evenhand.report.figures._numbers import interval_cell, key_cell, key_columns, share_cell
from evenhand.results import OUTCOMES

ERROR_TYPES = ("mistake", "tie", "invalid_input", "parsing_issue", "overlong")


def outcomes_by_pattern(frame: pl.DataFrame) -> Figure:
    """Share of every outcome by order pattern, one panel a model."""
    import altair as alt

    shares = outcome_shares(frame, ("model", "pattern")).filter(pl.col("runs") > 0)
    seen = [name for name in OUTCOMES if shares.filter(outcome=name)["count"].sum() > 0]
    patterns = pattern_order(shares["pattern"].unique().to_list())
    models = list(dict.fromkeys(frame["model"]))
    data = in_percent(shares.filter(pl.col("outcome").is_in(seen)), ["share"]).with_columns(
        pl.col("outcome").replace_strict(dict(OUTCOME_WORDS)).alias("words"),
        pl.col("outcome").replace_strict({name: at for at, name in enumerate(seen)}).alias("place"),
    )
    words = [OUTCOME_WORDS[name] for name in seen]
    bars = (
        alt.Chart()
        .mark_bar(height=16)
        .encode(
            y=alt.Y("pattern:N", sort=patterns, axis=None),
            x=alt.X(
                "share:Q",
                title="share of runs, %",
                stack="zero",
                scale=alt.Scale(domain=[0, 100], nice=False),
                axis=alt.Axis(tickCount=5),
            ),
            color=alt.Color(
                "words:N",
                sort=words,
                scale=alt.Scale(domain=words, range=[OUTCOME_COLOURS[name] for name in seen]),
                legend=alt.Legend(title=None, orient="top", columns=2, labelLimit=260),
            ),
            order=alt.Order("place:Q"),
            tooltip=tooltips(
                {
                    "pattern": ("order", ""),
                    "words": ("outcome", ""),
                    "share": ("share, %", ".1f"),
                    "count": ("runs", ",d"),
                }
            ),
        )
    )
    layered = alt.layer(*pictogram_layers(patterns), bars).properties(height=42 * len(patterns))
    chart: alt.TopLevelMixin
    values = alt.InlineData(
        values=data.select(
            "model", "pattern", "words", "place", "share", "count", "runs"
        ).to_dicts()
    )
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
    return Figure(
        title="What became of every run",
        chart=chart,
        alt=_spoken_outcomes(frame),
        reading="Every run ends in one of these; shares add up to 100% within an order.",
        numbers=_outcome_table(shares, ("model", "pattern")),
        panel_width=panel,
    )


def _spoken_outcomes(frame: pl.DataFrame) -> str:
    shares = outcome_shares(frame, ("model",)).filter(pl.col("count") > 0)
    sentences = []
    for model in dict.fromkeys(frame["model"]):
        parts = [
            f"{OUTCOME_WORDS[row['outcome']]} {percent(row['share'])}"
            for row in shares.filter(pl.col("model") == model).iter_rows(named=True)
        ]
        sentences.append(f"{model}: {listed(parts)}.")
    return "Stacked bars of outcomes by order pattern. Over all orders: " + " ".join(sentences)


def _outcome_table(shares: pl.DataFrame, by: tuple[str, ...]) -> Table:
    rows = tuple(
        (
            *(key_cell(name, row[name]) for name in by),
            Cell(OUTCOME_WORDS[row["outcome"]], row["outcome"]),
            share_cell(row["share"]),
            share_cell(row["sd"]),
            Cell(count(row["count"]), row["count"]),
            Cell(count(row["runs"]), row["runs"]),
        )
        for row in shares.filter(pl.col("count") > 0).iter_rows(named=True)
    )
    columns = (
        *key_columns(by),
        Column("Outcome"),
        Column("Share, %", "mean over set seeds", "right"),
        Column("SD", "over set seeds, in points", "right"),
        Column("Count", "", "right"),
        Column("Of runs", "", "right"),
    )
    return Table("Outcomes", columns, rows)


def error_types(frame: pl.DataFrame) -> Figure | None:
    """Model error distribution by error type (Figure 14); ties are told apart from mistakes."""
    import altair as alt

    shares = outcome_shares(frame, ("model",)).filter(pl.col("outcome").is_in(ERROR_TYPES))
    if shares["count"].sum() == 0:
        return None
    seen = [name for name in ERROR_TYPES if shares.filter(outcome=name)["count"].sum() > 0]
    models = list(dict.fromkeys(frame["model"]))
    sd = pl.col("sd").fill_null(0)
    data = in_percent(
        shares.filter(pl.col("outcome").is_in(seen)).with_columns(
            (pl.col("share") - sd).clip(0).alias("low"), (pl.col("share") + sd).alias("high")
        ),
        ["share", "sd", "low", "high"],
    ).with_columns(pl.col("outcome").replace_strict(dict(OUTCOME_WORDS)).alias("words"))
    words = [OUTCOME_WORDS[name] for name in seen]
    colour = alt.Color(
        "words:N",
        sort=words,
        scale=alt.Scale(domain=words, range=[OUTCOME_COLOURS[name] for name in seen]),
        legend=alt.Legend(title=None, orient="top", columns=2, labelLimit=260),
    )
    title = "share of all runs, %"
    base = alt.Chart().encode(
        y=alt.Y("model:N", sort=models, title=None, axis=alt.Axis(labelLimit=150)),
        yOffset=alt.YOffset("words:N", sort=words),
        color=colour,
    )
    bars = base.mark_bar(height=9).encode(
        x=alt.X(
            "share:Q",
            title=title,
            scale=alt.Scale(domain=[0, 100], nice=False),
            axis=alt.Axis(tickCount=5),
        ),
        tooltip=tooltips(
            {
                "model": ("model", ""),
                "words": ("outcome", ""),
                "share": ("share, %", ".1f"),
                "sd": ("SD over set seeds", ".1f"),
                "count": ("runs", ",d"),
            }
        ),
    )
    spread = base.mark_rule(strokeWidth=1.5).encode(
        x=alt.X("low:Q", title=title), x2="high:Q", color=alt.value(NEUTRAL)
    )
    height = len(models) * max(len(seen) * 12 + 14, ROW_LEAST)
    return Figure(
        title="What went wrong, by model",
        chart=alt.layer(bars, spread, data=data).properties(width="container", height=height),
        alt=_spoken_outcomes(frame),
        reading="Share of all runs; thin lines are standard deviations over set seeds.",
        numbers=_outcome_table(shares, ("model",)),
    )


def invalid_counts(frame: pl.DataFrame) -> Figure | None:
    """Invalid experiments for each model, task and order pattern (Figure 15), as counts of runs."""
    import altair as alt

    rates = invalid_rate(frame, ("model", "task", "pattern"))
    if rates["invalid"].sum() == 0:
        return None
    patterns = pattern_order(rates["pattern"].unique().to_list())
    models = list(dict.fromkeys(frame["model"]))
    data = in_percent(rates, ["invalid_rate"]).select(
        "model", "task", "pattern", "invalid", "runs", "invalid_rate"
    )
    base = alt.Chart().encode(
        x=alt.X("pattern:N", sort=patterns, title=None, axis=alt.Axis(labelAngle=-55)),
        y=alt.Y("task:N", title=None),
    )
    cells = base.mark_rect().encode(
        color=alt.Color(
            "invalid_rate:Q",
            title="invalid, %",
            scale=alt.Scale(domain=[0, 100], range=["#e8e6e1", "#7a2d0a"]),
            legend=alt.Legend(orient="top", gradientLength=120),
        ),
        tooltip=tooltips(
            {
                "model": ("model", ""),
                "task": ("task", ""),
                "pattern": ("order", ""),
                "invalid": ("invalid", "d"),
                "runs": ("of runs", "d"),
            }
        ),
    )
    text = base.mark_text(fontSize=11).encode(
        text="invalid:Q",
        color=alt.condition("datum.invalid_rate > 45", alt.value("#ffffff"), alt.value("#1c1e22")),
    )
    chart = (
        alt.layer(cells, text)
        .properties(width=200, height=24 * rates["task"].n_unique())
        .facet(
            facet=alt.Facet("model:N", sort=models, title=None),
            columns=3,
            data=alt.InlineData(values=data.to_dicts()),
        )
        .resolve_axis(x="independent")
        .properties(usermeta={"left": 64, "each": 24, "most": 3})
    )
    worst = rates.sort("invalid_rate", descending=True).row(0, named=True)
    return Figure(
        title="Where valid answers were missing",
        chart=chart,
        alt=(
            "Heat map of the number of invalid runs by model, task and order. Most: "
            f"{worst['model']}, {worst['task']}, {worst['pattern']}, {worst['invalid']} of "
            f"{worst['runs']}."
        ),
        reading=(
            "Number of runs without a valid answer; intervals of the rates are in the numbers. "
            "Were invalid answers a matter of order, columns would differ rather than rows."
        ),
        numbers=invalid_table(rates, ("model", "task", "pattern")),
        panel_width=190,
    )


def invalid_table(rates: pl.DataFrame, by: tuple[str, ...]) -> Table:
    """A frame of :func:`evenhand.analysis.invalid_rate` for readers."""
    rows = tuple(
        (
            *(key_cell(name, row[name]) for name in by),
            Cell(count(row["invalid"]), row["invalid"]),
            Cell(count(row["runs"]), row["runs"]),
            share_cell(row["invalid_rate"]),
            interval_cell(row["low"], row["high"]),
        )
        for row in rates.iter_rows(named=True)
    )
    columns = (
        *key_columns(by),
        Column("Invalid", "", "right"),
        Column("Of runs", "", "right"),
        Column("Rate, %", "mean over set seeds", "right"),
        Column("95% interval", "", "right"),
    )
    return Table("Invalid rate", columns, rows)


def invalid_by_model(frame: pl.DataFrame) -> Figure | None:
    """Invalid rate of each model by order, with intervals; None when every answer is valid."""
    rates = invalid_rate(frame, ("model", "pattern"))
    if rates["invalid"].sum() == 0:
        return None
    patterns = pattern_order(rates["pattern"].unique().to_list())
    chart = interval_dots(
        in_percent(rates, ["invalid_rate", "low", "high"]),
        row="model",
        row_order=list(dict.fromkeys(frame["model"])),
        series="pattern",
        series_order=patterns,
        field="invalid_rate",
        title="runs without a valid answer, %",
        tooltip=tooltips(
            {
                "model": ("model", ""),
                "pattern": ("order", ""),
                "invalid": ("invalid", "d"),
                "runs": ("of runs", "d"),
                "low": ("95% interval from", ".1f"),
                "high": ("to", ".1f"),
            }
        ),
    )
    total = int(rates["invalid"].sum())
    return Figure(
        title="Runs without a valid answer",
        chart=chart.properties(width="container"),
        alt=f"Dot plot of invalid rates by model and order: {total} of {frame.height} runs in all.",
        reading="Lines are 95% intervals over instance sets.",
        numbers=invalid_table(rates, ("model", "pattern")),
    )
