"""Agreement of the two models that filter a pool (Table 4)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis import filter_agreement
from evenhand.report._page import Cell, Column, Table
from evenhand.report.figures._numbers import key_cell, share_cell


def filter_agreements(judged: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """:func:`evenhand.analysis.filter_agreement` of every task that two models filtered.

    Args:
        judged: Verdicts, a frame a filter. A task that fewer or more models filtered has no row.
    """
    pairs = [
        task
        for frame in judged
        for task in frame.partition_by("task", maintain_order=True)
        if task["model"].n_unique() == 2
    ]
    return pl.concat(map(filter_agreement, pairs)) if pairs else pl.DataFrame()


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
    models = [f"{row['task']}: {row['first']} and {row['second']}" for row in
              agreement.iter_rows(named=True)]  # fmt: skip
    note = f"Each instance asked for alone (C.1). {'; '.join(models)}."
    return Table("Agreement of the two filtering models", columns, rows, note)
