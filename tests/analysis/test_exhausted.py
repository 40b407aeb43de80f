"""Contract: runs that spent a split reasoning budget stand apart from the rest of the model."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import exhausted_budgets
from evenhand.errors import UsageError

Table = Callable[..., pl.DataFrame]
Cell = Callable[..., list[dict[str, object]]]


def test_hand_worked(table: Table, cell: Cell) -> None:
    rows = [
        *cell("rw", model="split", reasoning_tokens=19_980),
        *cell("rrrw", model="split", reasoning_tokens=19_979),
        *cell("rr", model="split", reasoning_tokens=None),
        *cell("r", model="other", reasoning_tokens=20_000),
        *cell("r", model="split", reasoning_tokens=30_000, attempts=2),
        *cell("r", model="split", reasoning_tokens=30_000, variant="self"),
    ]
    found = exhausted_budgets(table(rows), {"split": 19_980})
    assert found["model"].to_list() == ["split", "split"]
    assert found["exhausted"].to_list() == [True, False]
    assert found["share"].to_list() == [0.25, 0.75]
    assert found["accuracy"].to_list() == pytest.approx([1 / 2, 5 / 6])
    assert found["runs"].to_list() == [2, 6]


def test_bad_requests(table: Table, cell: Cell) -> None:
    frame = table(cell("r"))
    with pytest.raises(UsageError, match="no model 'x'"):
        exhausted_budgets(frame, {"x": 1})
    with pytest.raises(UsageError, match="no reasoning token count"):
        exhausted_budgets(frame, {"reader/coin": 1})
    assert exhausted_budgets(frame, {}).height == 0
