"""The sentence on top follows from the numbers, and says so when they cannot tell."""

from __future__ import annotations

import polars as pl
from tests.report.conftest import Simulate

from evenhand.design import PATTERNS
from evenhand.report import findings, headline
from evenhand.report._finding import explanation, interval_points, lead, leading, verdict_text

ALWAYS = dict.fromkeys(PATTERNS, 1.0)
FIRST_READER = ALWAYS | {"majority-last": 0.0, "majority-middle": 0.0, "soft-majority-middle": 0.0}
"""A reader of the first 200 of 2,000 records (random aside, which we let be right)."""


def test_an_effect_is_told_in_the_managers_words(simulate: Simulate) -> None:
    (found,) = findings(simulate(n=(2000,), chance=FIRST_READER))
    assert found.verdict == "effect"
    assert headline(found) == (
        "With the same 2,000 records, this model’s answer was right 100% of the time in random "
        "order and 0% with the majority last."
    )
    assert found.gap == 1.0
    assert found.p_value is not None
    assert found.p_value < 0.01


def test_the_majority_is_not_named_twice(simulate: Simulate) -> None:
    chance = dict.fromkeys(PATTERNS, 0.0) | {"majority-edges": 1.0}
    frame = simulate(chance=chance).filter(pl.col("pattern") != "random")
    (found,) = findings(frame)
    assert headline(found).endswith(
        "100% of the time with the majority at the edges and 0% with it first."
    )


def test_a_perfect_counter_has_no_gap_and_no_small_p(simulate: Simulate) -> None:
    (found,) = findings(simulate(chance=ALWAYS))
    assert (found.gap, found.verdict, found.p_value) == (0.0, "none", 1.0)
    assert headline(found) == (
        "With the same 100 records, this model’s answer was right 100% of the time in every order."
    )


def test_a_coin_stays_inside_its_null(simulate: Simulate) -> None:
    coin = simulate(
        chance=dict.fromkeys(PATTERNS, 0.5), tasks=("sentiment", "ner", "wsd"), seeds=range(6)
    )
    (found,) = findings(coin)
    assert found.verdict == "none"
    assert found.gap is not None
    assert found.null_95 is not None
    assert found.gap < found.null_95
    assert headline(found).startswith("No sign of an order effect: with the same 100 records")


def test_a_run_too_small_to_tell_says_so(simulate: Simulate) -> None:
    coin = simulate(chance=dict.fromkeys(PATTERNS, 0.5), seeds=(0,), order_seeds=(0,), seed=1)
    (found,) = findings(coin)
    assert found.verdict == "unclear"
    assert headline(found).startswith("Too few runs to tell: ")
    assert "chance alone makes gaps of up to" in verdict_text(found)


def test_no_valid_answer_at_all(simulate: Simulate) -> None:
    (found,) = findings(simulate(invalid=1.0))
    assert (found.verdict, found.best, found.gap) == ("unclear", None, None)
    assert headline(found) == (
        "This model gave no answer that counts: none of its 54 runs was valid."
    )
    assert explanation(found) == (
        "54 runs of 54 gave no valid answer and are left out of these shares.",
    )


def test_the_headline_speaks_of_a_model_rather_than_a_reader(simulate: Simulate) -> None:
    frame = pl.concat(
        [simulate("reader/first-200", chance=FIRST_READER), simulate("maker/model", seeds=range(9))]
    )
    found = findings(frame)
    assert leading(found).model == "maker/model"
    top = lead(found, "n = 100")
    assert "maker/model was right" in top.headline
    assert len(top.measures) == 2
    assert top.explanation[-1].startswith("Of 2 models ")


def test_an_interval_below_zero_has_minus_signs() -> None:
    assert interval_points(-0.391, 0.667) == "−39 to 67 points"
