"""Calls of which nobody knows yet what they cost, kept in the run folder at their worst case.

A row is written before a call begins and goes away with the transaction that stores the call's
known cost, or when the server refused the call. What a kill, a cut or a reply without usage leaves
behind stays, and counts towards the money limit of every later run of the folder.
"""

from __future__ import annotations

import sqlite3


def begin(db: sqlite3.Connection, worst_usd: float) -> int:
    """Note a call that is about to begin; returns its number."""
    cursor = db.execute("INSERT INTO unsettled (worst_usd) VALUES (?)", (worst_usd,))
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def settle(db: sqlite3.Connection, call: int) -> None:
    """Forget a call whose cost is known."""
    db.execute("DELETE FROM unsettled WHERE call = ?", (call,))


def total(db: sqlite3.Connection) -> tuple[int, float]:
    """How many calls are unsettled, and what they cost at worst together, in dollars."""
    calls, dollars = db.execute("SELECT count(*), total(worst_usd) FROM unsettled").fetchone()
    return int(calls), float(dollars)
