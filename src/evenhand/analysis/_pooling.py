"""Warnings about rows that a table is about to pool although they were not made alike."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis._partition import checked, grouped, in_order

_WATCHED: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("upstream", (), "answers came from different servers behind one router"),
    (
        "parameters_sha256",
        ("task", "answer_mode", "variant", "output_budget", "repeat"),
        "calls were sent with different parameters",
    ),
    ("pool", ("task",), "instances came from different pools"),
    ("pool_source", ("task", "pool"), "one pool was read from different sources"),
    ("pool_filter", ("task", "pool"), "one pool was filtered differently"),
)
"""Column, what it may differ by beside the group, and what a difference means."""

_OF_CALLS = ("upstream", "parameters_sha256")

_COLUMNS = {
    "column": pl.String(),
    "values": pl.List(pl.String()),
    "runs": pl.Int64(),
    "warning": pl.String(),
}


def pooling_warnings(frame: pl.DataFrame, by: Sequence[str] = ("model",)) -> pl.DataFrame:
    """Where one group holds rows of different upstreams, parameters or pools.

    An empty value counts as a value of its own only beside others. Parameters may differ between
    tasks, answer modes, variants, budgets and repeats, and pools between tasks, without a warning.
    Experiments whose input never fitted (``invalid_input``) were not served by anyone and are left
    out of the first two.

    Returns:
        ``by``, ``column``, ``values`` (sorted), ``runs``, ``warning`` (a sentence). No rows when
        all is well.

    Raises:
        UsageError: For an unknown column, or generated and forced answers in one group.
    """
    rows = checked(frame, by, also=[column for column, _, _ in _WATCHED])
    schema = {name: rows.schema[name] for name in by} | _COLUMNS
    found = [pl.DataFrame(schema=schema)]
    for column, apart, meaning in _WATCHED:
        keys = list(dict.fromkeys([*by, *apart]))
        asked = rows.filter(pl.col("outcome") != "invalid_input")
        mixed = grouped(
            asked if column in _OF_CALLS else rows,
            keys,
            pl.col(column).fill_null("(not stated)").unique().sort().alias("values"),
            pl.len().cast(pl.Int64).alias("runs"),
        ).filter(pl.col("values").list.len() > 1)
        merged = grouped(
            mixed.explode("values"),
            by,
            pl.col("values").unique().sort(),
            pl.col("runs").sum(),
        )
        counts = grouped(mixed, by, pl.col("runs").sum())
        found.append(
            merged.with_columns(
                counts["runs"],
                pl.lit(column).alias("column"),
                (pl.lit(f"{meaning}: ") + _shown(column).list.join(", ")).alias("warning"),
            ).select(*schema)
        )
    return in_order(pl.concat(found), by)


def _shown(column: str) -> pl.Expr:
    """A hash is told apart by its first digits."""
    values = pl.col("values")
    return values.list.eval(pl.element().str.head(8)) if column.endswith("sha256") else values
