"""Contract: planned differences of patterns, one value a set, with intervals and Holm's p."""

from __future__ import annotations

import random
from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import CONTRASTS, Contrast, contrasts, holm

Table = Callable[..., pl.DataFrame]
Cell = Callable[..., list[dict[str, object]]]
Preset = Callable[..., pl.DataFrame]
FIRST, LAST = "majority-first", "majority-last"
ONE = (Contrast("first − last", (FIRST,), (LAST,)),)


def sets(cell: Cell, first: str, last: str) -> list[dict[str, object]]:
    return [
        row
        for pattern, letters in ((FIRST, first), (LAST, last))
        for seed, letter in enumerate(letters)
        for row in cell(letter, pattern=pattern, set_seed=seed)
    ]


def test_the_planned_ones() -> None:
    assert [c.name for c in CONTRASTS][:4] == [
        "first − last",
        "first − middle",
        "edges − middle",
        "block − soft",
    ]
    assert [(c.plus, c.minus) for c in CONTRASTS][4:] == [
        ((name,), ("random",))
        for name in (
            "majority-first",
            "majority-last",
            "majority-edges",
            "majority-middle",
            "soft-majority-edges",
            "soft-majority-middle",
        )
    ]


def test_hand_worked(table: Table, cell: Cell) -> None:
    """Differences 1, 1, 1, 0, -1 over five sets: mean 0.4. Four sets can swap; of the 16 sign
    vectors, |sum| >= 2 in 10: p = 0.625."""
    frame = table(sets(cell, "rrrrw", "wwwrr"))
    row = contrasts(frame, planned=ONE, permutations=20_000).row(0, named=True)
    assert (row["difference"], row["sets"]) == (pytest.approx(0.4), 5)
    assert row["p_value"] == pytest.approx(0.625, abs=0.02)
    assert row["p_holm"] == row["p_value"]
    assert -1 <= row["low"] < 0 < row["high"] <= 1


def test_many_orders_of_a_set(table: Table, cell: Cell) -> None:
    """Four orders each, all right and all wrong: 2 of the 70 ways to deal four labels."""
    rows = [
        *cell("rrrr", pattern=FIRST, orders=(1, 2, 3, 4)),
        *cell("wwww", pattern=LAST, orders=(1, 2, 3, 4)),
    ]
    row = contrasts(table(rows), planned=ONE, permutations=20_000).row(0, named=True)
    assert row["difference"] == 1.0
    assert row["p_value"] == pytest.approx(2 / 70, abs=0.005)


def test_weights_and_random(table: Table, cell: Cell) -> None:
    """first 1 less random's mean 1/3; (first + last) / 2 less random is 1/2 - 1/3."""
    rows = [
        *cell("r", pattern=FIRST),
        *cell("w", pattern=LAST),
        *cell("rww", pattern="random", orders=(0, 1, 2)),
    ]
    planned = (
        Contrast("a", (FIRST,), ("random",)),
        Contrast("b", (FIRST, LAST), ("random",)),
    )
    found = contrasts(table(rows), planned=planned, permutations=100)
    assert found["difference"].to_list() == pytest.approx([2 / 3, 1 / 6])
    assert found["low"].to_list() == [None, None]


def test_only_complete_sets_count(table: Table, cell: Cell) -> None:
    found = contrasts(table(sets(cell, "rrr", "wio")), planned=ONE, permutations=10)
    assert (found["difference"].item(), found["sets"].item()) == (1.0, 1)
    wrong = contrasts(
        table(sets(cell, "rrr", "wio")), planned=ONE, invalid="incorrect", permutations=10
    )
    assert wrong["sets"].item() == 3


def test_a_contrast_that_was_not_run(table: Table, cell: Cell) -> None:
    found = contrasts(table(sets(cell, "rr", "ww")), permutations=50)
    assert found.height == len(CONTRASTS)
    row = found.filter(pl.col("contrast") == "edges − middle").row(0, named=True)
    assert (row["difference"], row["p_value"], row["p_holm"], row["sets"]) == (None,) * 3 + (0,)
    done = found.filter(pl.col("contrast") == "first − last").row(0, named=True)
    assert done["p_holm"] == done["p_value"]


def test_margins(table: Table) -> None:
    """Towards the majority: first +2 (positive) and +1 (negative), last 0 and -1: mean 2."""
    rows = [
        {
            "answer_mode": "forced",
            "majority_label": majority,
            "pattern": pattern,
            "margin": margin,
            "outcome": "mistake",
        }
        for majority, pattern, margin in (
            ("positive", FIRST, 2.0),
            ("negative", FIRST, -1.0),
            ("positive", LAST, 0.0),
            ("negative", LAST, 1.0),
        )
    ]
    row = contrasts(table(rows), planned=ONE, value="margin", permutations=4_000)
    assert (row["difference"].item(), row["sets"].item()) == (2.0, 2)
    # Both sets differ by 2, so two of the four ways to swap are as large.
    assert row["p_value"].item() == pytest.approx(0.5, abs=0.03)
    assert contrasts(table([{}]), planned=ONE, value="margin").height == 0


def test_other_patterns_do_not_disturb(preset: Preset) -> None:
    """First and last are right alike although the middle fails: p is not small."""
    source = random.Random(3)

    def rule(experiment: object) -> str:
        middle = getattr(experiment, "pattern", "") == "majority-middle"
        return "mistake" if middle or source.random() < 0.5 else "correct"

    found = contrasts(preset("core", rule), permutations=1_000)
    p = dict(zip(found["contrast"], found["p_value"], strict=True))
    assert p["first − last"] > 0.05
    assert p["first − middle"] < 0.01


def test_interval_holds_what_it_promises(table: Table) -> None:
    """Of 200 studies of eight sets each with a true difference of 0.4, about 95% cover it."""
    source = random.Random(0)
    rows = [
        {
            "model": f"{study:03}",
            "set_seed": seed,
            "pattern": pattern,
            "outcome": "correct" if source.random() < chance else "mistake",
            "order_seed": order,
        }
        for study in range(200)
        for seed in range(8)
        for pattern, chance in ((FIRST, 0.7), (LAST, 0.3))
        for order in range(4)
    ]
    found = contrasts(table(rows), planned=ONE, permutations=1)
    covered = found.filter((pl.col("low") <= 0.4) & (pl.col("high") >= 0.4)).height
    assert 180 <= covered <= 198


def test_holm() -> None:
    """Holm by hand: sorted 0.01, 0.02, 0.04 times 3, 2, 1, made monotone; nulls are no tests."""
    frame = pl.DataFrame({"p_value": [0.02, None, 0.01, 0.04]})
    assert holm(frame)["p_holm"].to_list() == [
        pytest.approx(0.04),
        None,
        pytest.approx(0.03),
        pytest.approx(0.04),
    ]
    # The second's own 0.021 is less than the first's 0.04, and may not be.
    close = pl.DataFrame({"p_value": [0.02, 0.021]})
    assert holm(close)["p_holm"].to_list() == pytest.approx([0.04, 0.04])
    empty = pl.DataFrame({"p_value": [None]}, schema={"p_value": pl.Float64})
    assert holm(empty)["p_holm"].to_list() == [None]


def test_holm_agrees_with_statsmodels() -> None:
    from statsmodels.stats.multitest import multipletests

    source = random.Random(1)
    values = [source.random() ** 3 for _ in range(50)] + [0.5, 0.5, 0.0, 1.0]
    expected = multipletests(values, method="holm")[1]
    assert holm(pl.DataFrame({"p_value": values}))["p_holm"].to_list() == pytest.approx(
        expected.tolist()
    )
