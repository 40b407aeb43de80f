"""The reference calculation: how often counting with errors alone misses the majority (C.4)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from evenhand.design._experiment import proportion
from evenhand.design._select import split_count
from evenhand.errors import UsageError

MOST_INSTANCES = 1_000_000
"""Up to here the sums take less than a second."""
_WINDOW_SDS = 40


@dataclass(frozen=True, slots=True)
class Reference:
    """What independent predictions, each right with a given chance, add up to (C.4).

    Z is the number of instances predicted as the majority label.

    Attributes:
        n: Instances.
        p: Majority proportion, as written.
        majority: Majority instances.
        minority: Minority instances.
        q: Chance that a majority instance is predicted right.
        q_minority: Chance that a minority instance is predicted right.
        expected: E[Z].
        sd: SD of Z.
        sds_above_tie: (E[Z] - n/2) / SD, or None when the SD is zero.
        reversed: P(Z < n/2), exact: the answer is the wrong label.
        tied: P(Z = n/2), exact; a tie is wrong too.
        failed: P(Z <= n/2), exact: reversed or tied.
    """

    n: int
    p: str
    majority: int
    minority: int
    q: float
    q_minority: float
    expected: float
    sd: float
    sds_above_tie: float | None
    reversed: float
    tied: float
    failed: float


def reference(
    n: int, p: str | float | Decimal, q: float, q_minority: float | None = None
) -> Reference:
    """Compute the idealised reference of C.4.

    Args:
        n: Instances, 1,000,000 at most.
        p: Majority proportion; ``p * n`` must be whole.
        q: Accuracy on single instances, 0 to 1; on majority ones if ``q_minority`` is given.
        q_minority: Accuracy on minority instances; None for the same.

    Returns:
        Moments, and probabilities summed exactly over both binomials (no normal approximation).

    Raises:
        UsageError: If ``p * n`` is not whole, n is too large or an accuracy is outside [0, 1].
    """
    if n > MOST_INSTANCES:
        raise UsageError(
            f"n = {n:,}: the reference calculation goes up to n = {MOST_INSTANCES:,}; "
            "choose a smaller one"
        )
    majority, minority = split_count(n, p)
    other = q if q_minority is None else q_minority
    for name, value in (("q", q), ("q_minority", other)):
        if not 0 <= value <= 1:
            raise UsageError(f"{name} = {value}: an accuracy lies between 0 and 1, such as 0.9")
    expected = majority * q + minority * (1 - other)
    sd = (majority * q * (1 - q) + minority * other * (1 - other)) ** 0.5
    wrong, tied = _failures(majority, minority, q, other)
    return Reference(
        n=n,
        p=format(proportion(p), "f"),
        majority=majority,
        minority=minority,
        q=q,
        q_minority=other,
        expected=expected,
        sd=sd,
        sds_above_tie=(expected - n / 2) / sd if sd else None,
        reversed=wrong,
        tied=tied,
        failed=wrong + tied,
    )


def accuracy_needed(
    n: int, p: str | float | Decimal, reliability: float, q_minority: float | None = None
) -> float | None:
    """The smallest q at which the majority comes out right with the wished probability.

    Args:
        n: Instances, 1,000,000 at most.
        p: Majority proportion; ``p * n`` must be whole.
        reliability: Wished P(Z > n/2), strictly between 0 and 1.
        q_minority: Accuracy on minority instances, held fixed while q varies; None to let both
            vary together.

    Returns:
        q to within 1e-9, or None if even q = 1 is not enough.

    Raises:
        UsageError: If ``p * n`` is not whole, or a number is out of range.
    """
    from scipy import optimize

    if not 0 < reliability < 1:
        raise UsageError(
            f"reliability = {reliability}: choose a probability between 0 and 1, both excluded"
        )
    reference(n, p, 1.0, q_minority)
    majority, minority = split_count(n, p)

    def shortfall(q: float) -> float:
        other = q if q_minority is None else q_minority
        return sum(_failures(majority, minority, q, other)) - (1 - reliability)

    if shortfall(1.0) > 0:
        return None
    return float(optimize.brentq(shortfall, 0.0, 1.0, xtol=1e-10))


def _failures(majority: int, minority: int, q: float, q_minority: float) -> tuple[float, float]:
    """P(Z < n/2) and P(Z = n/2): for every count of majority hits, what the minority must add."""
    from scipy import stats

    n = majority + minority
    hits = _likely(majority, q)
    chance = stats.binom.pmf(hits, majority, q)
    below = stats.binom.cdf((n - 1) // 2 - hits, minority, 1 - q_minority)
    tied = stats.binom.pmf(n // 2 - hits, minority, 1 - q_minority) if n % 2 == 0 else 0.0
    return float(np.sum(chance * below)), float(np.sum(chance * tied))


def _likely(count: int, q: float) -> NDArray[np.int64]:
    """Counts within 40 SDs of the mean: what lies outside is below the smallest double."""
    centre, reach = count * q, _WINDOW_SDS * (count * q * (1 - q)) ** 0.5 + 50
    return np.arange(max(0, int(centre - reach)), min(count, int(centre + reach)) + 1)
