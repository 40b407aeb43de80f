"""Seeded ranking by hash: the only source of randomness in samples, selections and orders.

A library's shuffle may change between versions and depends on the order of its input. A rank by
SHA-256 does neither, and gives nested sets: the first 100 of a ranking are among its first 2,000.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence


def rank_key(*parts: str | int) -> bytes:
    """SHA-256 of the parts, each written with its length so that no two lists collide."""
    return hashlib.sha256(b"".join(map(rank_part, parts))).digest()


def rank_part(part: str | int) -> bytes:
    """One part as :func:`rank_key` hashes it: its length in bytes, a colon, its bytes."""
    data = str(part).encode("utf-8", "surrogatepass")
    return b"%d:%b" % (len(data), data)


def first_ranked(count: int, *purpose: str | int, last: Sequence[bytes]) -> list[int]:
    """The places of the ``count`` items that rank first, in rank order.

    The same as sorting by ``rank_key(*purpose, item)``, twins by their place, at a fifth of its
    cost: planning ranks pools of tens of thousands of items for thousands of seeds.

    Args:
        count: How many to take; no more than there are.
        purpose: The parts that all items share.
        last: For every item, :func:`rank_part` of its own last part.
    """
    import numpy as np

    if not count:
        return []
    fresh = hashlib.sha256(b"".join(map(rank_part, purpose))).copy
    keys = []
    for part in last:
        key = fresh()
        key.update(part)
        keys.append(key.digest())
    # Eight bytes tell nearly all keys apart; where they do not, the whole keys decide.
    heads = np.frombuffer(b"".join(keys), dtype=">u8")[::4].astype(np.uint64)
    kept = np.flatnonzero(heads <= np.partition(heads, count - 1)[count - 1])
    ranked = kept[np.argsort(heads[kept])]
    if (np.diff(heads[ranked]) == 0).any():
        return sorted(kept.tolist(), key=keys.__getitem__)[:count]
    places: list[int] = ranked.tolist()
    return places
