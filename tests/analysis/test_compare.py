"""Contract: two models are compared over the experiments that both have, set by set."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import compare
from evenhand.errors import UsageError

Table = Callable[..., pl.DataFrame]
Cell = Callable[..., list[dict[str, object]]]


def seeds(cell: Cell, letters: str, **more: object) -> list[dict[str, object]]:
    return [
        row for seed, one in enumerate(letters) for row in cell(one, **{"set_seed": seed, **more})
    ]


def test_hand_worked(table: Table, cell: Cell) -> None:
    """Differences 1, 1, 0, -1 (a tie counts as wrong): mean 1/4. With three sets that can swap,
    |sum| >= 1 always: p = 1."""
    frame = table([*seeds(cell, "rrrw", model="a"), *seeds(cell, "wtrr", model="b")])
    row = compare(frame, "a", "b").row(0, named=True)
    assert (row["a"], row["b"], row["difference"]) == (0.75, 0.5, 0.25)
    assert (row["sets"], row["pairs"], row["only_a"], row["only_b"]) == (4, 4, 2, 1)
    assert row["p_value"] == 1.0
    assert row["low"] < 0.25 < row["high"]


def test_swapping_sets(table: Table, cell: Cell) -> None:
    """Six sets all in favour of a: p is 2 of 64 sign vectors."""
    frame = table([*seeds(cell, "r" * 6, model="a"), *seeds(cell, "w" * 6, model="b")])
    row = compare(frame, "a", "b").row(0, named=True)
    assert row["p_value"] == pytest.approx(2 / 64, abs=0.006)
    assert row["p_holm"] == row["p_value"]
    back = compare(frame, "b", "a").row(0, named=True)
    assert (back["difference"], back["only_b"]) == (-1.0, 6)


def test_unpaired_and_invalid(table: Table, cell: Cell) -> None:
    frame = table([*seeds(cell, "rrrr", model="a"), *seeds(cell, "wi", model="b")])
    row = compare(frame, "a", "b").row(0, named=True)
    assert (row["pairs"], row["difference"]) == (1, 1.0)
    wrong = compare(frame, "a", "b", invalid="incorrect").row(0, named=True)
    assert (wrong["pairs"], wrong["only_a"]) == (2, 2)


def test_other_columns_and_groups(table: Table, cell: Cell) -> None:
    rows = [
        *seeds(cell, "rr", variant="hint"),
        *seeds(cell, "wr", variant="standard"),
        *seeds(cell, "r", variant="hint", pattern="majority-last"),
        *seeds(cell, "r", variant="standard", pattern="majority-last"),
    ]
    found = compare(table(rows), "hint", "standard", ("pattern",), column="variant")
    assert found["difference"].to_list() == [0.5, 0.0]


def test_one_experiment_in_two_settings_counts_once(table: Table, cell: Cell) -> None:
    rows = [
        *seeds(cell, "r", model="a"),
        *seeds(cell, "w", model="a", setting="counts"),
        *seeds(cell, "r", model="b"),
    ]
    assert compare(table(rows), "a", "b")["pairs"].item() == 1


def test_bad_requests(table: Table, cell: Cell) -> None:
    frame = table([*seeds(cell, "r", model="a"), *seeds(cell, "r", model="b", n=200)])
    with pytest.raises(UsageError, match="no model 'c'"):
        compare(frame, "a", "c")
    with pytest.raises(UsageError, match="no experiment in common"):
        compare(frame, "a", "b")
