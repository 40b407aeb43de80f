"""Contract: the paper's tables as frames: both accuracies and gaps, marks, nulls beside gaps; a row
for every condition, each experiment once, expanded orderings left out."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import (
    all_experiments_table,
    budget_table,
    core_rows,
    filter_agreement,
    overview_table,
    table_rows,
)
from evenhand.errors import UsageError

Table = Callable[..., pl.DataFrame]
Cell = Callable[..., list[dict[str, object]]]
Preset = Callable[..., pl.DataFrame]
FIRST, LAST = "majority-first", "majority-last"


def study(cell: Cell, first: list[str], last: list[str], **more: object) -> list[dict[str, object]]:
    return [
        row
        for pattern, seeds in ((FIRST, first), (LAST, last))
        for seed, letters in enumerate(seeds)
        for row in cell(letters, pattern=pattern, set_seed=seed, **more)
    ]


def test_overview(table: Table, cell: Cell) -> None:
    """Model a, seeds 0 to 2: first R, R, R; last W, W, invalid: 1/2, 1/2, 1 over both patterns."""
    rows = [
        *study(cell, ["r"] * 3, ["w", "w", "i"], model="a"),
        *study(cell, ["i"], ["i"], model="b"),
    ]
    found = overview_table(table(rows), permutations=50)
    assert found["model"].to_list() == ["a", "b"]
    row = found.row(0, named=True)
    assert row["accuracy"] == pytest.approx(2 / 3)
    assert row["sd"] == pytest.approx(0.5 / 3**0.5)
    assert (row["best"], row["worst"], row["gap"], row["mark"]) == (FIRST, LAST, 1.0, "‡")
    assert row["invalid_rate"] == pytest.approx(1 / 6)
    assert row["p_holm"] == row["p_value"]
    assert row["gap_low"] == pytest.approx(1 - 2 * (1 - 0.025 ** (1 / 3)))
    assert row["gap_high"] == 1.0
    empty = found.row(1, named=True)
    assert [empty[name] for name in ("accuracy", "gap", "p_value", "p_holm")] == [None] * 4
    assert empty["invalid_rate"] == 1.0
    assert found.columns == [
        *("model", "accuracy", "sd", "seeds", "runs", "low", "high"),
        *("best", "worst", "gap", "gap_sd", "pairs", "mark"),
        *("null_mean", "null_95", "excess", "p_value", "p_holm", "gap_low", "gap_high"),
        *("invalid_rate", "invalid_sd"),
    ]


def test_all_experiments(table: Table, cell: Cell) -> None:
    """first: r i, last: r r. All: 1/2 against 1; valid only: 1 against 1."""
    row = all_experiments_table(table(study(cell, ["ri"], ["rr"]))).row(0, named=True)
    assert (row["accuracy_all"], row["accuracy"]) == (0.75, 1.0)
    assert (row["best_all"], row["worst_all"], row["gap_all"]) == (LAST, FIRST, 0.5)
    assert (row["gap"], row["invalid_rate"], row["output_budget"]) == (0.0, 0.25, 20_000)


def test_budgets_and_variants_choose_their_own_patterns(table: Table, cell: Cell) -> None:
    rows = [
        *study(cell, ["r"], ["w"]),
        *study(cell, ["w"], ["r"], output_budget=100_000),
        *study(cell, ["w"], ["i"], variant="hint"),
    ]
    found = budget_table(table(rows))
    assert found.select(
        "variant", "output_budget", "best", "best_all", "gap", "gap_all"
    ).rows() == [
        ("hint", 20_000, None, FIRST, None, 0.0),
        ("standard", 20_000, FIRST, FIRST, 1.0, 1.0),
        ("standard", 100_000, LAST, LAST, 1.0, 1.0),
    ]


def test_conditions_that_vary_become_columns(table: Table, cell: Cell) -> None:
    rows = [*study(cell, ["r"], ["w"]), *study(cell, ["w"], ["r"], n=200, answer_mode="forced")]
    found = overview_table(table(rows), permutations=5)
    assert found.select("model", "n", "answer_mode").rows() == [
        ("reader/coin", 100, "generate"),
        ("reader/coin", 200, "forced"),
    ]


def test_an_experiment_of_two_settings_counts_once(preset: Preset) -> None:
    both = pl.concat([preset("core", lambda _: "correct"), preset("counts", lambda _: "mistake")])
    # 90 of the 1,800 are core's own, with set seed 1 at n = 2,000 and p = 0.55.
    assert table_rows(both).height == 270 + 1800 - 90
    core = core_rows(both)
    assert core.height == 270
    assert core["correct"].all()


def test_core_rows_of_every_preset(preset: Preset) -> None:
    assert core_rows(preset("variants", lambda _: "correct")).height == 270
    assert core_rows(preset("budgets", lambda _: "correct")).height == 270
    assert core_rows(preset("counts", lambda _: "correct")).height == 90


def test_expanded_orderings_do_not_join_the_original(preset: Preset) -> None:
    core = preset("core", lambda _: "correct")
    orderings = preset("orderings", lambda _: "mistake")
    assert core_rows(pl.concat([core, orderings])).height == 270
    assert core_rows(orderings).height == orderings.height
    assert core_rows(core.clear()).height == 0


def test_filter_agreement() -> None:
    judged = pl.DataFrame(
        [
            ("ner", "1", "a", True),
            ("ner", "1", "b", True),
            ("ner", "2", "a", True),
            ("ner", "2", "b", False),
            ("ner", "3", "a", False),
            ("ner", "3", "b", True),
            ("ner", "4", "a", False),
            ("ner", "4", "b", False),
            ("ner", "5", "a", True),
        ],
        schema=["task", "instance_id", "model", "correct"],
        orient="row",
    )
    row = filter_agreement(judged).row(0, named=True)
    assert (row["first"], row["second"], row["instances"]) == ("a", "b", 4)
    assert {row[name] for name in ("both_correct", "only_first", "only_second")} == {0.25}
    assert row["both_incorrect"] == 0.25
    with pytest.raises(UsageError, match="holds 1"):
        filter_agreement(judged.filter(pl.col("model") == "a"))
