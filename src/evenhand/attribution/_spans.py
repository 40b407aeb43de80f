"""From the characters of instances to their tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InstanceTokens:
    """Tokens of each instance.

    Attributes:
        ranges: Half-open token range of every instance; empty where it has no token of its own.
        straddling: Tokens that hold characters of an instance and of something else: of another
            instance, of its header. They belong to none.
    """

    ranges: tuple[tuple[int, int], ...]
    straddling: int


def instance_tokens(
    text: str, offsets: Sequence[tuple[int, int]], spans: Sequence[tuple[int, int]]
) -> InstanceTokens:
    """The tokens that belong to each instance.

    A token belongs to an instance when all its characters do, white space aside: the space that
    parts a header from a text, and that most tokenizers put into the text's first token, is
    neither the header's nor the text's. A token of nothing but white space belongs to an instance
    that holds it whole.

    Args:
        text: The whole text.
        offsets: Character range of every token, in order.
        spans: Character range of every instance, in order, not overlapping.
    """
    ranges: list[tuple[int, int]] = []
    straddling: set[int] = set()
    at = 0
    for low, high in spans:
        while at < len(offsets) and offsets[at][1] <= low:
            at += 1
        owned: list[int] = []
        number = at
        while number < len(offsets) and offsets[number][0] < high:
            lo, hi = _trimmed(text, *offsets[number])
            if low <= lo and hi <= high and lo < hi:
                owned.append(number)
            elif lo < high and hi > low:
                straddling.add(number)
            number += 1
        ranges.append((owned[0], owned[-1] + 1) if owned else (at, at))
    return InstanceTokens(tuple(ranges), len(straddling))


def _trimmed(text: str, lo: int, hi: int) -> tuple[int, int]:
    """The range without white space at its ends, unless there is nothing else in it."""
    piece = text[lo:hi]
    if not piece.strip():
        return lo, hi
    return lo + len(piece) - len(piece.lstrip()), hi - (len(piece) - len(piece.rstrip()))
