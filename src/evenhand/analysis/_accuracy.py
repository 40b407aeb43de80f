"""Accuracy, invalid rate and outcome shares: per set seed, then over set seeds (3.4)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis._intervals import cluster_wilson
from evenhand.analysis._partition import (
    Invalid,
    by_seed,
    checked,
    counted,
    grouped,
    in_order,
    ratio,
)
from evenhand.results import OUTCOMES


def accuracy(
    frame: pl.DataFrame,
    by: Sequence[str] = ("model", "task", "pattern"),
    invalid: Invalid = "exclude",
) -> pl.DataFrame:
    """Share of right answers: within each set seed, then its mean and sample SD (3.4, D.2).

    A tie is valid and wrong. All runs of a group and set seed pool, random's order seeds too.

    Args:
        frame: Results, columns as ``RESULTS_SCHEMA``.
        by: Grouping columns; any of the table's, none for one row over all.
        invalid: ``exclude`` leaves invalid experiments out; ``incorrect`` counts them as wrong.

    Returns:
        ``by``, ``accuracy`` (0 to 1), ``sd`` over set seeds (null from one seed), ``seeds`` (those
        with a run that counts), ``runs`` (that count), ``low``, ``high`` (95%, see
        ``cluster_wilson``). A group in which nothing counts has nulls, not zeros.

    Raises:
        UsageError: For an unknown column, or generated and forced answers in one group.
    """
    rows = checked(frame, by, invalid)
    means = grouped(
        by_seed(rows, by, invalid),
        by,
        pl.col("accuracy").mean(),
        pl.col("accuracy").drop_nulls().std(ddof=1).alias("sd"),
        pl.col("accuracy").count().cast(pl.Int64).alias("seeds"),
        pl.col("counted").sum().alias("runs"),
    )
    interval = cluster_wilson(rows, by, pl.col("correct"), counted(invalid))
    return in_order(_beside(means, interval), by)


def invalid_rate(
    frame: pl.DataFrame, by: Sequence[str] = ("model", "task", "pattern")
) -> pl.DataFrame:
    """Share of experiments without a valid answer: mean and SD over set seeds (4.1).

    Returns:
        ``by``, ``invalid_rate`` (0 to 1), ``sd``, ``seeds``, ``invalid`` and ``runs`` (counts),
        ``low``, ``high`` (95%).

    Raises:
        UsageError: For an unknown column, or generated and forced answers in one group.
    """
    rows = checked(frame, by)
    seeds = by_seed(rows, by, "exclude").with_columns(
        (pl.col("runs") - pl.col("counted")).alias("invalid")
    )
    means = grouped(
        seeds.with_columns(ratio("invalid", "runs").alias("invalid_rate")),
        by,
        pl.col("invalid_rate").mean(),
        pl.col("invalid_rate").std(ddof=1).alias("sd"),
        pl.len().cast(pl.Int64).alias("seeds"),
        pl.col("invalid").sum(),
        pl.col("runs").sum(),
    )
    interval = cluster_wilson(rows, by, ~pl.col("valid"), pl.lit(True))
    return in_order(_beside(means, interval), by)


def outcome_shares(frame: pl.DataFrame, by: Sequence[str] = ("model",)) -> pl.DataFrame:
    """Share of each of the six outcomes: mean and SD over set seeds (D.1).

    Returns:
        ``by``, ``outcome`` (every outcome, in the order of ``OUTCOMES``, zeros included),
        ``share`` of all experiments (0 to 1), ``sd``, ``seeds``, ``count``, ``runs`` (all).

    Raises:
        UsageError: For an unknown column, or generated and forced answers in one group.
    """
    rows = checked(frame, by)
    keys = list(dict.fromkeys([*by, "set_seed"]))
    wide = grouped(
        rows,
        keys,
        pl.len().cast(pl.Int64).alias("runs"),
        *((pl.col("outcome") == name).sum().cast(pl.Int64).alias(name) for name in OUTCOMES),
    )
    long = wide.unpivot(
        list(OUTCOMES), index=[*keys, "runs"], variable_name="outcome", value_name="count"
    ).with_columns(ratio("count", "runs").alias("share"))
    shares = grouped(
        long,
        [*by, "outcome"],
        pl.col("share").mean(),
        pl.col("share").std(ddof=1).alias("sd"),
        pl.len().cast(pl.Int64).alias("seeds"),
        pl.col("count").sum(),
        pl.col("runs").sum(),
    )
    return in_order(shares, by)


def _beside(means: pl.DataFrame, interval: pl.DataFrame) -> pl.DataFrame:
    """Both hold the same groups in order of first appearance."""
    return means.with_columns(interval["low"], interval["high"])
