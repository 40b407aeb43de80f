"""Accuracy, gap and invalid rate side by side: Tables 2, 5 and 6."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis import accuracy, best_worst_gap, gap_null, invalid_rate
from evenhand.report._numbers import MISSING, mean_sd, probability
from evenhand.report._page import Cell, Column, Table
from evenhand.report.figures._numbers import key_cell, key_columns, share_cell

MARKS = "† gap from one paired set seed (no SD); ‡ from two."
_VALID_NOTE = (
    "Mean ± sample standard deviation over set seeds, in percent and percentage points. Right: "
    "share of valid runs. Gap: best minus worst order, paired within set seeds. "
)


def core_summary(frame: pl.DataFrame, nulls: pl.DataFrame | None = None) -> pl.DataFrame:
    """Accuracy, best-worst gap and invalid rate of each model (Table 2), with the gap's null.

    Args:
        frame: Results, one condition a model.
        nulls: :func:`evenhand.analysis.gap_null` of the frame by model, where it is known already.

    Returns:
        ``model``, ``accuracy``, ``accuracy_sd``, ``gap``, ``gap_sd``, ``mark``, ``pairs``,
        ``best``, ``worst``, ``null_mean``, ``null_95``, ``p_value`` (not adjusted), ``gap_low``,
        ``gap_high``, ``invalid_rate``, ``invalid_sd``, ``runs``. Shares from 0 to 1.
    """
    nulls = (gap_null(frame) if nulls is None else nulls).select(
        "model", "null_mean", "null_95", "p_value", gap_low="low", gap_high="high"
    )
    return _valid_only(frame, ("model",)).join(nulls, on="model", how="left", maintain_order="left")


def valid_and_all(frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Both definitions of accuracy and gap, and the invalid rate (Tables 5 and 6).

    Best and worst patterns are chosen separately for each row and definition (D.2).

    Returns:
        ``by``, the columns of :func:`core_summary` less its null, then ``accuracy_all``,
        ``accuracy_all_sd``, ``gap_all``, ``gap_all_sd``, ``best_all``, ``worst_all``.
    """
    by = list(by)
    everything = accuracy(frame, by, "incorrect").select(
        *by, accuracy_all="accuracy", accuracy_all_sd="sd"
    )
    gaps = best_worst_gap(frame, by, "incorrect").select(
        *by, gap_all="gap", gap_all_sd="sd", best_all="best", worst_all="worst"
    )
    return (
        _valid_only(frame, by)
        .join(everything, on=by, how="left", maintain_order="left")
        .join(gaps, on=by, how="left", maintain_order="left")
    )


def _valid_only(frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    by = list(by)
    shares = accuracy(frame, by).select(*by, "accuracy", accuracy_sd="sd")
    gaps = best_worst_gap(frame, by).select(
        *by, "gap", "mark", "pairs", "best", "worst", gap_sd="sd"
    )
    invalid = invalid_rate(frame, by).select(*by, "invalid_rate", "runs", invalid_sd="sd")
    joined = shares.join(gaps, on=by, how="left", maintain_order="left").join(
        invalid, on=by, how="left", maintain_order="left"
    )
    return _in_models_order(joined, frame)


def _in_models_order(table: pl.DataFrame, frame: pl.DataFrame) -> pl.DataFrame:
    ranks = {name: at for at, name in enumerate(frame["model"].unique(maintain_order=True))}
    rank = pl.col("model").replace_strict(ranks, return_dtype=pl.Int64)
    return table.sort(rank, maintain_order=True)


def core_table(summary: pl.DataFrame) -> Table:
    """:func:`core_summary` for readers."""
    rows = tuple(
        (
            key_cell("model", row["model"]),
            _mean_cell(row["accuracy"], row["accuracy_sd"]),
            _gap_cell(row["gap"], row["gap_sd"], row["mark"]),
            share_cell(row["null_mean"]),
            share_cell(row["null_95"]),
            Cell(probability(row["p_value"]), row["p_value"]),
            _order_cell(row["best"]),
            _order_cell(row["worst"]),
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
    """:func:`valid_and_all` for readers."""
    rows = tuple(
        (
            *(key_cell(name, row[name]) for name in by),
            _mean_cell(row["accuracy_all"], row["accuracy_all_sd"]),
            _gap_cell(row["gap_all"], row["gap_all_sd"], ""),
            _mean_cell(row["accuracy"], row["accuracy_sd"]),
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


def _order_cell(pattern: str | None) -> Cell:
    return Cell(pattern or MISSING, pattern, pattern=pattern)
