"""How far a trace reads on from the start."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

NEARLY = 0.95


def stopping_point(ids: Collection[int], n: int, nearly: float = NEARLY) -> int:
    """The largest k, itself mentioned, such that nearly all of the first k ids are mentioned.

    Args:
        ids: Ids that the trace mentions, each between 1 and n.
        n: Number of instances.
        nearly: The share of the first k that must be there.

    Returns:
        k, or 0 if there is none.
    """
    if not ids:
        return 0
    there = np.zeros(n, dtype=np.int64)
    there[np.fromiter(ids, dtype=np.int64, count=len(ids)) - 1] = 1
    enough = np.cumsum(there) >= nearly * np.arange(1, n + 1)
    found = np.flatnonzero(enough & (there == 1))
    return int(found[-1]) + 1 if found.size else 0
