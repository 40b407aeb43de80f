"""Cluster bootstrap: whole instance sets are drawn anew, with everything that was run on them."""

from __future__ import annotations

import numpy as np

from evenhand._rank import rank_key
from evenhand.analysis._intervals import LEVEL, Floats

DRAWS = 10_000
_CHUNK_CELLS = 4_000_000
_SAME = 1e-9
DIFFERENCE = (-1.0, 1.0)
"""Where a difference of two shares can lie."""
SHARE = (0.0, 1.0)


def generator(purpose: str, seed: int, *group: object) -> np.random.Generator:
    """A generator of its own for each group, so that no group's numbers depend on the others."""
    digest = rank_key(purpose, seed, *(str(part) for part in group))
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))


def set_weights(sets: int, rng: np.random.Generator) -> Floats:
    """How often each of ``sets`` clusters is drawn: shape (DRAWS, sets), rows sum to ``sets``."""
    return rng.multinomial(sets, np.full(sets, 1 / sets), size=DRAWS).astype(np.float64)


def percentile_interval(
    estimates: Floats, sets: int, bounds: tuple[float, float] | None
) -> tuple[float | None, float | None]:
    """Expanded percentile interval of bootstrap estimates (Hesterberg 2015, section 5.3).

    The plain percentile interval is too narrow for few clusters: as if a normal interval were made
    with n instead of n - 1. The tail is widened by what that error would be for a mean.

    Sets that are all alike would give an interval of no width, as if there could be no other kind.
    A kind of set of which none was drawn may still be a share of 1 - 0.025^(1/sets) of them (the
    exact binomial bound); the interval then reaches as far as such sets could move the mean.

    Args:
        estimates: One for each draw.
        sets: Number of sets.
        bounds: The least and the largest value that a set can have; None if there are none, and
            sets that are all alike then give no interval.

    Returns:
        Two ends at :data:`LEVEL`; nothing from fewer than two sets.
    """
    from scipy import stats

    known = estimates[np.isfinite(estimates)]
    if sets < 2 or known.size == 0:
        return None, None
    if np.ptp(known) < _SAME:
        if bounds is None:
            return None, None
        centre, unseen = float(known[0]), 1 - ((1 - LEVEL) / 2) ** (1 / sets)
        low, high = (centre + unseen * (bound - centre) for bound in bounds)
        return low, high
    spread = (sets / (sets - 1)) ** 0.5 * stats.t.ppf((1 - LEVEL) / 2, sets - 1)
    tail = float(stats.norm.cdf(spread))
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)


def mean_bootstrap(
    values: Floats, rng: np.random.Generator, bounds: tuple[float, float] | None
) -> tuple[float | None, float | None]:
    """Interval of the mean of one value a set, each within the bounds."""
    if values.size < 2:
        return None, None
    step = max(1, _CHUNK_CELLS // values.size)
    means = [
        values[rng.integers(values.size, size=(min(step, DRAWS - start), values.size))].mean(-1)
        for start in range(0, DRAWS, step)
    ]
    return percentile_interval(np.concatenate(means), values.size, bounds)
