"""What the invalid experiments could hide."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis._partition import by_seed, checked, grouped, in_order, ratio


def invalid_bounds(frame: pl.DataFrame, by: Sequence[str] = ("model",)) -> pl.DataFrame:
    """Accuracy if every invalid experiment had been wrong, and if every one had been right.

    The first is the paper's all-experiment accuracy (D.2). Whatever a model would have answered,
    the accuracy over all experiments lies between the two; both are means over set seeds.

    Returns:
        ``by``, ``if_wrong``, ``valid_only`` (null where nothing is valid), ``if_right``,
        ``invalid``, ``runs`` (counts). If nothing is invalid all three accuracies are one number.

    Raises:
        UsageError: For an unknown column, or generated and forced answers in one group.
    """
    rows = checked(frame, by)
    seeds = by_seed(rows, by, "exclude").with_columns(
        ratio("right", "runs").alias("if_wrong"),
        ((pl.col("right") + pl.col("runs") - pl.col("counted")) / pl.col("runs")).alias("if_right"),
    )
    bounds = grouped(
        seeds,
        by,
        pl.col("if_wrong").mean(),
        pl.col("accuracy").mean().alias("valid_only"),
        pl.col("if_right").mean(),
        (pl.col("runs") - pl.col("counted")).sum().alias("invalid"),
        pl.col("runs").sum(),
    )
    return in_order(bounds, by)
