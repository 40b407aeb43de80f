"""Contract: the numbers behind the paper's figures, each against a small table worked by hand."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import (
    OVERALL,
    accuracy_by_pattern,
    accuracy_by_task,
    budget_outcomes,
    counts_grid,
    error_types,
    invalid_counts,
    task_by_pattern,
    variant_changes,
)

Table = Callable[..., pl.DataFrame]
Cell = Callable[..., list[dict[str, object]]]
Preset = Callable[..., pl.DataFrame]
FIRST, LAST = "majority-first", "majority-last"
NER: dict[str, object] = {"task": "ner", "labels": ["LOC", "PER"], "majority_label": "PER"}


def test_accuracy_by_pattern(table: Table, cell: Cell) -> None:
    found = accuracy_by_pattern(table([*cell("rw", pattern=LAST), *cell("rr", pattern=FIRST)]))
    assert found.select("pattern", "accuracy").rows() == [(FIRST, 1.0), (LAST, 0.5)]


def test_accuracy_by_task_and_overall(table: Table, cell: Cell) -> None:
    rows = [*cell("rrrw"), *cell("ww", **NER), *cell("r", model="z")]
    found = accuracy_by_task(table(rows))
    assert found.select("model", "task", "accuracy").rows() == [
        ("reader/coin", "ner", 0.0),
        ("reader/coin", "sentiment", 0.75),
        ("reader/coin", OVERALL, 0.5),
        ("z", "sentiment", 1.0),
        ("z", OVERALL, 1.0),
    ]


def test_task_by_pattern_takes_all_models(table: Table, cell: Cell) -> None:
    rows = [*cell("r", model="a"), *cell("w", model="b"), *cell("r", **NER)]
    found = task_by_pattern(table(rows))
    assert found.select("task", "accuracy").rows() == [("ner", 1.0), ("sentiment", 0.5)]


def test_error_types(table: Table, cell: Cell) -> None:
    found = error_types(table([*cell("rwip", set_seed=0), *cell("rrto", set_seed=1)]))
    assert found.select("outcome", "valid", "share", "count").rows() == [
        ("mistake", True, 0.125, 1),
        ("tie", True, 0.125, 1),
        ("invalid_input", False, 0.125, 1),
        ("parsing_issue", False, 0.125, 1),
        ("overlong", False, 0.125, 1),
    ]


def test_invalid_counts_out_of_six(preset: Preset) -> None:
    frame = preset("core", lambda e: "overlong" if e.set_seed == 1 else "correct")
    found = invalid_counts(frame)
    assert found.height == 5 * 7
    cells = found.filter(pl.col("pattern") != "random").select("invalid", "runs").unique().rows()
    assert cells == [(2, 6)]
    random = found.filter(pl.col("pattern") == "random").select("invalid", "runs").unique().rows()
    assert random == [(6, 18)]


def test_counts_grid(table: Table, cell: Cell) -> None:
    """Random with order seeds right, right, wrong: SD of 1, 1, 0. One set seed has no other SD."""
    rows = [
        *cell("rrw", pattern="random", orders=(0, 1, 2), n=100),
        *cell("r", n=100),
        *cell("io", pattern="random", orders=(0, 1), n=200),
        *cell("w", n=200),
    ]
    found = counts_grid(table(rows))
    assert found.select("pattern", "n", "accuracy", "sd_over", "invalid_rate").rows() == [
        ("random", 100, pytest.approx(2 / 3), "order seeds", 0.0),
        ("random", 200, None, None, 1.0),
        (FIRST, 100, 1.0, None, 0.0),
        (FIRST, 200, 0.0, None, 0.0),
    ]
    assert found["sd"][0] == pytest.approx((1 / 3) ** 0.5)


def test_grid_cells_have_the_same_set_seeds(preset: Preset) -> None:
    core = preset("core", lambda e: "correct" if e.set_seed == 1 else "mistake")
    counts = preset("counts", lambda _: "correct")
    grid = counts_grid(pl.concat([core, counts]))
    assert grid.height == 7 * 20
    assert set(grid["seeds"]) == {1}
    assert set(grid["accuracy"]) == {1.0}
    assert counts_grid(core)["seeds"].unique().to_list() == [3]
    assert set(counts_grid(core)["sd_over"]) == {"set seeds"}
    # No seed in common: nothing can be matched, so all are kept.
    apart = counts.filter(pl.col("n") < 2000)
    other = core.filter(pl.col("set_seed") != 1)
    assert set(counts_grid(pl.concat([other, apart]))["seeds"]) == {1, 2}


def test_grid_of_budgets(preset: Preset) -> None:
    frame = preset("counts", lambda e: "overlong" if e.n > 500 else "correct")
    grid = counts_grid(frame, by=("model", "output_budget"))
    assert grid.select("output_budget", "n", "p", "runs").row(0) == (20_000, 100, 0.55, 90)
    assert grid.filter(pl.col("n") > 500)["invalid_rate"].unique().to_list() == [1.0]


def test_variant_changes(table: Table, cell: Cell) -> None:
    """Hint less standard: first 0 and +1 (mean 1/2), last -1 and -1; overall -1/2 and 0."""
    rows = [
        row
        for variant, first, last in (("standard", "rw", "rr"), ("hint", "rr", "ww"))
        for pattern, letters in ((FIRST, first), (LAST, last))
        for seed, letter in enumerate(letters)
        for row in cell(letter, pattern=pattern, set_seed=seed, variant=variant)
    ]
    found = variant_changes(table(rows))
    assert found.select("variant", "pattern", "change", "seeds").rows() == [
        ("hint", FIRST, 0.5, 2),
        ("hint", LAST, -1.0, 2),
        ("hint", OVERALL, -0.25, 2),
    ]
    assert found["sd"].to_list() == pytest.approx([0.5**0.5, 0.0, 0.125**0.5])
    assert variant_changes(table(cell("r"))).height == 0


def test_swapped_variants_have_their_own_base(table: Table, cell: Cell) -> None:
    rows = [
        *cell("r", variant="standard"),
        *cell("w", variant="standard-swapped"),
        *cell("r", variant="hint-swapped"),
    ]
    found = variant_changes(table(rows)).filter(pl.col("pattern") == FIRST)
    assert found.select("variant", "change").rows() == [("hint-swapped", 1.0)]


def test_budget_outcomes(table: Table, cell: Cell) -> None:
    rows = [*cell("rwto"), *cell("rrrw", output_budget=100_000)]
    found = budget_outcomes(table(rows))
    assert found.select("output_budget", "correct", "incorrect", "invalid", "runs").rows() == [
        (20_000, 0.25, 0.5, 0.25, 4),
        (100_000, 0.75, 0.25, 0.0, 4),
    ]
    assert found["accuracy"].to_list() == pytest.approx([1 / 3, 3 / 4])
