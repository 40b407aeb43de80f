"""The only cleaning that a text gets: trimmed, and folded into one line."""

from __future__ import annotations

import unicodedata


def one_line(text: str) -> str:
    """``text`` trimmed, every line break and the blanks around it made one space.

    Line breaks are those of :meth:`str.splitlines`: line feed, carriage return, vertical tab, form
    feed, the three separator controls, U+0085, U+2028 and U+2029. Nothing else changes.
    """
    return " ".join(part for line in text.splitlines() if (part := line.strip()))


def shows_nothing(text: str) -> bool:
    """Whether a reader sees no character of ``text``: blanks, controls and invisible marks only."""
    return all(unicodedata.category(letter) in _UNSEEN for letter in text)


_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})
