"""What a run folder holds so far, counted by the database."""

from __future__ import annotations

import sqlite3

from evenhand.running import _unsettled
from evenhand.running._records import Totals


def read_totals(db: sqlite3.Connection, current: str) -> Totals:
    """Counts, tokens and money of a store.

    Args:
        db: The store's connection.
        current: Query that gives the experiments that no rerun replaces.
    """
    outcomes = db.execute(
        "SELECT outcomes.outcome, count(*) FROM outcomes "
        f"JOIN ({current}) AS current ON current.id = experiment_id GROUP BY 1"
    ).fetchall()
    (experiments,) = db.execute(f"SELECT count(*) FROM ({current})").fetchone()
    calls, tokens_in, tokens_out, cost, priced = db.execute(
        "SELECT count(*), total(input_tokens), total(output_tokens), total(cost_usd), "
        "count(cost_usd) FROM attempts WHERE text IS NOT NULL"
    ).fetchone()
    unsettled, unsettled_usd = _unsettled.total(db)
    return Totals(
        experiments=experiments,
        outcomes=dict(tuple(row) for row in outcomes),
        calls=calls,
        input_tokens=int(tokens_in),
        output_tokens=int(tokens_out),
        cost_usd=cost,
        unpriced=calls - priced,
        unsettled=unsettled,
        unsettled_usd=unsettled_usd,
    )
