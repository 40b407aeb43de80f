"""What the answers of all orders come to: shares of labels, the spread of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from evenhand.audit._result import AnswerShare, Spread


def answer_shares(answers: Sequence[str | None], *, exact: bool = False) -> tuple[AnswerShare, ...]:
    """Every answer with its share of the orders asked, the most frequent first.

    Args:
        answers: One an order; None where it gave none that can be read.
        exact: These are all orders that there are: shares have no interval.
    """
    from statsmodels.stats.proportion import proportion_confint

    found = []
    for answer, times in Counter(answers).most_common():
        share = times / len(answers)
        low, high = share, share
        if not exact:
            low, high = map(float, proportion_confint(times, len(answers), method="wilson"))
        found.append(AnswerShare(answer, times, share, low, high))
    return tuple(found)


def number_spread(values: Sequence[float], pairs: Sequence[tuple[float, float]]) -> Spread:
    """Numbers over orders, and within orders asked twice."""
    array = np.asarray(values)
    inside = None
    if pairs:
        inside = float(np.sqrt(np.mean([(one - other) ** 2 / 2 for one, other in pairs])))
    sd = float(array.std(ddof=1)) if len(values) > 1 else 0.0
    return Spread(float(array.min()), float(array.max()), float(array.mean()), sd, inside)
