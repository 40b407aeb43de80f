"""What the gap would be if order did not matter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from evenhand.analysis._bootstrap import DIFFERENCE, generator, percentile_interval, set_weights
from evenhand.analysis._intervals import Floats
from evenhand.analysis._partition import Invalid, checked, in_order
from evenhand.analysis._permute import Blocks, Ints, positive_draws, split_blocks

PERMUTATIONS = 10_000
_SAME = 1e-9


def gap_null(
    frame: pl.DataFrame,
    by: Sequence[str] = ("model",),
    invalid: Invalid = "exclude",
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> pl.DataFrame:
    """The best-worst gap beside its permutation null and an interval.

    The best of seven patterns beats the worst of them even where order does not matter. The null
    deals the pattern labels anew within (model, task, majority label, set seed) and condition,
    random keeping its number of order seeds, and takes the same gap each time, choice of patterns
    included. An invalid run keeps its validity and moves with the run.

    Args:
        frame: Results, columns as ``RESULTS_SCHEMA``.
        by: Grouping columns, without ``pattern``.
        invalid: What an invalid experiment counts as.
        permutations: How many times labels are dealt.
        seed: Seed of dealing and bootstrap; each group has a stream of its own.

    Returns:
        ``by``, ``gap`` (as :func:`best_worst_gap`), ``null_mean``, ``null_95`` (95th percentile),
        ``excess`` (gap less null mean), ``p_value`` ((1 + nulls at least as large) / (1 + nulls)),
        ``low``, ``high`` (95% cluster bootstrap of the difference between the two chosen patterns,
        instance sets redrawn, choice held fixed: it shows spread, the p-value judges), and
        ``permutations``. Null where there is no gap.

    Raises:
        UsageError: For an unknown column, or generated and forced answers in one group.
    """
    rows = checked(frame, by, invalid)
    draws = positive_draws(permutations)
    found = []
    for key, blocks in split_blocks(rows, by, invalid):
        rng = generator("gap null", seed, *key)
        values = _null_of(blocks, draws, rng)
        found.append(dict(zip(by, key, strict=True)) | values | {"permutations": draws})
    schema = {name: rows.schema[name] for name in by} | dict.fromkeys(
        ("gap", "null_mean", "null_95", "excess", "p_value", "low", "high"), pl.Float64()
    )
    return in_order(pl.DataFrame(found, schema={**schema, "permutations": pl.Int64()}), by)


def gap_of(right: Floats, runs: Floats) -> tuple[Floats, Ints, Ints]:
    """Gap, best and worst pattern of cells of shape (..., seeds, K); NaN without a pair."""
    accuracy = cell_accuracy(right, runs)
    means = seed_mean(accuracy).round(12)
    best = np.where(np.isnan(means), -np.inf, means).argmax(-1)
    worst = np.where(np.isnan(means), np.inf, means).argmin(-1)
    difference = _pick(accuracy, best) - _pick(accuracy, worst)
    gap = seed_mean(difference[..., None])[..., 0]
    choices = (~np.isnan(means)).sum(-1)
    return np.where(choices > 1, gap, np.nan), best, worst


def cell_accuracy(right: Floats, runs: Floats) -> Floats:
    """Right over counted, NaN where nothing counts."""
    accuracy: Floats = np.divide(right, runs, out=np.full(right.shape, np.nan), where=runs > 0)
    return accuracy


def seed_mean(cells: Floats) -> Floats:
    """Mean over the last axis but one, NaN cells left out; NaN where all are."""
    known = ~np.isnan(cells)
    count = known.sum(-2)
    total = np.where(known, cells, 0.0).sum(-2)
    means: Floats = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return means


def _pick(cells: Floats, pattern: Ints) -> Floats:
    index = np.broadcast_to(np.expand_dims(pattern, (-2, -1)), (*cells.shape[:-1], 1))
    return np.take_along_axis(cells, index, axis=-1)[..., 0]


def _null_of(blocks: Blocks, draws: int, rng: np.random.Generator) -> dict[str, float | None]:
    right, runs = blocks.observed()
    gap, best, worst = gap_of(blocks.seed_sums(right), blocks.seed_sums(runs))
    if np.isnan(gap):
        return {}
    nulls = np.concatenate(
        [
            gap_of(blocks.seed_sums(r), blocks.seed_sums(c))[0]
            for r, c in blocks.permuted(draws, rng)
        ]
    )
    nulls = nulls[~np.isnan(nulls)]
    low, high = _interval(blocks, int(best), int(worst), rng)
    return {
        "gap": float(gap),
        "null_mean": float(nulls.mean()),
        "null_95": float(np.quantile(nulls, 0.95)),
        "excess": float(gap - nulls.mean()),
        "p_value": float((1 + (nulls >= gap - _SAME).sum()) / (1 + nulls.size)),
        "low": low,
        "high": high,
    }


def _interval(
    blocks: Blocks, best: int, worst: int, rng: np.random.Generator
) -> tuple[float | None, float | None]:
    right, runs = blocks.observed()
    pair = [best, worst]
    sets = int(blocks.sets.max()) + 1
    weights = set_weights(sets, rng)[:, blocks.sets]
    drawn = cell_accuracy(weights @ right[:, pair], weights @ runs[:, pair])
    return percentile_interval(drawn[:, 0] - drawn[:, 1], sets, DIFFERENCE)
