"""Coverage of experiments in, tables out. Each table holds valid experiments and all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

from evenhand.analysis._coverage._classify import TRACE_CLASSES
from evenhand.errors import UsageError

Measure = Literal["coverage", "strict_coverage"]
COVERAGE_BINS = ("<25%", "[25, 75)", "[75, 100)", "=100%")
"""Bins of Tables 3 and 7."""
POPULATIONS = ("valid", "all")
"""Valid experiments only, as in the paper; and all with a trace, invalid ones as incorrect."""


def coverage_bins(
    frame: pl.DataFrame, by: Sequence[str] = ("model",), measure: Measure = "coverage"
) -> pl.DataFrame:
    """Number of experiments and accuracy in each range of coverage (Tables 3 and 7).

    Args:
        frame: From :func:`coverage`.
        by: Grouping columns.
        measure: The paper's or the strict measure.

    Returns:
        ``by``…, ``population``, ``bin``, ``experiments`` (with a trace), ``accuracy`` (null where
        there are none), ``valid_rate`` (of the whole group, traces or not). Every bin is there.
    """
    share = pl.col(measure)
    names = (
        pl.when(share < 0.25)
        .then(pl.lit(COVERAGE_BINS[0]))
        .when(share < 0.75)
        .then(pl.lit(COVERAGE_BINS[1]))
        .when(share < 1)
        .then(pl.lit(COVERAGE_BINS[2]))
        .otherwise(pl.lit(COVERAGE_BINS[3]))
    )
    counted = _populations(frame).with_columns(names.alias("bin"))
    return _counted(frame, counted, by, "bin", COVERAGE_BINS)


def trace_classes(frame: pl.DataFrame, by: Sequence[str] = ("model",)) -> pl.DataFrame:
    """How traces end their reading, and accuracy in each class (5.1.1, E.1).

    Returns:
        As :func:`coverage_bins`, with ``trace_class`` for ``bin``.
    """
    return _counted(frame, _populations(frame), by, "trace_class", TRACE_CLASSES)


def mention_rates(
    frame: pl.DataFrame, by: Sequence[str] = (), measure: Measure = "coverage"
) -> pl.DataFrame:
    """Share of experiments whose trace mentions each id (Figures 5, 12 and 21).

    Args:
        frame: From :func:`coverage`.
        by: Grouping columns; n is always one.
        measure: The paper's or the strict measure.

    Returns:
        ``by``…, ``population``, ``n``, ``id`` (1 to n), ``mentions``, ``experiments``, ``rate``.
    """
    ids = "mentioned_ids" if measure == "coverage" else "named_ids"
    keys = _keys(by, "n")
    counted = _populations(frame)
    groups = counted.group_by(*keys, maintain_order=True).agg(pl.len().alias("experiments"))
    grid = groups.with_columns(
        pl.int_ranges(1, pl.col("n") + 1, dtype=pl.Int64).alias("id")
    ).explode("id")
    found = (
        counted.select(*keys, pl.col(ids).alias("id"))
        .explode("id")
        .drop_nulls("id")
        .group_by(*keys, "id")
        .agg(pl.len().alias("mentions"))
    )
    return (
        grid.join(found, on=[*keys, "id"], how="left", maintain_order="left", nulls_equal=True)
        .with_columns(pl.col("mentions").fill_null(0))
        .with_columns((pl.col("mentions") / pl.col("experiments")).alias("rate"))
        .select(*keys, "id", "mentions", "experiments", "rate")
    )


def mean_coverage(frame: pl.DataFrame, by: Sequence[str] = ("model",)) -> pl.DataFrame:
    """Mean coverage and mean number of ids by n and label distribution (Figures 13, 22 and 23).

    Args:
        frame: From :func:`coverage`.
        by: Grouping columns beside n and p; none pools the models.

    Returns:
        ``by``…, ``population``, ``n``, ``p``, ``coverage``, ``ids``, ``strict_coverage``,
        ``strict_ids``, ``range_coverage``, ``experiments``.
    """
    keys = _keys(by, "n", "p")
    return (
        _populations(frame)
        .group_by(*keys, maintain_order=True)
        .agg(
            pl.col("coverage").mean(),
            pl.col("mentioned").mean().alias("ids"),
            pl.col("strict_coverage").mean(),
            pl.col("named").mean().alias("strict_ids"),
            pl.col("range_coverage").mean(),
            pl.len().cast(pl.Int64).alias("experiments"),
        )
        .sort(*keys, maintain_order=True)
    )


def label_agreement(
    frame: pl.DataFrame, by: Sequence[str] = ("model",), bins: int = 20
) -> pl.DataFrame:
    """How often the labels that traces state agree with gold, along the list.

    Args:
        frame: From :func:`coverage` with gold labels.
        by: Grouping columns; n is always one.
        bins: Number of equal stretches of the list.

    Returns:
        ``by``…, ``population``, ``n``, ``first``, ``last`` (ids of the stretch), ``stated``,
        ``agreed``, ``agreement``; stretches without a statement are left out.

    Raises:
        UsageError: If ``bins`` is not positive.
    """
    if bins < 1:
        raise UsageError(f"bins = {bins}: choose at least one stretch of the list")
    keys = _keys(by, "n")
    width = ((pl.col("n") + bins - 1) // bins).alias("width")
    return (
        _populations(frame)
        .select(*keys, "stated_ids", "stated_right", width)
        .explode("stated_ids", "stated_right")
        .drop_nulls("stated_ids")
        .with_columns(
            ((pl.col("stated_ids") - 1) // pl.col("width") * pl.col("width") + 1).alias("first")
        )
        .with_columns(pl.min_horizontal(pl.col("first") + pl.col("width") - 1, "n").alias("last"))
        .group_by(*keys, "first", "last", maintain_order=True)
        .agg(
            pl.len().cast(pl.Int64).alias("stated"),
            pl.col("stated_right").sum().cast(pl.Int64).alias("agreed"),
        )
        .with_columns((pl.col("agreed") / pl.col("stated")).alias("agreement"))
        .sort(*keys, "first", maintain_order=True)
    )


def coverage_notes(frame: pl.DataFrame) -> list[str]:
    """Lines that say which experiments the tables leave out, and why; empty if none.

    Args:
        frame: From :func:`coverage`.
    """
    notes = []
    for model, part in frame.group_by("model", maintain_order=True):
        counts = dict(part["trace"].value_counts().iter_rows())
        if summaries := counts.get("summary", 0):
            notes.append(
                f"{model[0]}: {summaries} of {part.height} reasoning traces are only a provider's "
                "summary and are left out."
            )
        if missing := counts.get("none", 0):
            notes.append(f"{model[0]}: {missing} of {part.height} experiments have no trace.")
    return notes


def _populations(frame: pl.DataFrame) -> pl.DataFrame:
    traced = frame.filter(pl.col("trace") == "trace")
    return pl.concat(
        [
            traced.filter("valid").with_columns(pl.lit(POPULATIONS[0]).alias("population")),
            traced.with_columns(pl.lit(POPULATIONS[1]).alias("population")),
        ]
    )


def _keys(by: Sequence[str], *always: str) -> list[str]:
    return list(dict.fromkeys([*by, "population", *always]))


def _counted(
    frame: pl.DataFrame,
    counted: pl.DataFrame,
    by: Sequence[str],
    column: str,
    values: Sequence[str],
) -> pl.DataFrame:
    """Experiments and accuracy for every group and every value, empty ones too."""
    keys = _keys(by)
    groups = (
        frame.group_by(*by, maintain_order=True).agg(pl.col("valid").mean().alias("valid_rate"))
        if by
        else frame.select(pl.col("valid").mean().alias("valid_rate"))
    )
    grid = groups.join(pl.DataFrame({"population": POPULATIONS}), how="cross").join(
        pl.DataFrame({column: list(values)}), how="cross"
    )
    found = counted.group_by(*keys, column).agg(
        pl.len().cast(pl.Int64).alias("experiments"), pl.col("correct").mean().alias("accuracy")
    )
    return (
        grid.join(found, on=[*keys, column], how="left", maintain_order="left", nulls_equal=True)
        .with_columns(pl.col("experiments").fill_null(0))
        .select(*keys, column, "experiments", "accuracy", "valid_rate")
    )
