"""Contract: every statistic reads a results table of its own types, and refuses another in words.

Frames come from anywhere: a user's Parquet, a join, a CSV. What cannot be read is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl
import pytest

from evenhand import analysis
from evenhand.design import PATTERNS
from evenhand.errors import UsageError

Table = Callable[..., pl.DataFrame]
Statistic = Callable[[pl.DataFrame], pl.DataFrame]

STATISTICS: Sequence[Statistic] = (
    analysis.accuracy,
    analysis.invalid_rate,
    analysis.outcome_shares,
    analysis.invalid_bounds,
    analysis.best_worst_gap,
    analysis.gap_null,
    analysis.contrasts,
    analysis.split_half_gap,
    analysis.flip_rate,
    analysis.original_against_orderings,
    analysis.pooling_warnings,
    analysis.label_bias,
    analysis.oriented_margin,
    analysis.overview_table,
    analysis.all_experiments_table,
    analysis.budget_table,
    analysis.accuracy_by_pattern,
    analysis.error_types,
    analysis.counts_grid,
    analysis.variant_changes,
    analysis.core_rows,
)
each = pytest.mark.parametrize("statistic", STATISTICS, ids=lambda one: one.__name__)


@pytest.fixture
def frame(table: Table) -> pl.DataFrame:
    return table([{"pattern": name, "set_seed": seed} for name in PATTERNS for seed in range(2)])


@each
@pytest.mark.parametrize(
    "column",
    ["pool", "pattern", "order_seed", "set_seed", "variant", "answer_mode", "valid", "correct"],
)
def test_a_missing_column_is_named(frame: pl.DataFrame, statistic: Statistic, column: str) -> None:
    with pytest.raises(UsageError, match=f"no column {column}"):
        statistic(frame.drop(column))


@pytest.mark.parametrize(
    "statistic",
    [
        analysis.best_worst_gap,
        analysis.gap_null,
        analysis.contrasts,
        analysis.split_half_gap,
        analysis.overview_table,
        analysis.all_experiments_table,
    ],
    ids=lambda one: one.__name__,
)
@pytest.mark.parametrize("pattern", ["zigzag", None])
def test_an_unknown_pattern_is_refused(
    frame: pl.DataFrame, statistic: Statistic, pattern: str | None
) -> None:
    odd = frame.with_columns(
        pl.when(pl.col("experiment_id") == "e3")
        .then(pl.lit(pattern))
        .otherwise("pattern")
        .alias("pattern")
    )
    with pytest.raises(UsageError, match=f"experiment e3 \\({pattern}\\) has an unknown pattern"):
        statistic(odd)


@each
@pytest.mark.parametrize(
    "row", [(None, False), (True, None), (False, True)], ids=["null", "null too", "contradiction"]
)
def test_valid_and_correct_make_sense(
    frame: pl.DataFrame, statistic: Statistic, row: tuple[bool | None, bool | None]
) -> None:
    odd = frame.with_columns(
        pl.lit(row[0], pl.Boolean).alias("valid"), pl.lit(row[1], pl.Boolean).alias("correct")
    )
    with pytest.raises(UsageError, match=r"experiment e0 .* valid and correct"):
        statistic(odd)


@each
def test_other_types_of_the_same_values_are_read(frame: pl.DataFrame, statistic: Statistic) -> None:
    loose = frame.with_columns(
        pl.col("correct", "valid").cast(pl.Int8),
        pl.col("pattern", "outcome", "variant").cast(pl.Categorical),
        pl.col("set_seed", "n").cast(pl.UInt16),
    )
    found = statistic(loose)
    same = [name for name in found.columns if name not in loose.columns]
    assert found.select(same).equals(statistic(frame).select(same))


COMPARING: Sequence[Callable[..., pl.DataFrame]] = (
    analysis.best_worst_gap,
    analysis.gap_null,
    analysis.contrasts,
    analysis.split_half_gap,
)


@pytest.mark.parametrize("statistic", COMPARING, ids=lambda one: one.__name__)
def test_patterns_are_not_compared_within_a_pattern(
    frame: pl.DataFrame, statistic: Callable[..., pl.DataFrame]
) -> None:
    with pytest.raises(UsageError, match="leave pattern out of the grouping"):
        statistic(frame, ("model", "pattern"))


@pytest.mark.parametrize("by", ["model", ("model", "model")])
def test_a_grouping_is_different_columns(frame: pl.DataFrame, by: Sequence[str]) -> None:
    for statistic in (analysis.accuracy, analysis.flip_rate, analysis.best_worst_gap):
        with pytest.raises(UsageError, match="give different columns"):
            statistic(frame, by)


@pytest.mark.parametrize("permutations", [0, -1])
def test_labels_are_dealt_at_least_once(frame: pl.DataFrame, permutations: int) -> None:
    for statistic in (analysis.gap_null, analysis.contrasts):
        with pytest.raises(UsageError, match=f"permutations = {permutations}"):
            statistic(frame, permutations=permutations)


def test_words_for_truth_are_refused(frame: pl.DataFrame) -> None:
    with pytest.raises(UsageError, match="column correct of the results holds String values"):
        analysis.accuracy(frame.with_columns(pl.col("correct").cast(pl.String)))


@pytest.mark.parametrize("margin", [float("nan"), float("inf"), float("-inf")])
def test_an_endless_margin_is_refused(frame: pl.DataFrame, margin: float) -> None:
    forced = frame.with_columns(pl.lit("forced").alias("answer_mode"), margin=pl.lit(margin))
    for statistic in (analysis.oriented_margin, analysis.label_bias):
        with pytest.raises(UsageError, match="experiment e0: a margin of"):
            statistic(forced)
