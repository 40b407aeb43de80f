"""The only cleaning that a text gets: trimmed, and folded into one line."""

from __future__ import annotations


def one_line(text: str) -> str:
    """``text`` trimmed, every line break and the blanks around it made one space.

    Line breaks are those of :meth:`str.splitlines`: line feed, carriage return, vertical tab, form
    feed, the three separator controls, U+0085, U+2028 and U+2029. Nothing else changes.
    """
    return " ".join(part for line in text.splitlines() if (part := line.strip()))
