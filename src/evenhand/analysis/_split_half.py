"""The gap with its patterns chosen on some set seeds and measured on the others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

import numpy as np
import polars as pl

from evenhand.analysis._bootstrap import generator
from evenhand.analysis._intervals import Floats
from evenhand.analysis._null import cell_accuracy, gap_of, seed_mean
from evenhand.analysis._partition import Invalid, checked, in_order
from evenhand.analysis._permute import Ints, split_blocks

_ALL_SPLITS_UP_TO = 1_000


def split_half_gap(
    frame: pl.DataFrame,
    by: Sequence[str] = ("model",),
    invalid: Invalid = "exclude",
    *,
    seed: int = 0,
) -> pl.DataFrame:
    """The gap that the patterns chosen on one part of the set seeds show on the other part.

    The larger half of the seeds chooses best and worst, the rest measures the difference. Nothing
    is chosen on what is measured, so the expectation is zero where order does not matter. The mean
    over all splits is returned (over 1,000 random ones where there are more).

    Returns:
        ``by``, ``split_half_gap`` (-1 to 1), ``splits`` (that gave a value), ``seeds``. Null with
        fewer than two set seeds.

    Raises:
        UsageError: For an unknown column, or generated and forced answers in one group.
    """
    rows = checked(frame, by, invalid)
    found = []
    for key, blocks in split_blocks(rows, by, invalid):
        right, runs = (blocks.seed_sums(cells) for cells in blocks.observed())
        seeds = right.shape[0]
        splits = _splits(seeds, generator("split half", seed, *key)) if seeds > 1 else []
        measured = np.array([_measured(right, runs, chosen) for chosen in splits])
        measured = measured[~np.isnan(measured)]
        gap = float(measured.mean()) if measured.size else None
        found.append(
            dict(zip(by, key, strict=True))
            | {"split_half_gap": gap, "splits": int(measured.size), "seeds": seeds}
        )
    schema = {name: rows.schema[name] for name in by} | {
        "split_half_gap": pl.Float64(),
        "splits": pl.Int64(),
        "seeds": pl.Int64(),
    }
    return in_order(pl.DataFrame(found, schema=schema), by)


def _splits(seeds: int, rng: np.random.Generator) -> list[Ints]:
    half = (seeds + 1) // 2
    if comb(seeds, half) <= _ALL_SPLITS_UP_TO:
        return [np.array(chosen) for chosen in combinations(range(seeds), half)]
    return [rng.permutation(seeds)[:half] for _ in range(_ALL_SPLITS_UP_TO)]


def _measured(right: Floats, runs: Floats, chosen: Ints) -> float:
    gap, best, worst = gap_of(right[chosen], runs[chosen])
    if np.isnan(gap):
        return float("nan")
    rest = cell_accuracy(np.delete(right, chosen, 0), np.delete(runs, chosen, 0))
    return float(seed_mean((rest[:, int(best)] - rest[:, int(worst)])[:, None])[0])
