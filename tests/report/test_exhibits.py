"""Every table and figure of the paper is made where the data allow it, else named as missing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import polars as pl
import pytest
from tests.report.conftest import Simulate

from evenhand.analysis import all_experiments_table, filter_agreement
from evenhand.design import PATTERNS
from evenhand.report import Figure
from evenhand.report._catalogue import EXHIBITS, DataTable, Material
from evenhand.report._exhibits import exhibits, missing_exhibits, write_exhibits
from evenhand.report.figures._variants import change_by_variant
from evenhand.report.tables._filter import filter_table
from evenhand.report.tables._summary import core_table

PAPER = [
    "Table 2", "Table 4", "Table 5", "Table 6", "Figures 1 and 8", "Figure 2", "Figure 3",
    "Figure 4", "Figure 9", "Figure 10", "Figure 11", "Figure 14", "Figure 15", "Appendix D.1",
    "Figure 16", "Figure 17", "Figure 18", "Figure 19", "Figure 20",
]  # fmt: skip
BUDGETS = (20_000, 100_000)


@pytest.fixture(scope="module")
def everything(simulate: Simulate) -> pl.DataFrame:
    tasks = ("sentiment", "ner")
    return pl.concat(
        [
            simulate("maker/alpha", tasks=tasks, variants=("standard", "hint"), invalid=0.2,
                     budgets=BUDGETS),
            simulate("maker/alpha", setting="counts", tasks=tasks, n=(100, 200), p=(0.9, 0.55),
                     seeds=(1,), budgets=BUDGETS),
            simulate("maker/beta", tasks=tasks).with_columns(
                reasoning_budget=pl.lit(19_980, pl.Int64)
            ),
        ]
    )  # fmt: skip


def test_the_catalogue_is_the_papers_list() -> None:
    assert [exhibit.paper for exhibit in EXHIBITS] == PAPER
    assert len({exhibit.name for exhibit in EXHIBITS}) == len(EXHIBITS)


def test_all_but_the_filters_table_can_be_made(everything: pl.DataFrame) -> None:
    made = exhibits(Material(everything, permutations=200))
    assert [row[0] for row in missing_exhibits(made)] == ["Table 4"]
    for contents in made.values():
        for _, content in contents:
            assert isinstance(content, Figure | DataTable)
            if isinstance(content, Figure):
                assert content.alt
                assert content.numbers is not None
                assert content.numbers.rows


def test_a_plain_run_names_what_is_missing_and_the_run_that_supplies_it(
    simulate: Simulate, tmp_path: Path
) -> None:
    made = exhibits(Material(simulate(), permutations=200))
    entries = write_exhibits(made, tmp_path)
    missing = {entry.paper: entry.command for entry in entries if not entry.made}
    assert "run counts" in missing["Figure 3"]
    assert "run variants" in missing["Figure 20"]
    assert "run budgets" in missing["Figure 9"]
    assert "qwen3.6-plus" in missing["Appendix D.1"]
    stored = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    assert [entry["paper"] for entry in stored] == PAPER
    files = [tmp_path / name for entry in stored for name in entry["files"]]
    assert files
    assert all(path.stat().st_size > 0 for path in files)
    assert {path.suffix for path in files} == {".md", ".tex", ".csv", ".svg", ".pdf", ".png"}


def _rows(simulate: Simulate, right: Mapping[str, bool]) -> pl.DataFrame:
    chance = {pattern: float(right[pattern]) for pattern in PATTERNS}
    return simulate(chance=chance, seeds=(0, 1), order_seeds=(0,))


def test_table_2_by_hand(simulate: Simulate) -> None:
    """Three of seven patterns right in every run: 3/7 right, a gap of 100 points, no spread."""
    right = {str(pattern): pattern in PATTERNS[:3] for pattern in PATTERNS}
    row = Material(_rows(simulate, right)).overview.row(0, named=True)
    assert row["accuracy"] == pytest.approx(3 / 7)
    assert row["sd"] == 0
    assert (row["gap"], row["gap_sd"], row["mark"], row["pairs"]) == (1.0, 0.0, "", 2)
    assert (row["best"], row["worst"]) == ("random", "majority-edges")
    assert (row["invalid_rate"], row["runs"]) == (0.0, 28)


def test_a_gap_of_one_pair_is_marked_and_has_no_sd(simulate: Simulate) -> None:
    """Seed 1 has no valid run but of one pattern: one pair of three is left."""
    frame = simulate(seeds=(0, 1, 2), order_seeds=(0,)).with_columns(
        valid=(pl.col("set_seed") == 0) | (pl.col("pattern") == "random")
    )
    frame = frame.with_columns(
        outcome=pl.when("valid").then("outcome").otherwise(pl.lit("overlong")),
        correct=pl.col("correct") & pl.col("valid"),
    )
    summary = Material(frame).overview
    gap = core_table(summary).rows[0][2].text
    assert summary["gap_sd"][0] is None
    assert gap.endswith("†")
    assert "±" not in gap


def test_table_6_counts_invalid_runs_as_wrong(simulate: Simulate) -> None:
    frame = simulate(chance=dict.fromkeys(PATTERNS, 1.0), seeds=(0, 1), order_seeds=(0,))
    lost = pl.col("pattern") == "majority-last"
    frame = frame.with_columns(
        valid=~lost,
        correct=~lost,
        outcome=pl.when(lost).then(pl.lit("overlong")).otherwise(pl.lit("correct")),
    )
    row = all_experiments_table(frame).row(0, named=True)
    assert (row["accuracy"], row["gap"]) == (1.0, 0.0)
    assert row["accuracy_all"] == pytest.approx(6 / 7)
    assert (row["gap_all"], row["worst_all"]) == (1.0, "majority-last")
    assert row["invalid_rate"] == pytest.approx(1 / 7)


def test_figure_20_pairs_changes_within_set_seeds(simulate: Simulate) -> None:
    """The hint is right where the standard prompt is wrong, in one pattern only."""
    standard = simulate(chance=dict.fromkeys(PATTERNS, 0.0), seeds=(0, 1))
    hint = simulate(
        chance=dict.fromkeys(PATTERNS, 0.0) | {"majority-last": 1.0},
        seeds=(0, 1),
        variants=("hint",),
    )
    changes = {
        row["pattern"]: row["change"]
        for row in change_by_variant(pl.concat([standard, hint])).iter_rows(named=True)
    }
    assert changes.pop("majority-last") == 1.0
    assert changes.pop("all orders") == pytest.approx(1 / 9)
    assert set(changes.values()) == {0.0}


def test_table_4_by_hand() -> None:
    verdicts = pl.DataFrame(
        {
            "task": ["ner"] * 8,
            "instance_id": ["1", "2", "3", "4"] * 2,
            "model": ["a"] * 4 + ["b"] * 4,
            "correct": [True, True, False, False, True, False, False, True],
        }
    )
    assert [cell.text for cell in filter_table(filter_agreement(verdicts)).rows[0]] == [
        "ner", "25.0", "25.0", "50.0", "4",
    ]  # fmt: skip
