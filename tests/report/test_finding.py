"""The sentence on top follows from the numbers, and says so when they cannot tell."""

from __future__ import annotations

import polars as pl
import pytest
from tests.report.conftest import Simulate

from evenhand.design import PATTERNS
from evenhand.report import findings, headline
from evenhand.report._finding import explanation, interval_points, verdict_text
from evenhand.report._lead import lead, leading
from evenhand.report._leaning import shift_words
from evenhand.report.figures._gap import gap_table

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
        "54 runs of 54 (100%) gave no valid answer and are left out of these shares.",
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
    assert top.kicker == "evenhand · maker/model · n = 100"
    assert top.explanation[-1] == (
        "For scale, simulated readers: reader/first-200 was right 100% of the time in random "
        "order and 0% with the majority last."
    )


def test_the_first_run_named_leads_and_readers_are_not_counted(simulate: Simulate) -> None:
    frames = [simulate(name, seeds=range(9)) for name in ("reader/x", "maker/a", "maker/b")]
    found = findings(pl.concat(frames))
    assert leading(found).model == "maker/a"
    assert leading(found[::-1]).model == "maker/b"
    assert lead(found, "").explanation[-2].startswith("Of 2 models 2 show an order effect")


def test_p_values_of_models_are_not_adjusted_for_readers(simulate: Simulate) -> None:
    alone = findings(simulate("maker/a"))
    readers = [simulate(f"reader/{at}", chance=ALWAYS) for at in range(3)]
    (first, *_) = findings(pl.concat([simulate("maker/a"), *readers]))
    assert first.p_value == alone[0].p_value


def _says_one_word(frame: pl.DataFrame, word: str = "positive") -> pl.DataFrame:
    """The rows of a model that names ``word`` in every valid answer."""
    right = pl.col("majority_label") == word
    valid = pl.col("valid")
    return frame.with_columns(
        pl.when(valid).then(pl.lit(word)).alias("predicted"),
        (valid & right).alias("correct"),
        pl.when(~valid)
        .then("outcome")
        .when(right)
        .then(pl.lit("correct"))
        .otherwise(pl.lit("mistake"))
        .alias("outcome"),
    )


def _half_invalid(frame: pl.DataFrame) -> pl.DataFrame:
    """Every run of set seed 0 is valid, none of set seed 1."""
    lost = pl.col("set_seed") == 1
    return frame.with_columns(
        (~lost).alias("valid"),
        pl.when(lost).then(pl.lit("parsing_issue")).otherwise("outcome").alias("outcome"),
    )


def test_one_label_is_no_good_news(simulate: Simulate) -> None:
    frame = _says_one_word(_half_invalid(simulate(seeds=(0, 1))))
    (found,) = findings(frame)
    assert (found.verdict, found.gap, found.p_value) == ("one-label", 0.0, 1.0)
    assert headline(found) == (
        "This model named “positive” in all 18 valid answers, whatever the order: its answers "
        "cannot show whether order matters."
    )
    assert verdict_text(found) == (
        "Order cannot be judged from these answers: 95% or more of the valid ones name one label."
    )
    assert explanation(found) == (
        "Label bias: “positive” was named in 100% of the valid answers and was right in 50% of "
        "them (+50 points).",
        "18 runs of 36 (50%) gave no valid answer and are left out of these shares.",
    )
    (measure,) = lead([found], "").measures
    assert (measure.pattern, measure.value) == ("", "100%")
    assert measure.detail == "it was right in 50% · bias +50 points · 18 valid runs"


@pytest.mark.parametrize(("others", "verdict"), [(2, "one-label"), (3, "none")])
def test_nearly_always_is_95_percent(simulate: Simulate, others: int, verdict: str) -> None:
    # 54 runs: 52 of one label are 96.3%, 51 are 94.4%.
    frame = _says_one_word(simulate()).with_row_index("at")
    wrong = frame.filter(pl.col("majority_label") == "positive")["at"].to_list()[:others]
    missed = pl.col("at").is_in(wrong)
    frame = frame.with_columns(
        pl.when(missed).then(pl.lit("negative")).otherwise("predicted").alias("predicted"),
        (pl.col("correct") & ~missed).alias("correct"),
        pl.when(missed).then(pl.lit("mistake")).otherwise("outcome").alias("outcome"),
    )
    (found,) = findings(frame.drop("at"))
    assert found.verdict == verdict


def test_one_majority_label_is_no_reason_to_name_two(simulate: Simulate) -> None:
    frame = simulate(chance=ALWAYS).filter(pl.col("majority_label") == "positive")
    (found,) = findings(frame)
    assert found.verdict != "one-label"


def _margins(frame: pl.DataFrame, edges: float) -> pl.DataFrame:
    """Margins that lean to "positive" by 1, and to the majority by ``edges`` at the edges only.

    Set seeds 0, 1, 2 add 0, 0.1 and 0.2 to what the edges do, so that the sets differ.
    """
    sign = pl.when(pl.col("majority_label") == "positive").then(1.0).otherwise(-1.0)
    at_edges = (pl.col("pattern") == "majority-edges").cast(pl.Float64)
    push = at_edges * (edges + 0.1 * pl.col("set_seed"))
    return _says_one_word(frame).with_columns((1.0 + sign * push).alias("margin"))


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        (0.3, "but its margins move with the order: they lean 0.40 further towards the majority"),
        (-0.12, "its margins show no clear effect of order either: they lean 0.02 further away"),
    ],
)
def test_margins_speak_where_answers_do_not(simulate: Simulate, edges: float, words: str) -> None:
    (found,) = findings(_margins(simulate(forced=True), edges))
    assert found.verdict == "one-label"
    assert headline(found).startswith(
        f"This model named “positive” in all 54 valid answers, whatever the order; {words}"
    )
    assert verdict_text(found).endswith("name one label; see the margins.")
    # Six sets with differences 0.3, 0.4, 0.5 twice each: mean 0.4, SD sqrt(0.008), t = 10.95.
    if edges > 0:
        assert found.shift is not None
        assert shift_words(found.shift) == (
            "+0.40 (95% interval +0.31 to +0.49, paired t = 10.95, p < 0.001, 6 instance sets)"
        )


def test_margins_are_named_where_a_few_answers_decide_nothing(simulate: Simulate) -> None:
    coin = dict.fromkeys(PATTERNS, 0.5)
    rows = simulate(forced=True, seeds=(0, 1, 2), order_seeds=(0,), chance=coin, seed=1)
    answers = rows.select("predicted", "correct", "outcome")
    moved = _margins(rows, 0.3).with_columns(answers)
    (found,) = findings(moved)
    assert found.verdict in ("none", "unclear")
    assert verdict_text(found).endswith(" Its margins do move with the order; see below.")


def test_a_gap_of_nothing_is_one_number(simulate: Simulate) -> None:
    (found,) = findings(simulate(chance=ALWAYS))
    assert found.alike
    (measure,) = lead([found], "").measures
    assert (measure.pattern, measure.value, measure.place) == ("", "100%", "in every order")
    assert measure.detail.endswith("· 54 runs")
    cells = [cell.text for cell in gap_table([found]).rows[0]]
    assert cells[1:3] == ["all alike", "all alike"]
    assert explanation(found)[0].startswith("All orders did equally well; were order irrelevant")


def test_the_gap_of_chance_is_not_called_little(simulate: Simulate) -> None:
    (found,) = findings(simulate(seeds=(0,)))
    said = explanation(found)[0]
    assert "a little" not in said
    assert "; were order irrelevant, chance alone would still put " in said


def test_an_interval_below_zero_has_minus_signs() -> None:
    assert interval_points(-0.391, 0.667) == "−39 to 67 points"
