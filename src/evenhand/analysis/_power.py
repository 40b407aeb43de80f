"""How large a gap a design can tell from its null, before anything is run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from evenhand.analysis._bootstrap import generator
from evenhand.analysis._intervals import Floats
from evenhand.design import Experiment
from evenhand.errors import UsageError

SIMULATIONS = 20_000
MOST_SET_SEEDS = 1_000


@dataclass(frozen=True, slots=True)
class GapPower:
    """What a design can see.

    Attributes:
        null_mean: Mean best-worst gap if order did not matter (0 to 1).
        null_95: Its 95th percentile: an observed gap above it has p < 0.05.
        detectable_gap: Smallest true gap that passes ``null_95`` with the wished power; None if
            not even the largest gap possible at this accuracy does.
        accuracy: The accuracy assumed.
        power: The power wished.
    """

    null_mean: float
    null_95: float
    detectable_gap: float | None
    accuracy: float
    power: float


def runs_per_pattern(experiments: Iterable[Experiment]) -> dict[str, int]:
    """How many runs each pattern has; same-order repeats bring no new order and are not counted."""
    runs: dict[str, int] = {}
    for experiment in experiments:
        if experiment.repeat == 0:
            runs[experiment.pattern] = runs.get(experiment.pattern, 0) + 1
    return runs


def gap_power(
    runs: Mapping[str, int],
    *,
    accuracy: float = 0.7,
    power: float = 0.8,
    simulations: int = SIMULATIONS,
    seed: int = 0,
) -> GapPower:
    """Null and detectable gap of a design, by simulation.

    Runs are taken as independent. The true gap is laid in the hardest way: one structured pattern
    half the gap above ``accuracy``, another half below (shifted together where that would pass 0
    or 1), all others at ``accuracy``.

    Args:
        runs: Runs of each pattern a model, as :func:`runs_per_pattern` counts them.
        accuracy: Accuracy to assume, strictly between 0 and 1.
        power: Wished chance that the gap passes the null's 95th percentile.
        simulations: Simulated designs.
        seed: Seed of the simulation.

    Raises:
        UsageError: For fewer than two patterns, or an accuracy or power outside (0, 1).
    """
    _check(runs, accuracy, power)
    sizes = np.array(sorted(runs.values()))
    uniforms = _common_numbers(sizes, simulations, seed)
    nulls = _ranges(uniforms, sizes, np.full(sizes.size, accuracy))
    critical = float(np.quantile(nulls, 0.95))

    def seen(gap: float) -> bool:
        ranges = _ranges(uniforms, sizes, _shifted(sizes.size, accuracy, gap))
        return bool((ranges > critical + 1e-9).mean() >= power)

    detectable: float | None = None
    if seen(1.0):
        low, high = 0.0, 1.0
        while high - low > 0.001:
            middle = (low + high) / 2
            low, high = (low, middle) if seen(middle) else (middle, high)
        detectable = high
    return GapPower(float(nulls.mean()), critical, detectable, accuracy, power)


def set_seeds_needed(
    gap: float,
    runs_per_seed: Mapping[str, int],
    *,
    accuracy: float = 0.7,
    power: float = 0.8,
    simulations: int = 4_000,
    seed: int = 0,
) -> int | None:
    """Fewest set seeds with which a design can tell a true gap from its null.

    Args:
        gap: The wished gap (0 to 1).
        runs_per_seed: Runs of each pattern with one set seed.
        accuracy: Accuracy to assume.
        power: Wished power.
        simulations: Simulated designs at every size tried.
        seed: Seed of the simulation.

    Returns:
        The number of set seeds, or None if it is above 1,000.

    Raises:
        UsageError: For a gap outside (0, 1], and as :func:`gap_power`.
    """
    _check(runs_per_seed, accuracy, power)
    if not 0 < gap <= 1:
        raise UsageError(f"gap = {gap}: a wished gap lies above 0 and is at most 1 (100 points)")

    def enough(seeds: int) -> bool:
        sizes = np.array(sorted(runs_per_seed.values())) * seeds
        uniforms = _common_numbers(sizes, simulations, seed)
        critical = np.quantile(_ranges(uniforms, sizes, np.full(sizes.size, accuracy)), 0.95)
        ranges = _ranges(uniforms, sizes, _shifted(sizes.size, accuracy, gap))
        return bool((ranges > critical + 1e-9).mean() >= power)

    high = 1
    while not enough(high):
        if high >= MOST_SET_SEEDS:
            return None
        high = min(2 * high, MOST_SET_SEEDS)
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _check(runs: Mapping[str, int], accuracy: float, power: float) -> None:
    if len(runs) < 2 or min(runs.values()) < 1:
        raise UsageError("a gap needs two order patterns or more, each with a run")
    for name, value in (("accuracy", accuracy), ("power", power)):
        if not 0 < value < 1:
            raise UsageError(f"{name} = {value}: choose a number between 0 and 1, both excluded")


def _common_numbers(sizes: Floats, simulations: int, seed: int) -> Floats:
    """The same random numbers for every gap tried, so that power grows smoothly with the gap."""
    return generator("power", seed).random((simulations, sizes.size))


def _ranges(uniforms: Floats, sizes: Floats, accuracy: Floats) -> Floats:
    from scipy import stats

    shares = np.empty_like(uniforms)
    for k, (size, share) in enumerate(zip(sizes, accuracy, strict=True)):
        steps = stats.binom.cdf(np.arange(size + 1), size, share)
        shares[:, k] = np.minimum(np.searchsorted(steps, uniforms[:, k]), size) / size
    ranges: Floats = shares.max(-1) - shares.min(-1)
    return ranges


def _shifted(patterns: int, accuracy: float, gap: float) -> Floats:
    """The two patterns with the fewest runs carry the gap."""
    top = min(max(accuracy + gap / 2, gap), 1.0)
    shares = np.full(patterns, accuracy)
    shares[:2] = top, max(top - gap, 0.0)
    return shares
