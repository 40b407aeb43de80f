"""Draws that are the same on every machine, Python and library version.

A standard library's shuffle or choice may change between versions. Here every draw comes from
SHA-256 of a key (purpose, task, seed, label, index, attempt), read as one large number whose
remainders are the draws.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from evenhand._rank import rank_key

T = TypeVar("T")

_DIGEST_BITS = 256
# A refill happens while at least this many unread bits are left, so that the remainder of a
# division by n is uniform up to n / 2**64.
_RESERVE_BITS = 64


class Draws:
    """An endless sequence of uniform draws that is fixed by its key.

    Args:
        key: What names the sequence; no two keys share one.
    """

    __slots__ = ("_bits", "_digest", "_state")

    def __init__(self, *key: str | int) -> None:
        self._digest = rank_key(*key)
        self._state = int.from_bytes(self._digest, "big")
        self._bits = _DIGEST_BITS

    def below(self, n: int) -> int:
        """A whole number from 0 to ``n - 1``, each equally likely."""
        self._bits -= n.bit_length()
        if self._bits < _RESERVE_BITS:
            self._digest = hashlib.sha256(self._digest).digest()
            self._state = int.from_bytes(self._digest, "big")
            self._bits = _DIGEST_BITS - n.bit_length()
        self._state, drawn = divmod(self._state, n)
        return drawn

    def pick(self, items: Sequence[T]) -> T:
        """One of ``items``, each equally likely."""
        return items[self.below(len(items))]

    def within(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return low + self.below(high - low + 1)

    def subset(self, size: int, count: int) -> frozenset[int]:
        """``count`` of the numbers 0 to ``size - 1``, every choice equally likely."""
        numbers = list(range(size))
        for position in range(count):
            other = position + self.below(size - position)
            numbers[position], numbers[other] = numbers[other], numbers[position]
        return frozenset(numbers[:count])
