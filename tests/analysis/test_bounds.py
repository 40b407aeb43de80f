"""Contract: bounds count every invalid experiment as wrong, then as right, within set seeds."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import invalid_bounds

Table = Callable[..., pl.DataFrame]
Cell = Callable[..., list[dict[str, object]]]


def test_hand_worked(table: Table, cell: Cell) -> None:
    # Seed 0: 1 right, 1 wrong, 2 invalid: 1/4, 1/2, 3/4. Seed 1: 1 right, 1 tie: 1/2 throughout.
    frame = table([*cell("rwip", set_seed=0), *cell("rt", set_seed=1)])
    row = invalid_bounds(frame).row(0, named=True)
    assert (row["if_wrong"], row["valid_only"], row["if_right"]) == (
        pytest.approx(3 / 8),
        pytest.approx(1 / 2),
        pytest.approx(5 / 8),
    )
    assert (row["invalid"], row["runs"]) == (2, 6)


def test_all_invalid_says_nothing(table: Table, cell: Cell) -> None:
    row = invalid_bounds(table(cell("io"))).row(0, named=True)
    assert (row["if_wrong"], row["valid_only"], row["if_right"]) == (0.0, None, 1.0)
