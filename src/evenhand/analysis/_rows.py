"""Which rows a table of the paper stands on."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis._partition import CLUSTER, CONDITIONS, conform

VARIED = ("n", "p", *CONDITIONS)
"""Conditions that are never pooled: a table that meets several shows a row for each."""

_COORDINATES = ("model", *CLUSTER, "pattern", "order_seed", *CONDITIONS, "repeat")


def distinct(frame: pl.DataFrame) -> pl.DataFrame:
    """Every experiment of a model once, though several settings may hold it.

    ``core``, ``counts``, ``variants`` and ``budgets`` overlap. The first row in the frame stays.
    """
    return conform(frame, ("repeat",)).unique([*_COORDINATES], keep="first", maintain_order=True)


def original_orders(frame: pl.DataFrame) -> pl.DataFrame:
    """Without the expanded orderings (5.2.1), where the original order was run beside them.

    A model that was run on shuffled orders only, under some condition, keeps them: they are then
    all that there is.
    """
    order = (pl.col("pattern") == "random") | pl.col("order_seed").is_null()
    structured = (pl.col("pattern") != "random") & pl.col("order_seed").is_null()
    return frame.filter(order | ~structured.any().over("model", *VARIED))


def table_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows behind a table: each experiment once, original orders."""
    return original_orders(distinct(frame))


def core_rows(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows of each model's core condition: what its headline numbers stand on (3.5).

    Of what was run: the standard prompt (else all variants), then the largest n, the smallest p
    and the smallest output budget.
    """
    rows = table_rows(frame)
    standard = pl.col("variant") == "standard"
    rows = rows.filter(standard | ~standard.any().over("model"))
    rows = rows.filter(pl.col("n") == pl.col("n").max().over("model"))
    rows = rows.filter(pl.col("p") == pl.col("p").min().over("model"))
    return rows.filter(pl.col("output_budget") == pl.col("output_budget").min().over("model"))


def with_varied(frame: pl.DataFrame, by: Sequence[str]) -> tuple[str, ...]:
    """The grouping, and every condition that takes more than one value in the frame."""
    return (*by, *(name for name in VARIED if name not in by and frame[name].n_unique() > 1))
