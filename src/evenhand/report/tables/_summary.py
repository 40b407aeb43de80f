"""Accuracy, gap and invalid rate side by side: Tables 2, 5 and 6."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.report._numbers import MISSING, mean_sd, probability
from evenhand.report._page import Cell, Column, Table
from evenhand.report.figures._numbers import key_cell, key_columns, share_cell

MARKS = "† gap from one paired set seed (no SD); ‡ from two."
_VALID_NOTE = (
    "Mean ± sample standard deviation over set seeds, in percent and percentage points. Right: "
    "share of valid runs. Gap: best minus worst order, paired within set seeds. "
)


def in_models_order(table: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    """Rows in the order in which the frame's models come."""
    ranks = {name: at for at, name in enumerate(frame["model"].unique(maintain_order=True))}
    rank = pl.col("model").replace_strict(ranks, return_dtype=pl.Int64)
    return table.sort(rank, maintain_order=True)


def core_table(summary: pl.DataFrame) -> Table:
    """:func:`evenhand.analysis.overview_table` for readers (Table 2)."""
    rows = tuple(
        (
            key_cell("model", row["model"]),
            _mean_cell(row["accuracy"], row["sd"]),
            _gap_cell(row["gap"], row["gap_sd"], row["mark"]),
            share_cell(row["null_mean"]),
            share_cell(row["null_95"]),
            Cell(probability(row["p_value"]), row["p_value"]),
            *_order_cells(row["best"], row["worst"]),
            _mean_cell(row["invalid_rate"], row["invalid_sd"]),
        )
        for row in summary.iter_rows(named=True)
    )
    columns = (
        Column("Model"),
        Column("Right, %", "share of valid runs", "right"),
        Column("Gap", "best minus worst order, points", "right"),
        Column("By chance", "mean gap when order labels are permuted", "right"),
        Column("95th pct.", "95th percentile of the gaps by chance", "right"),
        Column("p", "permutation test, one model at a time", "right"),
        Column("Best order"),
        Column("Worst order"),
        Column("Invalid, %", "", "right"),
    )
    return Table("Accuracy, gap and invalid rate", columns, rows, _VALID_NOTE + MARKS)


def both_definitions_table(summary: pl.DataFrame, by: Sequence[str], title: str) -> Table:
    """Both definitions of accuracy and gap for readers (Tables 5 and 6).

    Args:
        summary: :func:`evenhand.analysis.budget_table` or ``all_experiments_table``.
        by: Its grouping columns to show.
        title: The table's.
    """
    rows = tuple(
        (
            *(key_cell(name, row[name]) for name in by),
            _mean_cell(row["accuracy_all"], row["accuracy_all_sd"]),
            _gap_cell(row["gap_all"], row["gap_all_sd"], ""),
            _mean_cell(row["accuracy"], row["sd"]),
            _gap_cell(row["gap"], row["gap_sd"], row["mark"]),
            _mean_cell(row["invalid_rate"], row["invalid_sd"]),
        )
        for row in summary.iter_rows(named=True)
    )
    columns = (
        *key_columns(by),
        Column("Right of all, %", "invalid runs count as wrong", "right"),
        Column("Gap, all", "best minus worst order, points", "right"),
        Column("Right of valid, %", "invalid runs left out", "right"),
        Column("Gap, valid", "best minus worst order, points", "right"),
        Column("Invalid, %", "", "right"),
    )
    return Table(title, columns, rows, _VALID_NOTE + MARKS)


def _mean_cell(mean: float | None, sd: float | None) -> Cell:
    return Cell(mean_sd(mean, sd), mean)


def _gap_cell(gap: float | None, sd: float | None, mark: str | None) -> Cell:
    return Cell(mean_sd(gap, sd) + (mark or ""), gap)


def _order_cells(best: str | None, worst: str | None) -> tuple[Cell, Cell]:
    """Best and worst order; where every order is both, neither is named."""
    if best is not None and best == worst:
        return Cell("all alike"), Cell("all alike")
    first, second = (Cell(name or MISSING, name, pattern=name) for name in (best, worst))
    return first, second
