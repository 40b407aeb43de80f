"""Tables of coverage for readers (Tables 3 and 7, and how traces end)."""

from __future__ import annotations

import polars as pl

from evenhand.analysis import coverage_bins, trace_classes
from evenhand.report._numbers import count, percent
from evenhand.report._page import Cell, Column, Table
from evenhand.report.figures._numbers import key_cell, key_columns, share_cell


def bins_table(frame: pl.DataFrame) -> Table:
    """Experiments and accuracy by coverage, both measures (Tables 3 and 7)."""
    extra = [name for name in ("variant", "output_budget") if frame[name].n_unique() > 1]
    by = ("model", *extra)
    keys = [*by, "population", "bin"]
    loose, strict = coverage_bins(frame, by), coverage_bins(frame, by, "strict_coverage")
    joined = loose.join(
        strict.select(
            *keys, pl.col("experiments").alias("strict"), pl.col("accuracy").alias("acc")
        ),
        on=keys,
        maintain_order="left",
    )
    columns = (
        *key_columns(by),
        Column("Among", "valid experiments, or all with a trace"),
        Column("Coverage", "share of the ids"),
        Column("Number", "by the paper's measure: any standalone number", "right"),
        Column("Right, %", "", "right"),
        Column("Number, strict", "only mentions that name an instance", "right"),
        Column("Right, %, strict", "", "right"),
    )
    rows = tuple(
        (
            *(key_cell(name, row[name]) for name in by),
            Cell(row["population"], row["population"]),
            Cell(row["bin"]),
            Cell(count(row["experiments"]), row["experiments"]),
            share_cell(row["accuracy"]),
            Cell(count(row["strict"]), row["strict"]),
            share_cell(row["acc"]),
        )
        for row in joined.iter_rows(named=True)
    )
    valid = "; ".join(
        f"{', '.join(str(row[name]) for name in by)}: {percent(row['valid_rate'], 1)}"
        for row in loose.select(*by, "valid_rate").unique(maintain_order=True).iter_rows(named=True)
    )
    return Table("Accuracy by coverage", columns, rows, f"Valid rate: {valid}.")


def classes_table(frame: pl.DataFrame) -> Table:
    """How traces end their reading."""
    rows = tuple(
        (
            key_cell("model", row["model"]),
            Cell(row["trace_class"]),
            Cell(count(row["experiments"]), row["experiments"]),
            share_cell(row["accuracy"]),
        )
        for row in trace_classes(frame).filter(population="valid").iter_rows(named=True)
        if row["experiments"]
    )
    columns = (
        *key_columns(("model",)),
        Column("The reading ends"),
        Column("Experiments", "valid ones", "right"),
        Column("Right, %", "", "right"),
    )
    return Table(
        "How the reading ends", columns, rows, "Valid experiments. Rules: docs/coverage.md."
    )
