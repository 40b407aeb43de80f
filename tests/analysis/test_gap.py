"""Contract: best and worst pattern by their mean over set seeds, the gap from per-seed pairs, lost
pairs marked, nothing from nothing."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import best_worst_gap

Table = Callable[..., pl.DataFrame]
Cell = Callable[..., list[dict[str, object]]]
FIRST, LAST, MIDDLE = "majority-first", "majority-last", "majority-middle"


def cells(cell: Cell, spec: dict[str, list[str]]) -> list[dict[str, object]]:
    """For each pattern, the outcomes of set seeds 0, 1, ..."""
    return [
        row
        for pattern, seeds in spec.items()
        for seed, outcomes in enumerate(seeds)
        for row in cell(outcomes, pattern=pattern, set_seed=seed)
    ]


def test_hand_worked(table: Table, cell: Cell) -> None:
    # first: 1, 1/2, 1 (mean 5/6); middle: 0, 1/2, 0 (1/6); last: 1/2 throughout.
    # Paired: 1, 0, 1: gap 2/3, SD sqrt(1/3).
    spec = {LAST: ["rw"] * 3, FIRST: ["rr", "rw", "rr"], MIDDLE: ["ww", "rw", "tw"]}
    row = best_worst_gap(table(cells(cell, spec))).row(0, named=True)
    assert (row["best"], row["worst"], row["pairs"], row["seeds"]) == (FIRST, MIDDLE, 3, 3)
    assert row["gap"] == pytest.approx(2 / 3)
    assert row["sd"] == pytest.approx((1 / 3) ** 0.5)
    assert row["mark"] == ""
    assert row["best_accuracy"] == pytest.approx(5 / 6)
    assert row["worst_accuracy"] == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    ("worst", "pairs", "mark", "gap"),
    [
        (["w", "w", "i"], 2, "‡", 1.0),
        (["w", "o", "i"], 1, "†", 1.0),
        (["w", "w", "w"], 3, "", 1.0),
        (["w"], 1, "†", 1.0),
    ],
)
def test_marks_of_three_seeds(
    table: Table, cell: Cell, worst: list[str], pairs: int, mark: str, gap: float
) -> None:
    row = best_worst_gap(table(cells(cell, {FIRST: ["r"] * 3, LAST: worst}))).row(0, named=True)
    assert (row["pairs"], row["mark"], row["gap"]) == (pairs, mark, gap)
    assert (row["sd"] is None) == (pairs == 1)


def test_a_design_of_one_or_two_seeds_that_lost_none_is_not_marked(
    table: Table, cell: Cell
) -> None:
    for seeds in (1, 2):
        frame = table(cells(cell, {FIRST: ["r"] * seeds, LAST: ["w"] * seeds}))
        row = best_worst_gap(frame).row(0, named=True)
        assert (row["pairs"], row["seeds"], row["mark"]) == (seeds, seeds, "")


def test_the_gap_is_paired_while_the_choice_is_not(table: Table, cell: Cell) -> None:
    # last has no valid run at seed 1: chosen by 0 (seed 0), paired on seed 0 alone.
    spec = {FIRST: ["rw", "rr"], LAST: ["ww", "ii"], MIDDLE: ["rw", "rw"]}
    row = best_worst_gap(table(cells(cell, spec))).row(0, named=True)
    assert (row["worst"], row["gap"], row["mark"]) == (LAST, 0.5, "†")
    assert row["best_accuracy"] == 0.75


def test_invalid_as_incorrect_chooses_its_own_patterns(table: Table, cell: Cell) -> None:
    spec = {FIRST: ["riii"], LAST: ["rrww"], MIDDLE: ["rrrw"]}
    frame = table(cells(cell, spec))
    assert best_worst_gap(frame)["best"].item() == FIRST
    row = best_worst_gap(frame, invalid="incorrect").row(0, named=True)
    assert (row["best"], row["worst"], row["gap"]) == (MIDDLE, FIRST, 0.5)


def test_equal_patterns(table: Table, cell: Cell) -> None:
    row = best_worst_gap(table(cells(cell, {LAST: ["rw"], FIRST: ["wr"]}))).row(0, named=True)
    assert (row["best"], row["worst"], row["gap"]) == (FIRST, FIRST, 0.0)


def test_nothing_to_compare_is_null(table: Table, cell: Cell) -> None:
    alone = best_worst_gap(table(cells(cell, {FIRST: ["r"], LAST: ["i"]}))).row(0, named=True)
    assert (alone["gap"], alone["best"], alone["pairs"], alone["mark"]) == (None, None, 0, "")
    apart = best_worst_gap(table(cells(cell, {FIRST: ["r", "i"], LAST: ["i", "w"]})))
    assert (apart["gap"].item(), apart["best"].item(), apart["pairs"].item()) == (None, FIRST, 0)


def test_groups_and_no_groups(table: Table, cell: Cell) -> None:
    rows = [
        *({**row, "model": "a"} for row in cells(cell, {FIRST: ["r"], LAST: ["w"]})),
        *({**row, "model": "b"} for row in cells(cell, {FIRST: ["i"], LAST: ["i"]})),
    ]
    gaps = best_worst_gap(table(rows))
    assert gaps["model"].to_list() == ["a", "b"]
    assert gaps["gap"].to_list() == [1.0, None]
    assert best_worst_gap(table(rows), by=())["gap"].item() == 1.0
    assert best_worst_gap(table([]), by=()).height == 0
