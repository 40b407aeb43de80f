"""Cluster bootstrap: whole instance sets are drawn anew, with everything that was run on them."""

from __future__ import annotations

import numpy as np

from evenhand._rank import rank_key
from evenhand.analysis._intervals import LEVEL, Floats

DRAWS = 10_000


def generator(purpose: str, seed: int, *group: object) -> np.random.Generator:
    """A generator of its own for each group, so that no group's numbers depend on the others."""
    digest = rank_key(purpose, seed, *(str(part) for part in group))
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))


def set_weights(sets: int, rng: np.random.Generator) -> Floats:
    """How often each of ``sets`` clusters is drawn: shape (DRAWS, sets), rows sum to ``sets``."""
    return rng.multinomial(sets, np.full(sets, 1 / sets), size=DRAWS).astype(np.float64)


def percentile_interval(estimates: Floats, sets: int) -> tuple[float | None, float | None]:
    """Expanded percentile interval of bootstrap estimates (Hesterberg 2015, section 5.3).

    The plain percentile interval is too narrow for few clusters: as if a normal interval were made
    with n instead of n - 1. The tail is widened by what that error would be for a mean.

    Returns:
        Two ends at :data:`LEVEL`; nothing from fewer than two sets.
    """
    from scipy import stats

    known = estimates[np.isfinite(estimates)]
    if sets < 2 or known.size == 0:
        return None, None
    spread = (sets / (sets - 1)) ** 0.5 * stats.t.ppf((1 - LEVEL) / 2, sets - 1)
    tail = float(stats.norm.cdf(spread))
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)


def mean_bootstrap(values: Floats, rng: np.random.Generator) -> tuple[float | None, float | None]:
    """Interval of the mean of one value a set."""
    if values.size < 2:
        return None, None
    drawn = rng.integers(values.size, size=(DRAWS, values.size))
    return percentile_interval(values[drawn].mean(-1), values.size)
