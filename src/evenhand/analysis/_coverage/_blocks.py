"""Where the label blocks of an order pattern meet (C.3)."""

from __future__ import annotations

from evenhand.design import arrange

_SOFT = ("soft-majority-edges", "soft-majority-middle")


def block_boundaries(pattern: str, n: int, p: float) -> tuple[int, ...]:
    """The last id of every block but the final one.

    For the soft patterns the blocks are the surplus and the alternating stretches. The random
    pattern has none.

    Args:
        pattern: One of the seven order patterns.
        n: Number of instances.
        p: Majority proportion; ``p * n`` is whole.

    Returns:
        Ids in ascending order: ``(550, 1450)`` for majority-edges at n = 2,000 and p = 0.55.
    """
    if pattern == "random":
        return ()
    majority = round(n * p)
    minority = n - majority
    if pattern in _SOFT:
        surplus = majority - minority
        if pattern == _SOFT[0]:
            before = (surplus + 1) // 2
            cuts = (before, before + 2 * minority)
        else:
            before = 2 * ((minority + 1) // 2)
            cuts = (before, before + surplus)
        return tuple(sorted({cut for cut in cuts if 0 < cut < n}))
    order = arrange([True] * majority, [False] * minority, pattern)
    return tuple(at for at in range(1, n) if order[at - 1] != order[at])
