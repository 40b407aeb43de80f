"""What else says whether an effect is real: split halves, flips, bounds, other orderings."""

from __future__ import annotations

import polars as pl

from evenhand.analysis import (
    flip_rate,
    invalid_bounds,
    original_against_orderings,
    split_half_gap,
)
from evenhand.report._numbers import count, decimal, probability
from evenhand.report._page import Cell, Column, Table
from evenhand.report.figures._numbers import interval_cell, key_cell, share_cell


def stability_table(frame: pl.DataFrame) -> Table:
    """Split-half gap and flip rate of each model beside its noise floor."""
    halves = split_half_gap(frame).select("model", "split_half_gap", "splits")
    flips = flip_rate(frame)
    names = frame.select("model").unique(maintain_order=True)
    joined = names.join(halves, on="model", how="left", maintain_order="left").join(
        flips, on="model", how="left", maintain_order="left"
    )
    rows = tuple(
        (
            key_cell("model", row["model"]),
            share_cell(row["split_half_gap"]),
            share_cell(row["flip_rate"]),
            interval_cell(row["low"], row["high"]),
            share_cell(row["noise_floor"]),
            share_cell(row["excess"]),
            interval_cell(row["excess_low"], row["excess_high"]),
        )
        for row in joined.iter_rows(named=True)
    )
    columns = (
        Column("Model"),
        Column("Split-half gap", "best and worst order chosen on some set seeds, measured on the "
               "others; points", "right"),
        Column("Flip rate, %", "pairs of orders of one set whose answers differ", "right"),
        Column("95% interval", "over instance sets", "right"),
        Column("Noise floor, %", "pairs of repeats of the same order that differ", "right"),
        Column("Excess", "flip rate less noise floor, points", "right"),
        Column("95% interval", "over instance sets", "right"),
    )  # fmt: skip
    note = (
        "The split-half gap is zero on average where order does not matter. Without repeats of the "
        "same order the noise floor is unknown (–): plan them with --repeats."
    )
    return Table("Stability", columns, rows, note)


def bounds_table(frame: pl.DataFrame) -> Table | None:
    """Accuracy if every invalid run had been wrong, and if right; None when all are valid."""
    bounds = invalid_bounds(frame)
    if bounds["invalid"].sum() == 0:
        return None
    names = frame.select("model").unique(maintain_order=True)
    bounds = names.join(bounds, on="model", maintain_order="left")
    rows = tuple(
        (
            key_cell("model", row["model"]),
            share_cell(row["if_wrong"]),
            share_cell(row["valid_only"]),
            share_cell(row["if_right"]),
            Cell(count(row["invalid"]), row["invalid"]),
            Cell(count(row["runs"]), row["runs"]),
        )
        for row in bounds.iter_rows(named=True)
    )
    columns = (
        Column("Model"),
        Column("If all wrong, %", "", "right"),
        Column("Valid only, %", "", "right"),
        Column("If all right, %", "", "right"),
        Column("Invalid", "", "right"),
        Column("Of runs", "", "right"),
    )
    return Table("What the invalid runs could hide", columns, rows)


def orderings_table(frame: pl.DataFrame) -> Table | None:
    """The original order among the expanded orderings (5.2.1, footnote 13), or None without any."""
    shuffled = (pl.col("pattern") != "random") & pl.col("order_seed").is_not_null()
    if frame.filter(shuffled).is_empty():
        return None
    found = original_against_orderings(frame)
    if found.is_empty():
        return None
    by = ("model", "task", "pattern")
    rows = tuple(
        (
            *(key_cell(name, row[name]) for name in by),
            share_cell(row["original"]),
            share_cell(row["mean"]),
            share_cell(row["sd"]),
            Cell(
                f"{decimal(row['lowest'], 1, scale=100)} to "
                f"{decimal(row['highest'], 1, scale=100)}",
                row["lowest"],
            ),
            Cell(count(row["orderings"]), row["orderings"]),
            Cell(probability(row["p_value"]), row["p_value"]),
            Cell(probability(row["p_holm"]), row["p_holm"]),
        )
        for row in found.iter_rows(named=True)
    )
    columns = (
        Column("Model"),
        Column("Task"),
        Column("Order"),
        Column("Original, %", "", "right"),
        Column("Mean of orderings, %", "", "right"),
        Column("SD", "over orderings, points", "right"),
        Column("Range", "", "right"),
        Column("Orderings", "", "right"),
        Column("p", "rank of the original", "right"),
        Column("p, adjusted", "Holm", "right"),
    )
    return Table("The original order among its shuffles", columns, rows)
