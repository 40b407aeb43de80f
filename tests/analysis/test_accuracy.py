"""Contract: accuracy and rates are taken within each set seed, then averaged; ties are wrong,
nothing valid is null, and generated and forced answers never pool."""

from __future__ import annotations

import random
from collections.abc import Callable

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from evenhand.analysis import accuracy, invalid_rate, outcome_shares
from evenhand.errors import UsageError
from evenhand.results import OUTCOMES

Table = Callable[..., pl.DataFrame]
Cell = Callable[..., list[dict[str, object]]]


def test_mean_and_sd_over_set_seeds_not_over_runs(table: Table, cell: Cell) -> None:
    # Seed 0: 1 of 4 right. Seed 1: 1 of 1. Mean 0.625 (pooled it would be 2/5); SD 0.75 / sqrt 2.
    frame = table([*cell("rwwt", set_seed=0), *cell("r", set_seed=1)])
    row = accuracy(frame, by=("model",)).row(0, named=True)
    assert row["accuracy"] == pytest.approx(0.625)
    assert row["sd"] == pytest.approx(0.75 / 2**0.5)
    assert (row["seeds"], row["runs"]) == (2, 5)


def test_invalid_excluded_or_incorrect(table: Table, cell: Cell) -> None:
    frame = table([*cell("rwip", set_seed=0), *cell("rroo", set_seed=1)])
    assert accuracy(frame, ("model",))["accuracy"].item() == pytest.approx((1 / 2 + 1) / 2)
    wrong = accuracy(frame, ("model",), invalid="incorrect")
    assert wrong["accuracy"].item() == pytest.approx((1 / 4 + 2 / 4) / 2)
    assert (wrong["runs"].item(), wrong["seeds"].item()) == (8, 2)


def test_a_seed_without_a_valid_run_is_not_a_zero(table: Table, cell: Cell) -> None:
    frame = table([*cell("rw", set_seed=0), *cell("io", set_seed=1)])
    row = accuracy(frame, ("model",)).row(0, named=True)
    assert (row["accuracy"], row["sd"], row["seeds"]) == (0.5, None, 1)


def test_no_valid_run_gives_null(table: Table, cell: Cell) -> None:
    row = accuracy(table(cell("iop")), ("model",)).row(0, named=True)
    assert [row[name] for name in ("accuracy", "sd", "low", "high")] == [None] * 4
    assert (row["seeds"], row["runs"]) == (0, 0)


def test_random_order_seeds_pool_within_a_seed(table: Table, cell: Cell) -> None:
    frame = table(cell("rrw", orders=(0, 1, 2), pattern="random"))
    row = accuracy(frame).row(0, named=True)
    assert row["accuracy"] == pytest.approx(2 / 3)
    assert (row["seeds"], row["runs"], row["sd"]) == (1, 3, None)


def test_patterns_come_in_the_papers_order(table: Table, patterns: tuple[str, ...]) -> None:
    rows = [
        {"pattern": name, "order_seed": 0 if name == "random" else None} for name in patterns[::-1]
    ]
    assert tuple(accuracy(table(rows))["pattern"]) == patterns


def test_one_run_a_set_gives_the_plain_wilson_interval(table: Table, cell: Cell) -> None:
    # Wilson for 7 of 10 at 95%: 0.3968 to 0.8922 (Newcombe's score interval without correction).
    rows = [row | {"set_seed": seed} for seed, row in enumerate(cell("rrrrrrrwww"))]
    found = accuracy(table(rows), ("model",)).row(0, named=True)
    assert found["low"] == pytest.approx(0.3968, abs=5e-5)
    assert found["high"] == pytest.approx(0.8922, abs=5e-5)


def test_runs_of_a_set_that_agree_count_as_one(table: Table, cell: Cell) -> None:
    """Ten sets of four equal answers know no more than ten runs."""
    rows = [
        row | {"set_seed": seed}
        for seed, letter in enumerate("rrrrrrrwww")
        for row in cell(letter * 4)
    ]
    found = accuracy(table(rows), ("model",)).row(0, named=True)
    assert found["low"] == pytest.approx(0.3968, abs=5e-5)


def test_all_right_is_not_certain(table: Table, cell: Cell) -> None:
    # One set of nine runs, all right: worth one run, Wilson for 1 of 1 is 0.2065 to 1.
    found = accuracy(table(cell("r" * 9)), ("model",)).row(0, named=True)
    assert (found["low"], found["high"]) == (pytest.approx(0.2065, abs=5e-5), 1.0)


def test_interval_holds_what_it_promises(table: Table) -> None:
    """Twelve sets of nine runs, each set with a chance of its own around 0.6; 250 studies."""
    source = random.Random(0)
    rows = [
        {
            "model": f"{study:03}",
            "set_seed": seed,
            "outcome": "correct" if source.random() < chance else "mistake",
        }
        for study in range(250)
        for seed in range(12)
        for chance in [source.betavariate(2.4, 1.6)]
        for _ in range(9)
    ]
    found = accuracy(table(rows), ("model",))
    covered = found.filter((pl.col("low") <= 0.6) & (pl.col("high") >= 0.6)).height
    assert 230 <= covered <= 247


def test_answer_modes_never_pool(table: Table, cell: Cell) -> None:
    frame = table([*cell("r"), *cell("w", answer_mode="forced")])
    with pytest.raises(UsageError, match="add answer_mode"):
        accuracy(frame, ("model",))
    assert accuracy(frame, ("model", "answer_mode")).height == 2


def test_bad_requests(table: Table, cell: Cell) -> None:
    frame = table(cell("r"))
    with pytest.raises(UsageError, match="no column 'modell'"):
        accuracy(frame, ("modell",))
    with pytest.raises(UsageError, match="'exclude' or 'incorrect'"):
        accuracy(frame, invalid="drop")  # type: ignore[arg-type]


def test_no_rows_and_no_grouping(table: Table, cell: Cell) -> None:
    for statistic in (accuracy, invalid_rate, outcome_shares):
        assert statistic(table([])).height == 0
        assert statistic(table([]), ()).height == 0
    assert accuracy(table(cell("rw")), ())["accuracy"].item() == 0.5


def test_row_order_does_not_matter(table: Table, cell: Cell) -> None:
    rows = [
        row | {"model": model, "set_seed": seed}
        for model in ("b", "a")
        for seed in (1, 0)
        for row in cell("rwti")
    ]
    assert_frame_equal(accuracy(table(rows)), accuracy(table(rows[::-1])))


def test_invalid_rate(table: Table, cell: Cell) -> None:
    frame = table([*cell("rwip", set_seed=0), *cell("rwto", set_seed=1), *cell("r", set_seed=2)])
    row = invalid_rate(frame, ("model",)).row(0, named=True)
    assert row["invalid_rate"] == pytest.approx((2 / 4 + 1 / 4 + 0) / 3)
    assert row["sd"] == pytest.approx(0.25)
    assert (row["invalid"], row["runs"], row["seeds"]) == (3, 9, 3)


def test_outcome_shares(table: Table, cell: Cell) -> None:
    frame = table([*cell("rwip", set_seed=0), *cell("rrto", set_seed=1)])
    shares = outcome_shares(frame)
    assert tuple(shares["outcome"]) == OUTCOMES
    assert shares["share"].to_list() == pytest.approx([3 / 8, 1 / 8, 1 / 8, 1 / 8, 1 / 8, 1 / 8])
    assert shares["count"].to_list() == [3, 1, 1, 1, 1, 1]
    assert shares["sd"][0] == pytest.approx(0.25 / 2**0.5)
    assert set(shares["runs"]) == {8}
