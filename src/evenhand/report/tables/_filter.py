"""Agreement of the two models that filter a pool (Table 4)."""

from __future__ import annotations

import polars as pl

from evenhand.errors import UsageError
from evenhand.report._page import Cell, Column, Table
from evenhand.report.figures._numbers import key_cell, share_cell


def filter_agreement(verdicts: pl.DataFrame) -> pl.DataFrame:
    """How often two filtering models were right and wrong together (C.1, Table 4).

    Args:
        verdicts: One row an instance and model: ``task``, ``instance_id``, ``model``, ``correct``.

    Returns:
        ``task``, ``both_correct``, ``both_incorrect``, ``disagree`` (shares of the instances that
        both judged, 0 to 1), ``instances``.

    Raises:
        UsageError: If there are not exactly two models.
    """
    models = verdicts["model"].unique().sort().to_list()
    if len(models) != 2:
        raise UsageError(
            f"agreement is between two filtering models, and there are {len(models)}: "
            "give the verdicts of two"
        )
    pairs = verdicts.pivot("model", index=["task", "instance_id"], values="correct").drop_nulls()
    first, second = pl.col(models[0]), pl.col(models[1])
    return (
        pairs.group_by("task")
        .agg(
            (first & second).mean().alias("both_correct"),
            (~first & ~second).mean().alias("both_incorrect"),
            (first != second).mean().alias("disagree"),
            pl.len().cast(pl.Int64).alias("instances"),
        )
        .sort("task")
    )


def filter_table(agreement: pl.DataFrame) -> Table:
    """:func:`filter_agreement` for readers."""
    rows = tuple(
        (
            key_cell("task", row["task"]),
            share_cell(row["both_correct"]),
            share_cell(row["both_incorrect"]),
            share_cell(row["disagree"]),
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
