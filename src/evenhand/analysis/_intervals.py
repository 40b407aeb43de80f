"""Intervals that know that the runs over one instance set are not independent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.analysis._partition import CLUSTER, grouped

LEVEL = 0.95
"""Confidence level of every interval in this room."""

Floats = NDArray[np.float64]


def cluster_wilson(
    frame: pl.DataFrame, by: Sequence[str], hit: pl.Expr, counts: pl.Expr
) -> pl.DataFrame:
    """Wilson interval of a share, on the effective number of runs.

    The variance of the share is estimated between instance sets (ratio estimator). Its ratio to the
    binomial variance is the design effect. It is widened for few sets by the square of Student's
    over the normal quantile (Korn and Graubard 1998) and held between 1 (independent runs) and
    Kish's sum of squared set sizes over runs (all runs of a set alike); then it divides the number
    of runs. Where the data cannot tell, with a share of 0 or 1 or with one set, the upper end is
    taken. So one run a set gives the plain Wilson interval.

    Args:
        frame: Results.
        by: Grouping columns.
        hit: Whether a run scores; must be false where it does not count.
        counts: Whether a run counts.

    Returns:
        The columns of ``by``, ``low``, ``high``; both null where nothing counts.
    """
    from scipy import stats

    sets = list(dict.fromkeys([*by, *CLUSTER]))
    sizes = grouped(
        frame.with_columns(hit.alias("_hit"), counts.alias("_counts")),
        sets,
        pl.col("_hit").sum().cast(pl.Float64).alias("y"),
        pl.col("_counts").sum().cast(pl.Float64).alias("m"),
    )
    y, m = pl.col("y"), pl.col("m")
    totals = grouped(
        sizes,
        by,
        (m > 0).sum().alias("sets"),
        y.sum().alias("sum_y"),
        m.sum().alias("sum_m"),
        (y * y).sum().alias("sum_yy"),
        (y * m).sum().alias("sum_ym"),
        (m * m).sum().alias("sum_mm"),
    )
    share, runs = _column(totals, "sum_y"), _column(totals, "sum_m")
    with np.errstate(divide="ignore", invalid="ignore"):
        share = share / runs
        sets_count = _column(totals, "sets")
        between = (
            _column(totals, "sum_yy")
            - 2 * share * _column(totals, "sum_ym")
            + share**2 * _column(totals, "sum_mm")
        )
        kish = _column(totals, "sum_mm") / runs
        effect = sets_count / (sets_count - 1) * between / (share * (1 - share) * runs)
    unknown = (sets_count < 2) | (share <= 0) | (share >= 1)
    few = (
        stats.t.ppf((1 + LEVEL) / 2, np.maximum(sets_count - 1, 1))
        / stats.norm.ppf((1 + LEVEL) / 2)
    ) ** 2
    effect = np.where(unknown, kish, np.clip(effect * few, 1, kish))
    low, high = wilson(share, runs / effect)
    return totals.with_columns(_nullable("low", low), _nullable("high", high)).select(
        *by, "low", "high"
    )


def wilson(share: Floats, runs: Floats) -> tuple[Floats, Floats]:
    """Wilson's score interval at :data:`LEVEL`, elementwise; NaN where ``runs`` is 0 or NaN."""
    from statsmodels.stats.proportion import proportion_confint

    low = np.full(share.shape, np.nan)
    high = low.copy()
    known = np.isfinite(share) & np.isfinite(runs) & (runs > 0)
    if known.any():
        low[known], high[known] = proportion_confint(
            share[known] * runs[known], runs[known], alpha=1 - LEVEL, method="wilson"
        )
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def mean_interval(values: Floats) -> tuple[float, float] | tuple[None, None]:
    """Student's t interval of the mean of independent values; nothing from fewer than two."""
    from scipy import stats

    if values.size < 2:
        return None, None
    half = stats.t.ppf((1 + LEVEL) / 2, values.size - 1) * values.std(ddof=1) / values.size**0.5
    centre = float(values.mean())
    return centre - float(half), centre + float(half)


def _column(frame: pl.DataFrame, name: str) -> Floats:
    return frame[name].cast(pl.Float64).to_numpy()


def _nullable(name: str, values: Floats) -> pl.Series:
    return pl.Series(name, values, dtype=pl.Float64, nan_to_null=True)
