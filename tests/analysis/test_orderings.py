"""Contract: the original order is ranked, two-sided, among all orders of its pattern."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import original_against_orderings
from evenhand.errors import UsageError

Table = Callable[..., pl.DataFrame]
Cell = Callable[..., list[dict[str, object]]]


def orders(cell: Cell, original: str, others: list[str]) -> list[dict[str, object]]:
    """Outcomes over set seeds 0, 1, ... of the original and of every other order."""
    rows: list[dict[str, object]] = []
    for order, letters in [(None, original), *enumerate(others, start=1)]:
        setting = "core" if order is None else "orderings"
        for seed, letter in enumerate(letters):
            rows += cell(letter, set_seed=seed, order_seed=order, setting=setting)
    return rows


def test_rank_among_fifty(table: Table, cell: Cell) -> None:
    frame = table(orders(cell, "ww", ["rr"] * 50))
    row = original_against_orderings(frame).row(0, named=True)
    assert (row["original"], row["orderings"], row["mean"]) == (0.0, 50, 1.0)
    assert row["p_value"] == pytest.approx(2 / 51)
    assert (row["lowest"], row["highest"], row["sd"]) == (1.0, 1.0, 0.0)


def test_an_ordinary_original(table: Table, cell: Cell) -> None:
    # At most as accurate: itself and 3 of 4; at least: itself and 3 of 4. 2 * 4/5 is capped at 1.
    frame = table(orders(cell, "rw", ["rr", "rw", "wr", "ww"]))
    row = original_against_orderings(frame).row(0, named=True)
    assert (row["original"], row["p_value"]) == (0.5, 1.0)
    # Below: itself and one equal. Above: all five. 2 * 2/5.
    low = original_against_orderings(table(orders(cell, "ww", ["ww", "rr", "rw", "rr"])))
    assert low["p_value"].item() == pytest.approx(0.8)


def test_invalid_both_ways(table: Table, cell: Cell) -> None:
    frame = table(orders(cell, "ri", ["rr", "rr", "rr"]))
    assert original_against_orderings(frame)["original"].item() == 1.0
    wrong = original_against_orderings(frame, invalid="incorrect").row(0, named=True)
    assert (wrong["original"], wrong["p_value"]) == (0.5, 2 / 4)


def test_what_cannot_be_compared(table: Table, cell: Cell) -> None:
    assert original_against_orderings(table(orders(cell, "rr", []))).height == 0
    rows = orders(cell, "ii", ["rr", "rr"])
    row = original_against_orderings(table(rows)).row(0, named=True)
    assert (row["original"], row["p_value"]) == (None, None)
    apart = [*cell("r", n=2000), *cell("r", n=100, order_seed=1)]
    with pytest.raises(UsageError, match="no instance set in common"):
        original_against_orderings(table(apart))


def test_random_is_left_out(table: Table, cell: Cell) -> None:
    rows = orders(cell, "r", ["w"]) + cell("rrr", pattern="random", orders=(0, 1, 2))
    assert original_against_orderings(table(rows))["pattern"].to_list() == ["majority-first"]
