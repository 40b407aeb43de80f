"""Agreement of the two models that filter a pool (Table 4)."""

from __future__ import annotations

import polars as pl

from evenhand.report._page import Cell, Column, Table
from evenhand.report.figures._numbers import key_cell, share_cell


def filter_table(agreement: pl.DataFrame) -> Table:
    """:func:`evenhand.analysis.filter_agreement` for readers (Table 4)."""
    rows = tuple(
        (
            key_cell("task", row["task"]),
            share_cell(row["both_correct"]),
            share_cell(row["both_incorrect"]),
            share_cell(row["only_first"] + row["only_second"]),
            Cell(f"{row['instances']:,}", row["instances"]),
        )
        for row in agreement.iter_rows(named=True)
    )
    columns = (
        Column("Task"),
        Column("Both right, %", "", "right"),
        Column("Both wrong, %", "", "right"),
        Column("Disagree, %", "", "right"),
        Column("Instances", "", "right"),
    )
    return Table("Agreement of the two filtering models", columns, rows)
