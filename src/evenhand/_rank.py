"""Seeded ranking by hash: the only source of randomness in samples, selections and orders.

A library's shuffle may change between versions and depends on the order of its input. A rank by
SHA-256 does neither, and gives nested sets: the first 100 of a ranking are among its first 2,000.
"""

from __future__ import annotations

import hashlib


def rank_key(*parts: str | int) -> bytes:
    """SHA-256 of the parts, each written with its length so that no two lists collide."""
    digest = hashlib.sha256()
    for part in parts:
        data = str(part).encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.digest()
