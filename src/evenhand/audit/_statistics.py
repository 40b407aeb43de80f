"""Whether answers differ more between orders than when one order is asked again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
PERMUTATIONS = 9_999
RESAMPLES = 2_000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class FlipRate:
    """How often two orders give two answers.

    Attributes:
        rate: Share of pairs of orders whose answers differ.
        low: 95% interval, by resampling orders; where all agree, from the chance of that; the
            rate itself where all orders were asked.
        high: 95% interval.
        orders: Orders with an answer.
        noise_floor: Share of orders that gave another answer when asked again; None where none
            was asked again: unknown, not zero.
        repeats: Orders asked twice with two answers.
    """

    rate: float
    low: float
    high: float
    orders: int
    noise_floor: float | None
    repeats: int


def order_test(pairs: Sequence[tuple[float, float]], *, numbers: bool, seed: int = 0) -> float:
    """P-value of "order does not matter": each order's two answers are alike only by chance.

    If order does not matter, all answers are draws from one distribution, and any way of dealing
    them into pairs is as likely as the one seen (a permutation test). Small differences inside the
    pairs, beside those of random dealings, speak for an effect of order.

    Args:
        pairs: The two answers of each order, as numbers (codes of labels).
        numbers: Compare by distance; else only whether they are equal.
        seed: Of the dealings.

    Returns:
        1 where there are fewer than two pairs, or nothing differs.
    """
    answers = np.asarray(pairs, dtype=np.float64)
    if len(answers) < 2 or np.ptp(answers) == 0:
        return 1.0
    seen = _within(answers[None], numbers=numbers)[0]
    rng = np.random.default_rng(seed)
    dealt = rng.permuted(np.tile(answers.ravel(), (PERMUTATIONS, 1)), axis=1)
    others = _within(dealt.reshape(PERMUTATIONS, -1, 2), numbers=numbers)
    return float((1 + (others <= seen + 1e-9).sum()) / (PERMUTATIONS + 1))


def _within(answers: Floats, *, numbers: bool) -> Floats:
    gap = np.abs(answers[..., 0] - answers[..., 1])
    total: Floats = (gap if numbers else (gap > 0).astype(np.float64)).sum(axis=-1)
    return total


def flip_rate_of_orders(
    firsts: Sequence[float],
    pairs: Sequence[tuple[float, float]],
    *,
    drawn: int | None = None,
    exact: bool = False,
    seed: int = 0,
) -> FlipRate:
    """Flip rate over pairs of orders, beside the noise floor.

    Args:
        firsts: First answer of every order that gave one.
        pairs: Both answers of the orders asked twice.
        drawn: Orders among them that were drawn at random; None for all.
        exact: These are all orders that there are: the rate has no interval.
        seed: Of the resampling.
    """
    answers = np.asarray(firsts, dtype=np.float64)
    k = len(answers)
    floor = None if not pairs else float(np.mean([one != other for one, other in pairs]))
    if k < 2:
        return FlipRate(0.0, 0.0, 1.0, k, floor, len(pairs))
    rate = _differing(answers)
    if exact:
        return FlipRate(rate, rate, rate, k, floor, len(pairs))
    if rate == 0:
        # Orders that give another answer are at most this share, or one would have shown up.
        other = unseen_share(k if drawn is None else drawn)
        return FlipRate(0.0, 0.0, min(1.0, 2 * other * (1 - other)) if other < 0.5 else 0.5,
                        k, floor, len(pairs))  # fmt: skip
    rng = np.random.default_rng(seed)
    resampled = rng.integers(k, size=(RESAMPLES, k))
    rates = []
    for places in resampled:
        # Pairs of an order with itself are no pairs of orders.
        apart = places[:, None] != places[None, :]
        differ = (answers[places][:, None] != answers[places][None, :]) & apart
        if apart.any():
            rates.append(differ.sum() / apart.sum())
    low, high = np.quantile(rates, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return FlipRate(rate, float(low), float(high), k, floor, len(pairs))


def _differing(answers: Floats) -> float:
    k = len(answers)
    _, counts = np.unique(answers, return_counts=True)
    alike = float((counts * (counts - 1)).sum())
    return 1 - alike / (k * (k - 1))


def unseen_share(orders: int) -> float:
    """The largest share of orders with another answer that ``orders`` alike leave likely (95%)."""
    return float(1 - (1 - LEVEL) ** (1 / orders)) if orders else 1.0
