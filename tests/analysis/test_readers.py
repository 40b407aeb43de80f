"""Contract: over simulated readers of the core design the statistics show what follows in closed
form: who reads the first 200 of 2,000, who counts perfectly, who tosses a coin."""

from __future__ import annotations

import random
from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import (
    accuracy_by_pattern,
    best_worst_gap,
    contrasts,
    flip_rate,
    gap_null,
    invalid_bounds,
    overview_table,
    split_half_gap,
)
from evenhand.design import Experiment, arrange

Preset = Callable[..., pl.DataFrame]


def first_200(experiment: Experiment) -> str:
    """Arrange 1,100 and 900 as the design does, read the first 200, answer their majority."""
    majority = [f"{experiment.set_seed} M{k}" for k in range(1100)]
    minority = [f"{experiment.set_seed} m{k}" for k in range(900)]
    order = arrange(majority, minority, experiment.pattern, experiment.order_seed)
    hits = sum("M" in item for item in order[:200])
    return "tie" if hits == 100 else "correct" if hits > 100 else "mistake"


def test_reader_of_the_first_200(preset: Preset) -> None:
    seen: dict[tuple[str, int, int | None], str] = {}

    def rule(e: Experiment) -> str:
        key = (e.pattern, e.set_seed, e.order_seed)
        if key not in seen:
            seen[key] = first_200(e)
        return seen[key]

    frame = preset("core", rule)
    by_pattern = accuracy_by_pattern(frame)
    accuracies = dict(zip(by_pattern["pattern"], by_pattern["accuracy"], strict=True))
    assert accuracies["majority-first"] == accuracies["majority-edges"] == 1.0
    assert accuracies["majority-last"] == accuracies["majority-middle"] == 0.0
    # 100 surplus ones, then pairs: right. Pairs only: a tie, valid and wrong.
    assert accuracies["soft-majority-edges"] == 1.0
    assert accuracies["soft-majority-middle"] == 0.0
    gap = best_worst_gap(frame).row(0, named=True)
    assert (gap["best"], gap["worst"], gap["gap"]) == ("majority-first", "majority-last", 1.0)
    assert (gap["sd"], gap["pairs"], gap["mark"]) == (0.0, 3, "")
    null = gap_null(frame, permutations=200).row(0, named=True)
    assert null["p_value"] == pytest.approx(1 / 201)
    structured = frame.filter(pl.col("pattern") != "random")
    assert split_half_gap(structured)["split_half_gap"].item() == 1.0
    planned = contrasts(frame, permutations=200)
    found = dict(zip(planned["contrast"], planned["difference"], strict=True))
    assert found["first − last"] == found["first − middle"] == found["edges − middle"] == 1.0
    assert found["block − soft"] == pytest.approx(0)


def test_perfect_counter(preset: Preset) -> None:
    frame = preset("core", lambda _: "correct")
    row = overview_table(frame, permutations=200).row(0, named=True)
    assert (row["accuracy"], row["sd"], row["gap"], row["invalid_rate"]) == (1.0, 0.0, 0.0, 0.0)
    assert (row["null_95"], row["p_value"], row["p_holm"]) == (0.0, 1.0, 1.0)
    assert (accuracy_by_pattern(frame)["accuracy"] == 1.0).all()
    assert flip_rate(frame)["flip_rate"].item() == 0.0
    assert invalid_bounds(frame)["if_wrong"].item() == 1.0


def test_coin(preset: Preset) -> None:
    source = random.Random(11)
    frame = preset("core", lambda _: "correct" if source.random() < 0.5 else "mistake")
    row = overview_table(frame, permutations=1_000).row(0, named=True)
    assert row["accuracy"] == pytest.approx(0.5, abs=0.1)
    assert row["gap"] <= row["null_95"]
    assert row["p_value"] > 0.05
    assert flip_rate(frame)["flip_rate"].item() == pytest.approx(0.5, abs=0.05)
    assert (contrasts(frame, permutations=500)["p_holm"] > 0.05).all()
