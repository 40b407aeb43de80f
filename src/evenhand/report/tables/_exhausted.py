"""Runs that exhausted a reasoning budget of their own (D.1)."""

from __future__ import annotations

import polars as pl

from evenhand.report._numbers import count
from evenhand.report._page import Cell, Column, Table
from evenhand.report.figures._numbers import interval_cell, key_cell, share_cell

_STATES = {True: "exhausted", False: "not exhausted", None: "not known"}


def exhausted_table(found: pl.DataFrame) -> Table:
    """:func:`evenhand.analysis.exhausted_budgets` for readers (D.1)."""
    rows = tuple(
        (
            key_cell("model", row["model"]),
            key_cell("reasoning_budget", row["reasoning_budget"]),
            Cell(_STATES[row["exhausted"]], _STATES[row["exhausted"]]),
            Cell(count(row["count"]), row["count"]),
            share_cell(row["share"]),
            Cell(count(row["invalid"]), row["invalid"]),
            share_cell(row["invalid_share"]),
            share_cell(row["accuracy"]),
            interval_cell(row["low"], row["high"]),
        )
        for row in found.iter_rows(named=True)
    )
    columns = (
        Column("Model"),
        Column("Reasoning budget", "tokens that the answer cannot take", "right"),
        Column("It was"),
        Column("Runs", "", "right"),
        Column("Of all runs, %", "", "right"),
        Column("Invalid", "runs without a valid answer", "right"),
        Column("Of invalid runs, %", "", "right"),
        Column("Right, %", "share of valid runs, mean over set seeds", "right"),
        Column("95% interval", "over instance sets", "right"),
    )
    note = (
        "Where reasoning has a budget of its own, tokens are kept back for the answer: a run that "
        "exhausts the budget has to answer all the same and stays valid, where a shared budget "
        "would have made it overlong. Models not listed share one budget, or their runs do not "
        "say."
    )
    if found["exhausted"].null_count():
        note += (
            " Not known: no count of reasoning tokens, or only one that adds up several attempts."
        )
    return Table("Exhausted reasoning budgets", columns, rows, note)
