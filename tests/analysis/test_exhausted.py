"""Contract: runs that exhausted a reasoning budget of their own stand apart from the rest of the
model's, counted among all its runs and among its invalid ones (D.1)."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import exhausted_budgets
from evenhand.errors import UsageError

Table = Callable[..., pl.DataFrame]
Cell = Callable[..., list[dict[str, object]]]


def test_hand_worked(table: Table, cell: Cell) -> None:
    """20 runs, 5 invalid. Exhausted: 3 right, 1 wrong, 1 parsing issue."""
    split = {"model": "split", "reasoning_budget": 19_980}
    rows = [
        *cell("rrrwp", **split, reasoning_exhausted=True),
        *cell("rrrrrrwwtooo", **split, reasoning_exhausted=False),
        *cell("rw", **split),
        *cell("o", **split, attempts=3, reasoning_tokens=59_000),
        *cell("rrw", model="shared", reasoning_tokens=20_000),
    ]
    found = exhausted_budgets(table(rows))
    assert found.select("model", "reasoning_budget").unique().rows() == [("split", 19_980)]
    assert found["exhausted"].to_list() == [True, False, None]
    assert found["count"].to_list() == [5, 12, 3]
    assert found["share"].to_list() == [5 / 20, 12 / 20, 3 / 20]
    assert found["invalid"].to_list() == [1, 3, 1]
    assert found["invalid_share"].to_list() == [1 / 5, 3 / 5, 1 / 5]
    assert found["runs"].to_list() == [4, 9, 2]
    assert found["accuracy"].to_list() == pytest.approx([3 / 4, 6 / 9, 1 / 2])


def test_accuracy_is_a_mean_over_set_seeds(table: Table, cell: Cell) -> None:
    """Seed 0: one of two right; seed 1: both. Mean 3/4, sample SD 0.5 / sqrt(2)."""
    spent = {"reasoning_budget": 100, "reasoning_exhausted": True}
    found = exhausted_budgets(
        table([*cell("rw", **spent, set_seed=0), *cell("rr", **spent, set_seed=1)])
    ).row(0, named=True)
    assert (found["accuracy"], found["seeds"]) == (0.75, 2)
    assert found["sd"] == pytest.approx(0.5 / 2**0.5)


def test_where_only_tokens_are_known_one_call_tells(table: Table, cell: Cell) -> None:
    """From the budget on it is exhausted. Sums over attempts or stages tell nothing, nor does a
    missing count; a prompt that did not fit used nothing."""
    rows = [
        *cell("rw", model="split", reasoning_tokens=19_980),
        *cell("rrrw", model="split", reasoning_tokens=19_979),
        *cell("i", model="split", reasoning_tokens=None),
        *cell("rr", model="split", reasoning_tokens=None),
        *cell("r", model="other", reasoning_tokens=20_000),
        *cell("r", model="split", reasoning_tokens=30_000, attempts=2),
        *cell("r", model="split", reasoning_tokens=30_000, variant="self"),
    ]
    for found in (
        exhausted_budgets(table(rows), {"split": 19_980}),
        exhausted_budgets(
            table(rows)
            .with_columns(reasoning_budget=pl.lit(19_980))
            .filter(pl.col("model") == "split")
        ),
    ):
        assert found["model"].unique().to_list() == ["split"]
        assert found["exhausted"].to_list() == [True, False, None]
        assert found["count"].to_list() == [2, 5, 4]


def test_both_rows_stand_though_one_is_empty(table: Table, cell: Cell) -> None:
    found = exhausted_budgets(
        table(cell("rw", reasoning_budget=100, reasoning_exhausted=False))
    ).rows(named=True)
    assert [row["exhausted"] for row in found] == [True, False]
    spent = found[0]
    assert (spent["count"], spent["share"], spent["runs"], spent["accuracy"]) == (0, 0.0, 0, None)
    assert [row["invalid_share"] for row in found] == [None, None]


def test_output_budgets_stand_apart(table: Table, cell: Cell) -> None:
    rows = [
        *cell("rw", reasoning_budget=100, reasoning_exhausted=True),
        *cell("rr", reasoning_budget=50, reasoning_exhausted=False),
    ]
    found = exhausted_budgets(table(rows)).select("reasoning_budget", "exhausted", "count").rows()
    assert found == [(100, True, 2), (100, False, 0), (50, True, 0), (50, False, 2)]


def test_without_such_a_budget_there_is_no_row(table: Table, cell: Cell) -> None:
    frame = table(cell("r", reasoning_tokens=20_000))
    assert exhausted_budgets(frame).is_empty()
    assert exhausted_budgets(frame.drop("reasoning_budget", "reasoning_exhausted")).is_empty()
    assert exhausted_budgets(frame, {}).is_empty()


def test_a_model_that_is_not_there_is_refused(table: Table, cell: Cell) -> None:
    with pytest.raises(UsageError, match="no model 'x'"):
        exhausted_budgets(table(cell("r")), {"x": 1})
