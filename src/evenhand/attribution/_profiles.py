"""Profiles: shares averaged over replays, by position (5.2.2, F.2 to F.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.errors import UsageError

Floats = NDArray[np.float64]

INSTANCES_A_BIN, LEAST_BINS = 10, 20
"""Ten instances a bin, as the paper has them, and fewer in short lists, which else had no shape."""
RELATIVE_BINS = 20
LEVEL = 0.95
_SET = ("task", "n", "p", "majority_label", "set_seed")
"""What one instance set is known by."""
PROFILE_SCHEMA: dict[str, pl.DataType] = {
    "bin": pl.Int64(),
    "first": pl.Float64(),
    "last": pl.Float64(),
    "share": pl.Float64(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "push": pl.Float64(),
    "region": pl.String(),
    "replays": pl.Int64(),
    "sets": pl.Int64(),
    "accuracy": pl.Float64(),
}
"""Columns beside the grouping ones. ``first`` and ``last`` are instance ids, or positions from 0 to
1 in relative profiles. ``low`` and ``high`` bound the mean share at 95%, over instance sets; null
with one set. ``region`` is ``majority``, ``minority`` or ``alternating``, null where replays differ
in it or a bin holds parts of two (:func:`region_bands` has their exact bounds). ``accuracy`` is
that of the same replays."""


def order_profile(
    frame: pl.DataFrame, by: Sequence[str] = ("model", "task", "pattern")
) -> pl.DataFrame:
    """Profiles in bins of consecutive instances (Figures 7 and 24 to 32).

    A bin holds ten instances, and fewer where there would be less than twenty bins.

    Args:
        frame: From :func:`evenhand.attribution.attributions`, of one run or several.
        by: Grouping columns; ``n`` is always one.

    Returns:
        ``by``, ``n`` and the columns of ``PROFILE_SCHEMA``.
    """
    rows: list[dict[str, object]] = []
    keys = list(dict.fromkeys([*by, "n"]))
    for key, part in _groups(frame, keys):
        n = int(part["n"][0])
        edges = [*range(0, n, bin_size(n)), n]
        names = [(lo + 1, hi) for lo, hi in pairwise(edges)]
        rows += _profile(key, part, edges, names, tasks_equally=False)
    return _table(rows, frame, keys)


def overall_profile(frame: pl.DataFrame, by: Sequence[str] = ("model",)) -> pl.DataFrame:
    """The structured patterns and all tasks pooled, in the same bins (Figure 6).

    Args:
        frame: As for :func:`order_profile`.
        by: Grouping columns; ``n`` is always one.
    """
    return order_profile(frame.filter(pl.col("pattern") != "random"), by)


def relative_profile(frame: pl.DataFrame, by: Sequence[str] = ("model", "n")) -> pl.DataFrame:
    """Profiles over twenty bins of relative position (Figures 33 to 35).

    Replays count equally within a task, and tasks equally.

    Args:
        frame: As for :func:`order_profile`.
        by: Grouping columns: ``n``, ``p`` or ``variant`` beside the model.

    Raises:
        UsageError: If a replay has fewer than twenty instances.
    """
    rows: list[dict[str, object]] = []
    names = [(at / RELATIVE_BINS, (at + 1) / RELATIVE_BINS) for at in range(RELATIVE_BINS)]
    for key, part in _groups(frame, list(by)):
        rows += _profile(key, part, None, names, tasks_equally=True)
    return _table(rows, frame, list(by))


def single_profile(frame: pl.DataFrame, experiment_id: str) -> pl.DataFrame:
    """One replay, a row an instance.

    Returns:
        ``instance`` (from 1), ``majority``, ``share``, ``push``.

    Raises:
        UsageError: If it has no attribution.
    """
    rows = frame.filter((pl.col("experiment_id") == experiment_id) & pl.col("reason").is_null())
    if rows.is_empty():
        raise UsageError(f"{experiment_id} has no attribution")
    return rows.head(1).select(
        pl.int_ranges(1, pl.col("share").list.len() + 1).explode().alias("instance"),
        pl.col("majority").explode(),
        pl.col("share").explode(),
        pl.col("push").explode(),
    )


def bin_size(n: int) -> int:
    """Instances of a bin in a list of ``n``."""
    return max(1, min(INSTANCES_A_BIN, n // LEAST_BINS))


def region_bands(
    frame: pl.DataFrame, by: Sequence[str] = ("model", "task", "pattern")
) -> pl.DataFrame:
    """Where majority, minority and alternating labels stand, to the instance.

    Args:
        frame: As for :func:`order_profile`.
        by: Grouping columns; ``n`` is always one.

    Returns:
        ``by``, ``n``, ``region``, and the ids ``first`` and ``last`` of its instances; no rows
        for a group whose replays differ in it.
    """
    rows: list[dict[str, object]] = []
    keys = list(dict.fromkeys([*by, "n"]))
    for key, part in _groups(frame, keys):
        at = 0
        for region, run in groupby(_common_regions(part) or ()):
            length = len(list(run))
            rows.append({**key, "region": region, "first": at + 1, "last": at + length})
            at += length
    schema: dict[str, Any] = {name: frame.schema[name] for name in keys}
    bounds = {"region": pl.String(), "first": pl.Int64(), "last": pl.Int64()}
    return pl.DataFrame(rows, schema={**schema, **bounds})


def regions(majority: Sequence[bool]) -> list[str]:
    """For each instance whether it stands in a block of one label or where labels alternate."""
    found: list[str] = []
    at = 0
    while at < len(majority):
        end = at
        while end < len(majority) and majority[end] == majority[at]:
            end += 1
        block = "majority" if majority[at] else "minority"
        edge = at == 0 or end == len(majority)
        # Where labels alternate, neighbours differ; two alike stand where two regions meet.
        single = end - at == 1 or (end - at == 2 and edge and len(majority) > 4)
        found += ["alternating" if single else block] * (end - at)
        at = end
    return found


def _groups(
    frame: pl.DataFrame, keys: list[str]
) -> Iterator[tuple[dict[str, object], pl.DataFrame]]:
    known = frame.filter(pl.col("reason").is_null())
    for values, part in known.group_by(keys, maintain_order=True):
        yield dict(zip(keys, values, strict=True)), part


def _profile(
    key: Mapping[str, object],
    part: pl.DataFrame,
    edges: Sequence[int] | None,
    names: Sequence[tuple[float, float]],
    *,
    tasks_equally: bool,
) -> list[dict[str, object]]:
    share = np.stack([_binned(one, edges) for one in part["share"].to_list()])
    push = np.stack([_binned(one, edges) for one in part["push"].to_list()])
    tasks = part["task"].to_numpy()
    sets = np.array(["/".join(map(str, row)) for row in part.select(_SET).iter_rows()])
    weights = np.full(len(share), 1 / len(share))
    if tasks_equally:
        names_of, inverse, counts = np.unique(tasks, return_inverse=True, return_counts=True)
        weights = 1 / (counts[inverse] * len(names_of))
    low, high, count = _interval(share, weights, sets)
    where = _regions(part, edges, len(names))
    correct = float(np.average(part["correct"].to_numpy().astype(float), weights=weights))
    mean, signed = _average(share, weights), _average(push, weights)
    return [
        {
            **key,
            "bin": at,
            "first": float(first),
            "last": float(last),
            "share": mean[at],
            "low": low[at],
            "high": high[at],
            "push": signed[at],
            "region": where[at],
            "replays": len(share),
            "sets": count,
            "accuracy": correct,
        }
        for at, (first, last) in enumerate(names)
    ]


def _binned(values: Sequence[float | None], edges: Sequence[int] | None) -> Floats:
    """Means within bins; not-a-number where no instance of a bin has a value."""
    row = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    if edges is None:
        if row.size < RELATIVE_BINS:
            raise UsageError(
                f"a profile over {RELATIVE_BINS} relative positions needs at least as many "
                f"instances, and a replay has {row.size}"
            )
        edges = [at * row.size // RELATIVE_BINS for at in range(RELATIVE_BINS + 1)]
    starts = np.asarray(edges[:-1])
    known = np.isfinite(row)
    sums = np.add.reduceat(np.where(known, row, 0.0), starts)
    counts = np.add.reduceat(known.astype(np.float64), starts)
    result: Floats = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return result


def _average(rows: Floats, weights: Floats) -> list[float | None]:
    known = np.isfinite(rows)
    weight = (weights[:, None] * known).sum(0)
    total = (weights[:, None] * np.where(known, rows, 0.0)).sum(0)
    return [float(a / b) if b > 0 else None for a, b in zip(total, weight, strict=True)]


def _interval(
    rows: Floats, weights: Floats, sets: NDArray[np.str_]
) -> tuple[list[float | None], list[float | None], int]:
    """Student's interval of the mean over instance sets, whose replays stand or fall together.

    The weighted mean's variance is that of its sets' weighted deviations (a ratio estimator).
    """
    from scipy import stats

    _, inverse = np.unique(sets, return_inverse=True)
    count = int(inverse.max()) + 1
    if count < 2:
        nothing: list[float | None] = [None] * rows.shape[1]
        return nothing, nothing, count
    known = np.isfinite(rows)
    weight = np.where(known, weights[:, None], 0.0)
    total = weight.sum(0)
    mean = np.divide(
        (weight * np.where(known, rows, 0.0)).sum(0),
        total,
        out=np.full(total.shape, np.nan),
        where=total > 0,
    )
    deviations = weight * np.where(known, rows - mean, 0.0)
    by_set = np.zeros((count, rows.shape[1]))
    np.add.at(by_set, inverse, deviations)
    variance = (by_set**2).sum(0) * count / (count - 1) / np.where(total > 0, total, 1) ** 2
    half = stats.t.ppf((1 + LEVEL) / 2, count - 1) * np.sqrt(variance)
    # A share is not negative, so neither is its interval.
    low, high = np.maximum(mean - half, 0.0), mean + half
    return _or_none(low), _or_none(high), count


def _or_none(values: Floats) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


def _regions(part: pl.DataFrame, edges: Sequence[int] | None, bins: int) -> list[str | None]:
    where = _common_regions(part)
    if edges is None or where is None:
        return [None] * bins
    insides = [set(where[lo:hi]) for lo, hi in pairwise(edges)]
    return [next(iter(inside)) if len(inside) == 1 else None for inside in insides]


def _common_regions(part: pl.DataFrame) -> list[str] | None:
    """Each instance's region, where all replays have the same and labels are known."""
    orders = {tuple(one) for one in part["majority"].to_list()}
    if len(orders) != 1:
        return None
    [order] = orders
    return None if None in order else regions(order)


def _table(rows: list[dict[str, object]], frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    schema: dict[str, Any] = {name: frame.schema[name] for name in keys}
    return pl.DataFrame(rows, schema={**schema, **PROFILE_SCHEMA})
