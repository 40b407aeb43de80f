"""How many of all N records have a label, from those that were read."""

from __future__ import annotations

import math
from collections.abc import Callable

LEVEL = 0.95


def count_interval(
    hits: int, read: int, total: int, unresolved: int = 0, level: float = LEVEL
) -> tuple[int, int]:
    """A confidence interval for a label's count among all records.

    The prior-posterior ratio of Waudby-Smith and Ramdas ("Confidence sequences for sampling
    without replacement", NeurIPS 2020, section 2) under a uniform prior: it holds at every moment
    at once, so reading may have stopped for any reason. When everything was read it is the count
    itself, widened by the records without a label.

    Args:
        hits: Records of this label among those read.
        read: Records read with a label, in random order.
        total: N.
        unresolved: Records read without a label: they may all have it, or none.
        level: Coverage.

    Returns:
        Fewest and most records of all N that may have the label.
    """
    low, _ = _plain(hits, read + unresolved, total, level)
    _, high = _plain(hits + unresolved, read + unresolved, total, level)
    return low, high


def _plain(hits: int, read: int, total: int, level: float) -> tuple[int, int]:
    if read >= total:
        return hits, hits
    least, most = hits, total - (read - hits)
    bar = math.log(1 - level) - math.log(total + 1) + _log_choose(total + 1, read + 1)

    def kept(count: int) -> bool:
        return _log_choose(count, hits) + _log_choose(total - count, read - hits) > bar

    # The ratio rises to its peak and falls: each end is found by halving.
    peak = least if not read else min(most, max(least, (hits * (total + 1)) // read))
    return _last_kept(peak, least, kept), _last_kept(peak, most, kept)


def _last_kept(inside: int, end: int, kept: Callable[[int], bool]) -> int:
    """The count farthest from ``inside`` towards ``end`` that is kept."""
    if kept(end):
        return end
    while abs(end - inside) > 1:
        middle = (inside + end) // 2
        inside, end = (middle, end) if kept(middle) else (inside, middle)
    return inside


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
