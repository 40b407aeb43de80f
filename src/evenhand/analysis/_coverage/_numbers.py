"""Standalone numbers in a text, and the instance ids among them."""

from __future__ import annotations

import functools
import itertools
import re

# Every look back begins after the first digit: the search then skips ahead to digits.
STANDALONE = (
    r"[0-9]"
    r"(?<!\w[0-9])(?<![0-9][.,][0-9])"  # not the tail of a word or of a longer number
    r"(?<![^\w)][-\u2212][0-9])(?<!\A[-\u2212][0-9])"  # not negative: the sign joins nothing
    r"(?<![\s(=*/+$]\.[0-9])(?<!\A\.[0-9])"  # not a fraction written without its zero
    r"[0-9]*+(?:[.,][0-9]++)*+(?!\w)"
)
"""One standalone number: digits 0-9, with any commas and points between them, as one chain.

A chain is given up as a whole if a letter, digit or underscore of any script touches it.
"""

_NUMBERS = re.compile(STANDALONE)
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+")


def mentioned_ids(text: str | None, n: int) -> set[int]:
    """The instance ids that a trace mentions: the paper's measure (5.1.2).

    An id counts, once, if it stands anywhere in the text as a standalone number. Standalone means:

    - it is a whole number written in the digits 0-9 without leading zeros, and neither a letter,
      a digit nor an underscore of any script touches it: ``#12``, ``12:``, ``(12)`` and
      ``Instance 12`` mention 12; ``v12``, ``12th``, ``id_12``, ``1200`` (for 200) and full-width
      or Arabic-Indic digits do not;
    - it is not part of a decimal: ``3.5`` and ``.5`` mention nothing, ``12.`` at the end of a
      sentence mentions 12;
    - a comma between digits groups thousands where it can: ``1,200`` mentions 1200 if n allows,
      and nothing if n is smaller. Where it cannot (``98,99,100``), or where the number would be
      above n and the parts count up in equal steps (``101,102`` or ``100,200,300``), it separates
      a list, and each part counts;
    - a minus sign makes it another number (``-1`` is the answer for a tie) unless the sign joins
      it to something: ``12-19`` mentions both ends, and nothing between.

    Counts, dates, money and arithmetic do count here, as in the paper; :func:`find_mentions` is
    the strict measure.

    Args:
        text: The trace, or None for none.
        n: Number of instances; ids run from 1 to n.

    Returns:
        The ids. Takes time linear in the text.
    """
    if not text:
        return set()
    ids: set[int] = set()
    for chain in set(_NUMBERS.findall(text)):
        ids.update(chain_ids(chain, n))
    return ids


def chain_ids(chain: str, n: int) -> tuple[int, ...]:
    """The ids in one chain that :data:`STANDALONE` matched; empty if it is not an id."""
    return _cached_ids(chain, n) if len(chain) < _CACHED_LENGTH else _chain_ids(chain, n)


def _chain_ids(chain: str, n: int) -> tuple[int, ...]:
    if "." in chain:
        return ()
    if "," not in chain:
        value = _plain(chain, n)
        return (value,) if value else ()
    parts = chain.split(",")
    if _GROUPED.fullmatch(chain):
        whole = _plain(chain.replace(",", ""), n)
        if whole:
            return (whole,)
        if not _counts_up(parts):
            return ()
    return tuple(value for part in parts if (value := _plain(part, n)))


_CACHED_LENGTH = 12
_cached_ids = functools.lru_cache(maxsize=1 << 16)(_chain_ids)


def _plain(digits: str, n: int) -> int:
    """The number if it is an id, else 0. Length is checked first: digits can run for megabytes."""
    if digits[0] == "0" or len(digits) > len(str(n)):
        return 0
    value = int(digits)
    return value if value <= n else 0


def _counts_up(parts: list[str]) -> bool:
    steps = {int(after) - int(before) for before, after in itertools.pairwise(parts)}
    return steps == {1} or (len(parts) > 2 and len(steps) == 1 and min(steps) > 0)
