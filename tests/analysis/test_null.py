"""Contract: the gap's null deals labels within blocks, keeps random's three runs, reproduces the
known size of the gap without an order effect, and tells readers with an effect from those without.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.analysis import best_worst_gap, gap_null
from evenhand.design import Experiment

Table = Callable[..., pl.DataFrame]
Cell = Callable[..., list[dict[str, object]]]
Preset = Callable[..., pl.DataFrame]
FIRST, LAST, MIDDLE = "majority-first", "majority-last", "majority-middle"


def coin(chance: float, seed: int) -> Callable[[Experiment], str]:
    source = random.Random(seed)
    return lambda _: "correct" if source.random() < chance else "mistake"


@pytest.mark.parametrize(
    ("chance", "mean", "percentile"), [(0.5, 0.24, 0.37), (0.7, 0.21, 0.33), (0.9, 0.14, 0.23)]
)
def test_size_of_the_gap_without_an_order_effect(
    preset: Preset, chance: float, mean: float, percentile: float
) -> None:
    """The core design gives a model 30 runs a pattern, 90 for random: 5 tasks, 2 labels, 3 seeds.

    Exactly ``chance`` of each model's 270 runs are right; the null depends on them alone.
    """
    right = round(270 * chance)
    frames = []
    for model in range(8):
        outcomes = ["correct"] * right + ["mistake"] * (270 - right)
        random.Random(model).shuffle(outcomes)
        answers = iter(outcomes)
        frames.append(preset("core", lambda _, a=answers: next(a), model=f"coin-{model}"))
    nulls = gap_null(pl.concat(frames), permutations=2_000)
    assert nulls["null_mean"].mean() == pytest.approx(mean, abs=0.01)
    assert nulls["null_95"].mean() == pytest.approx(percentile, abs=0.01)


def test_p_values_of_coins_are_even(preset: Preset) -> None:
    """Over 40 coins, p is below one half for about a half, and the excess averages zero."""
    frames = [preset("core", coin(0.7, seed), model=f"coin-{seed:02}") for seed in range(40)]
    nulls = gap_null(pl.concat(frames), permutations=500)
    assert 10 <= (nulls["p_value"] < 0.5).sum() <= 30
    assert (nulls["p_value"] < 0.05).sum() <= 6
    assert nulls["excess"].mean() == pytest.approx(0, abs=0.035)


def test_exact_null_of_one_block(table: Table, cell: Cell) -> None:
    """Two patterns, one set, one right and one wrong: either dealing has gap 1, so p is 1."""
    frame = table([*cell("r", pattern=FIRST), *cell("w", pattern=LAST)])
    row = gap_null(frame, permutations=99).row(0, named=True)
    assert (row["gap"], row["null_mean"], row["null_95"]) == (1.0, 1.0, 1.0)
    assert (row["p_value"], row["excess"], row["permutations"]) == (1.0, 0.0, 99)
    assert (row["low"], row["high"]) == (None, None)


def test_exact_null_of_two_blocks(table: Table, cell: Cell) -> None:
    """First right and last wrong in both of two sets. The two dealings agree half the time, giving
    1; else 0: mean 1/2, and p about one half."""
    frame = table(
        [
            *cell("r", pattern=FIRST),
            *cell("w", pattern=LAST),
            *cell("r", pattern=FIRST, majority_label="negative"),
            *cell("w", pattern=LAST, majority_label="negative"),
        ]
    )
    row = gap_null(frame, permutations=4_000).row(0, named=True)
    assert row["gap"] == 1.0
    assert row["null_mean"] == pytest.approx(0.5, abs=0.03)
    assert row["p_value"] == pytest.approx(0.5, abs=0.03)
    # Two sets alike: 1 - 0.025 ** (1 / 2) = 0.84 of all sets may be of another kind, down to -1.
    assert (row["low"], row["high"]) == (pytest.approx(1 - 2 * 0.84189, abs=1e-4), 1.0)


def test_labels_are_dealt_within_blocks_only(table: Table, cell: Cell) -> None:
    """A set that is always right and one that is always wrong leave nothing to deal."""
    rows = [
        *cell("r", pattern=FIRST),
        *cell("r", pattern=LAST),
        *cell("w", pattern=FIRST, task="ner", labels=["LOC", "PER"], majority_label="PER"),
        *cell("w", pattern=LAST, task="ner", labels=["LOC", "PER"], majority_label="PER"),
    ]
    row = gap_null(table(rows), permutations=50).row(0, named=True)
    assert (row["gap"], row["null_mean"], row["p_value"]) == (0.0, 0.0, 1.0)


def test_random_keeps_three_slots(table: Table, cell: Cell) -> None:
    """Random RRR, first W. The wrong run goes to first with chance 1/4 (gap 1), else gap 1/3."""
    frame = table([*cell("rrr", pattern="random", orders=(0, 1, 2)), *cell("w", pattern=FIRST)])
    row = gap_null(frame, permutations=4_000).row(0, named=True)
    # Wrong in random: random 2/3, first 1, gap 1/3. Mean 1/4 * 1 + 3/4 * 1/3 = 1/2.
    assert row["null_mean"] == pytest.approx(0.5, abs=0.03)
    assert row["p_value"] == pytest.approx(0.25, abs=0.03)


def test_repeats_of_an_order_move_together(table: Table, cell: Cell) -> None:
    """Two orders of two equal repeats have two dealings, not six: gap 1 in both."""
    rows = [
        row | {"repeat": repeat}
        for pattern, letters in ((FIRST, "rr"), (LAST, "ww"))
        for repeat, row in enumerate(cell(letters, pattern=pattern))
    ]
    assert gap_null(table(rows), permutations=200)["null_mean"].item() == 1.0


def test_an_invalid_run_moves_with_its_run(table: Table, cell: Cell) -> None:
    """First R, last W, middle invalid: excluded, every dealing pairs R with W."""
    frame = table([*cell("r", pattern=FIRST), *cell("w", pattern=LAST), *cell("o", pattern=MIDDLE)])
    row = gap_null(frame, permutations=200).row(0, named=True)
    assert (row["gap"], row["null_mean"]) == (1.0, 1.0)
    wrong = gap_null(frame, invalid="incorrect", permutations=200).row(0, named=True)
    assert (wrong["gap"], wrong["null_mean"]) == (1.0, 1.0)


def test_nothing_valid_is_null_and_no_rows_give_none(table: Table, cell: Cell) -> None:
    frame = table([*cell("i", pattern=FIRST), *cell("i", pattern=LAST)])
    row = gap_null(frame, permutations=10).row(0, named=True)
    assert (row["gap"], row["p_value"]) == (None, None)
    assert gap_null(table([])).height == 0
    assert gap_null(table(cell("r")), by=(), permutations=10)["gap"].item() is None


def test_a_models_null_does_not_depend_on_other_models(preset: Preset) -> None:
    one = preset("core", coin(0.6, 1), model="one")
    both = pl.concat([preset("core", coin(0.6, 2), model="other"), one])
    alone = gap_null(one, permutations=200)
    beside = gap_null(both, permutations=200).filter(pl.col("model") == "one")
    assert alone.equals(beside)


@settings(deadline=None, max_examples=30)
@given(
    letters=st.lists(st.sampled_from("rrwti"), min_size=21, max_size=21),
    invalid=st.sampled_from(["exclude", "incorrect"]),
)
def test_the_gap_is_the_one_of_best_worst_gap(letters: list[str], invalid: str) -> None:
    words = {"r": "correct", "w": "mistake", "t": "tie", "i": "invalid_input"}
    names = ["random", FIRST, LAST, MIDDLE, "majority-edges"]
    frame = pl.DataFrame(
        {
            "model": "m",
            "task": "t",
            "pool": "s",
            "n": 100,
            "p": 0.55,
            "variant": "standard",
            "output_budget": 1,
            "answer_mode": "generate",
            "majority_label": "a",
            "set_seed": [index // 7 for index in range(21)],
            "pattern": [names[max(index % 7 - 2, 0)] for index in range(21)],
            "order_seed": [index % 7 if index % 7 < 3 else None for index in range(21)],
            "outcome": [words[letter] for letter in letters],
        }
    ).with_columns(
        (pl.col("outcome") != "invalid_input").alias("valid"),
        (pl.col("outcome") == "correct").alias("correct"),
    )
    expected = best_worst_gap(frame, invalid=invalid)["gap"].item()  # type: ignore[arg-type]
    found = gap_null(frame, invalid=invalid, permutations=5)["gap"].item()  # type: ignore[arg-type]
    assert found == (None if expected is None else pytest.approx(expected))


def test_a_reader_of_the_first_is_told_from_chance(preset: Preset) -> None:
    right = {FIRST, "majority-edges"}
    frame = preset("core", lambda e: "correct" if e.pattern in right else "mistake")
    row = gap_null(frame, permutations=500).row(0, named=True)
    assert row["gap"] == 1.0
    assert row["p_value"] == pytest.approx(1 / 501)


def test_a_perfect_counter_has_nothing_to_explain(preset: Preset) -> None:
    row = gap_null(preset("core", lambda _: "correct"), permutations=200).row(0, named=True)
    assert (row["gap"], row["null_95"], row["p_value"]) == (0.0, 0.0, 1.0)
