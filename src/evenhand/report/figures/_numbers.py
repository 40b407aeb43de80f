"""The tables behind the charts."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.design import PATTERNS
from evenhand.report._numbers import count, decimal
from evenhand.report._page import Cell, Column, Table

HEADINGS = {
    "model": "Model",
    "task": "Task",
    "pattern": "Order",
    "n": "n",
    "p": "p",
    "variant": "Prompt",
    "output_budget": "Output budget",
    "outcome": "Outcome",
}


def key_cell(name: str, value: object) -> Cell:
    """A cell for a grouping column, ``name``; patterns get their pictogram."""
    if isinstance(value, (int, float)):
        text = f"{value:g}" if isinstance(value, float) else f"{value:,}"
        return Cell(text, value)
    text = str(value)
    return Cell(text, text, pattern=text if text in PATTERNS else None)


def key_columns(by: Sequence[str]) -> tuple[Column, ...]:
    """Headings for grouping columns."""
    return tuple(Column(HEADINGS.get(name, name)) for name in by)


def share_cell(value: float | None, digits: int = 1) -> Cell:
    """A share as percent without the sign."""
    return Cell(decimal(value, digits, scale=100), value)


def accuracy_table(frame: pl.DataFrame, title: str, by: Sequence[str]) -> Table:
    """A frame of :func:`evenhand.analysis.accuracy` for readers."""
    columns = (
        *key_columns(by),
        Column("Right, %", "share of valid runs answered right", "right"),
        Column("95% interval", "over instance sets", "right"),
        Column("SD", "over set seeds, in points", "right"),
        Column("Runs", "valid runs", "right"),
        Column("Set seeds", "", "right"),
    )
    rows = tuple(
        (
            *(key_cell(name, row[name]) for name in by),
            share_cell(row["accuracy"]),
            interval_cell(row["low"], row["high"]),
            share_cell(row["sd"]),
            Cell(count(row["runs"]), row["runs"]),
            Cell(count(row["seeds"]), row["seeds"]),
        )
        for row in frame.iter_rows(named=True)
    )
    return Table(title, columns, rows)


def interval_cell(low: float | None, high: float | None, scale: float = 100) -> Cell:
    """``71.0–96.2``, sorted by its lower end."""
    if low is None or high is None:
        return Cell(decimal(None))
    digits = 1 if scale == 100 else 2
    joint = "–" if low >= 0 else " to "
    return Cell(
        f"{decimal(low, digits, scale=scale)}{joint}{decimal(high, digits, scale=scale)}", low
    )
