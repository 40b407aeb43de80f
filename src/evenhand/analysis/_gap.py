"""The gap between the best and the worst order pattern (3.4, D.2)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis._partition import (
    WHOLE,
    Invalid,
    by_seed,
    checked,
    grouped,
    in_order,
    known_patterns,
)
from evenhand.design import PATTERNS

ONE_PAIR, TWO_PAIRS = "†", "‡"


def best_worst_gap(
    frame: pl.DataFrame, by: Sequence[str] = ("model",), invalid: Invalid = "exclude"
) -> pl.DataFrame:
    """Best minus worst order pattern, paired within set seeds.

    The two patterns are those with the highest and the lowest mean accuracy over set seeds; of
    equals, the one that ``PATTERNS`` lists first. The gap is the mean of the per-seed differences
    between them, over the seeds in which both have a run that counts: a seed in which one has
    none gives no pair.

    ``mark`` says that pairs were lost: † when one pair is left of two set seeds or more (there
    is no SD), ‡ when two are left of three or more. A design with one or two set seeds that lost
    none has no mark; ``pairs`` and ``seeds`` show its size.

    Args:
        frame: Results, columns as ``RESULTS_SCHEMA``.
        by: Grouping columns, without ``pattern``.
        invalid: What an invalid experiment counts as.

    Returns:
        ``by``, ``best``, ``worst`` (patterns), ``gap`` (0 to 1), ``sd`` (sample SD of the paired
        differences), ``pairs``, ``mark``, ``seeds`` (set seeds in the data), ``best_accuracy``,
        ``worst_accuracy`` (means over their seeds). Null where fewer than two patterns have a run
        that counts, or no seed pairs them.

    Raises:
        UsageError: For an unknown column, or generated and forced answers in one group.
    """
    rows = known_patterns(checked(frame, by, invalid), by)
    if not by:
        whole = rows.with_columns(pl.lit(True).alias(WHOLE))
        return best_worst_gap(whole, (WHOLE,), invalid).drop(WHOLE)
    cells = by_seed(rows, by, invalid, extra=("pattern",))
    groups = grouped(cells, by, pl.col("set_seed").n_unique().cast(pl.Int64).alias("seeds"))
    gaps = (
        groups.join(_chosen(cells, by), on=list(by), how="left", nulls_equal=True)
        .pipe(_with_differences, cells, by)
        .with_columns(pl.col("pairs").fill_null(0))
    )
    pairs, planned = pl.col("pairs"), pl.col("seeds")
    gaps = gaps.with_columns(
        pl.when((pairs == 1) & (planned > 1))
        .then(pl.lit(ONE_PAIR))
        .when((pairs == 2) & (planned > 2))
        .then(pl.lit(TWO_PAIRS))
        .otherwise(pl.lit(""))
        .alias("mark")
    )
    columns = ["best", "worst", "gap", "sd", "pairs", "mark", "seeds"]
    return in_order(gaps.select(*by, *columns, "best_accuracy", "worst_accuracy"), by)


def _chosen(cells: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Best and worst pattern of each group that has two patterns to choose from."""
    ranks = {name: rank for rank, name in enumerate(PATTERNS)}
    means = (
        grouped(
            cells.filter(pl.col("accuracy").is_not_null()),
            [*by, "pattern"],
            # Rounded, so that equal means stay equal however they were summed.
            pl.col("accuracy").mean().round(12).alias("mean"),
        )
        .with_columns(pl.col("pattern").replace_strict(ranks, return_dtype=pl.Int64).alias("_rank"))
        .sort("_rank", maintain_order=True)
    )
    return grouped(
        means,
        by,
        pl.col("pattern").get(pl.col("mean").arg_max()).alias("best"),
        pl.col("pattern").get(pl.col("mean").arg_min()).alias("worst"),
        pl.col("mean").max().alias("best_accuracy"),
        pl.col("mean").min().alias("worst_accuracy"),
        pl.len().alias("_patterns"),
    ).filter(pl.col("_patterns") > 1)


def _with_differences(chosen: pl.DataFrame, cells: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Mean, SD and number of the per-seed differences between the chosen two."""
    roles = cells.join(
        chosen.select(*by, "best", "worst"), on=list(by), how="inner", nulls_equal=True
    )
    seeds = grouped(
        roles,
        list(dict.fromkeys([*by, "set_seed"])),
        (_accuracy_of("best") - _accuracy_of("worst")).alias("difference"),
    )
    differences = grouped(
        seeds,
        by,
        pl.col("difference").mean().alias("gap"),
        pl.col("difference").drop_nulls().std(ddof=1).alias("sd"),
        pl.col("difference").count().cast(pl.Int64).alias("pairs"),
    )
    return chosen.join(differences, on=list(by), how="left", nulls_equal=True)


def _accuracy_of(role: str) -> pl.Expr:
    return pl.col("accuracy").filter(pl.col("pattern") == pl.col(role)).first()
