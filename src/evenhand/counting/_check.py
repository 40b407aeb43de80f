"""One thing that was checked of a ledger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_ROWS = 5
"""Rows that are named where something does not hold of them."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked; ``ok`` is None where it could not be."""

    ok: bool | None
    what: str


def rows_words(rows: Sequence[int]) -> str:
    """``, but for rows 3, 5 and 2 more``; nothing where there are none."""
    if not rows:
        return ""
    named = ", ".join(f"{row:,}" for row in rows[:MOST_ROWS])
    more = len(rows) - MOST_ROWS
    return f", but for row{'s' if len(rows) > 1 else ''} {named}" + (
        f" and {more:,} more" if more > 0 else ""
    )
