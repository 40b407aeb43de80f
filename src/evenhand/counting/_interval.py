"""How many of all N records have a label, from those that were read."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

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
    counts = np.arange(hits, total - (read - hits) + 1)
    ratio = (
        np.log(total + 1)
        + _log_choose(counts, hits)
        + _log_choose(total - counts, read - hits)
        - _log_choose(np.asarray(total + 1), read + 1)
    )
    kept = counts[ratio > np.log(1 - level)]
    return int(kept[0]), int(kept[-1])


def _log_choose(n: np.ndarray, k: int) -> np.ndarray:
    found: np.ndarray = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    return found
