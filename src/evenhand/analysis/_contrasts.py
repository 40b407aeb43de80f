"""Planned comparisons of order patterns, paired within instance sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from evenhand.analysis._bootstrap import DIFFERENCE, generator, mean_bootstrap
from evenhand.analysis._holm import holm
from evenhand.analysis._intervals import Floats
from evenhand.analysis._margin import ORIENTED, ORIENTING, oriented
from evenhand.analysis._null import PERMUTATIONS, cell_accuracy
from evenhand.analysis._partition import Invalid, checked, in_order
from evenhand.analysis._permute import Blocks, positive_draws, split_blocks
from evenhand.design import STRUCTURED_PATTERNS

_SAME = 1e-9
Value = Literal["accuracy", "margin"]


@dataclass(frozen=True, slots=True)
class Contrast:
    """Mean of the ``plus`` patterns less mean of the ``minus`` patterns."""

    name: str
    plus: tuple[str, ...]
    minus: tuple[str, ...]


CONTRASTS: tuple[Contrast, ...] = (
    Contrast("first − last", ("majority-first",), ("majority-last",)),
    Contrast("first − middle", ("majority-first",), ("majority-middle",)),
    Contrast("edges − middle", ("majority-edges",), ("majority-middle",)),
    Contrast("block − soft", STRUCTURED_PATTERNS[:4], STRUCTURED_PATTERNS[4:]),
    *(Contrast(f"{name} − random", (name,), ("random",)) for name in STRUCTURED_PATTERNS),
)
"""Fixed before any result is seen: block patterns are the four contiguous ones of 3.3."""


def contrasts(
    frame: pl.DataFrame,
    by: Sequence[str] = ("model",),
    invalid: Invalid = "exclude",
    *,
    planned: Sequence[Contrast] = CONTRASTS,
    value: Value = "accuracy",
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> pl.DataFrame:
    """Differences between order patterns, with intervals and Holm-adjusted p-values.

    Each instance set gives one difference; sets in which a pattern of the contrast has no run that
    counts are left out. The interval redraws sets (cluster bootstrap). The two-sided p-value deals
    the labels anew among the runs of the contrast's own patterns, within the set.

    Args:
        frame: Results, columns as ``RESULTS_SCHEMA``.
        by: Grouping columns, without ``pattern``.
        invalid: What an invalid experiment counts as.
        planned: The contrasts.
        value: ``accuracy``, or ``margin`` for the margin of forced choices towards the majority
            (natural-log units; rows without a margin are left out).
        permutations: How many times labels are dealt.
        seed: Seed of dealing and bootstrap.

    Returns:
        ``by``, ``contrast``, ``difference`` (mean over sets; -1 to 1 for accuracy), ``low``,
        ``high`` (95%), ``p_value``, ``p_holm`` (adjusted over the contrasts of the group),
        ``sets``. A contrast whose patterns were not run together in any set has nulls and 0 sets.

    Raises:
        UsageError: For an unknown column, or generated and forced answers in one group.
    """
    rows = checked(frame, by, invalid, also=ORIENTING if value == "margin" else ())
    draws, score = positive_draws(permutations), "correct"
    if value == "margin":
        rows, score = oriented(rows), ORIENTED
    bounds = DIFFERENCE if value == "accuracy" else None
    schema = {name: rows.schema[name] for name in by} | {
        "contrast": pl.String(),
        "difference": pl.Float64(),
        "low": pl.Float64(),
        "high": pl.Float64(),
        "p_value": pl.Float64(),
        "sets": pl.Int64(),
    }
    found: dict[tuple[object, ...], list[dict[str, object]]] = {}
    for key, _ in split_blocks(rows, by, invalid, score):
        found[key] = [dict(zip(by, key, strict=True)) | _empty(c) for c in planned]
    for at, contrast in enumerate(planned):
        needed = rows.filter(pl.col("pattern").is_in([*contrast.plus, *contrast.minus]))
        for key, blocks in split_blocks(needed, by, invalid, score):
            rng = generator("contrast " + contrast.name, seed, *key)
            found[key][at] |= _measure(contrast, blocks, draws, rng, bounds)
    groups = [holm(pl.DataFrame(values, schema=schema)) for values in found.values()]
    empty = pl.DataFrame(schema={**schema, "p_holm": pl.Float64()})
    columns = [*by, "contrast", "difference", "low", "high", "p_value", "p_holm", "sets"]
    return in_order(pl.concat([empty, *groups]).select(columns), by)


def _empty(contrast: Contrast) -> dict[str, object]:
    return {"contrast": contrast.name, "sets": 0}


def _measure(
    contrast: Contrast,
    blocks: Blocks,
    draws: int,
    rng: np.random.Generator,
    bounds: tuple[float, float] | None,
) -> dict[str, object]:
    if not {*contrast.plus, *contrast.minus} <= set(blocks.patterns):
        return {}
    signs = np.array(
        [
            1 / len(contrast.plus) if name in contrast.plus else -1 / len(contrast.minus)
            for name in blocks.patterns
        ]
    )

    def difference(right: Floats, runs: Floats) -> Floats:
        return np.asarray(cell_accuracy(right, runs) @ signs, dtype=np.float64)

    differences = difference(*blocks.observed())
    known = ~np.isnan(differences)
    if not known.any():
        return {}
    _, sets = np.unique(blocks.sets[known], return_inverse=True)
    per_set = np.bincount(sets, differences[known]) / np.bincount(sets)
    observed = float(per_set.mean())
    nulls = _set_mean(blocks.permuted_blockwise(difference, draws, rng), blocks)
    nulls = nulls[~np.isnan(nulls)]
    low, high = mean_bootstrap(per_set, rng, bounds)
    extreme = (np.abs(nulls) >= abs(observed) - _SAME).sum()
    return {
        "difference": observed,
        "low": low,
        "high": high,
        "p_value": float((1 + extreme) / (1 + nulls.size)),
        "sets": int(per_set.size),
    }


def _set_mean(differences: Floats, blocks: Blocks) -> Floats:
    """Mean over sets of the means over their blocks; shape (draws, blocks) to (draws,)."""
    member = np.equal.outer(blocks.sets, np.arange(int(blocks.sets.max()) + 1)).astype(np.float64)
    known = ~np.isnan(differences)
    weights = known @ member
    weights = np.divide(1, weights, out=np.zeros_like(weights), where=weights > 0)
    means = (np.where(known, differences, 0.0) @ member) * weights
    sets = (weights > 0).sum(-1)
    average: Floats = np.divide(
        means.sum(-1), sets, out=np.full(sets.shape, np.nan), where=sets > 0
    )
    return average
