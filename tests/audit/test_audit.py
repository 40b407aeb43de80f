"""Contract: an order-sensitive reader is called so, an order-blind one never is but by the stated
error rate, and a noisy one is not mistaken for either."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.audit import Audit, audit
from evenhand.audit._ahead import never_thinks
from evenhand.errors import UsageError
from evenhand.models import (
    Generation,
    GenerationSettings,
    ModelSpec,
    TokenCount,
    TransientError,
    Usage,
)
from evenhand.models._http import HttpModel
from evenhand.prompts import Message
from evenhand.running import RunOptions

ASK = "Is the review positive or negative?"
LABELS = ["positive", "negative"]
ROWS = [(f"good thing {k}", "positive") for k in range(33)] + [
    (f"bad thing {k}", "negative") for k in range(27)
]
QUIET = RunOptions(progress=False)


@dataclass
class Answers:
    """Answers by a function of the listed texts and the seed."""

    answer: Callable[[Sequence[str], int], object]
    name: str = "fake/reader"
    context_window: int | None = None
    max_concurrency: int | None = 1
    calls: list[int] = field(default_factory=list)

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """Answer."""
        lines = messages[-1].content.splitlines()
        texts = [line.partition(": ")[2] for line in lines if line.startswith("Instance ")]
        self.calls.append(len(texts))
        said = self.answer(texts, settings.seed or 0)
        text = (
            said if isinstance(said, str) and said.startswith("!") else json.dumps({"answer": said})
        )
        return Generation(text, usage=Usage(50, None, 5))

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        """Four characters a token."""
        return TokenCount(len(messages[-1].content) // 4, exact=False)

    async def aclose(self) -> None:
        """Nothing to free."""


class Stops(Answers):
    """A model whose server is gone after a number of calls."""

    def __init__(self, answer: Callable[[Sequence[str], int], object], calls: int) -> None:
        super().__init__(answer)
        self.left = calls

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """Answer, or refuse."""
        self.left -= 1
        if self.left < 0:
            raise TransientError("gone")
        return await super().generate(messages, settings)


GIVES_UP = RunOptions(progress=False, give_up_after_s=0.01, backoff_s=0.001)


def ask(model: Any, out: Path, **more: Any) -> Audit:
    frame = pl.DataFrame(ROWS, schema=["body", "kind"], orient="row").with_columns(
        some=pl.Series(["positive"] + [None] * 59),
        three=pl.Series(["a", "b", "c"] * 20),
        even=pl.Series(["a", "b"] * 30),
    )
    given: dict[str, Any] = {"labels": LABELS, "options": QUIET, **more}
    return audit(frame, ask=ASK, model=model, text="body", out=out, **given)


def first_word(texts: Sequence[str], seed: int) -> str:
    return "positive" if texts[0].startswith("good") else "negative"


def test_a_model_that_reads_the_first_record_only(tmp_path: Path) -> None:
    found = ask(Answers(first_word), tmp_path)
    assert (found.verdict, found.exit_code) == ("order-sensitive", 3)
    assert found.p_value is not None
    assert found.p_value <= 0.05 / 3
    assert found.flips.noise_floor == 0
    assert all(each.first == each.second for each in found.answers)


def test_one_that_counts_everything_is_stable_and_asked_nothing_twice(tmp_path: Path) -> None:
    model = Answers(lambda texts, seed: "positive")
    found = ask(model, tmp_path)
    assert (found.verdict, found.exit_code) == ("stable", 0)
    assert model.calls == [60] * 12
    assert found.flips.noise_floor is None
    assert found.sentence == (
        "Stable: all 12 orders answered positive; at most 26% of all orders can give another "
        "answer (95%). Stable does not mean right."
    )


def test_too_few_orders_are_no_proof_of_stability(tmp_path: Path) -> None:
    found = ask(Answers(lambda texts, seed: "positive"), tmp_path, orders=4)
    assert found.verdict == "undecided"
    assert "ask for more orders" in found.sentence


def test_noise_is_not_order(tmp_path: Path) -> None:
    """Answers that alternate with every call, whatever the order."""
    turn = iter(range(1_000))
    model = Answers(lambda texts, seed: LABELS[(next(turn) // 3) % 2])
    found = ask(model, tmp_path)
    assert found.verdict == "undecided"
    assert "also change when one order is asked twice" in found.sentence


def test_the_patterns_are_asked_where_labels_are_named(tmp_path: Path) -> None:
    found = ask("reader/first-20", tmp_path, gold="kind")
    assert found.verdict == "order-sensitive"
    names = [each.order for each in found.answers]
    assert names == [
        "as given", "reversed", "majority-last", "majority-edges", "majority-middle",
        "soft-majority-edges", "soft-majority-middle", "random 1",
    ]  # fmt: skip
    # The table is sorted by its labels, and that order is asked once.
    assert found.answers[0].name == "as given (also majority-first)"
    # What a single-order user would have got has nothing to do with patterns.
    assert sum(each.orders for each in found.shares) == 3


def test_a_list_of_labels_does_what_a_column_does(tmp_path: Path) -> None:
    kinds = [kind for _, kind in ROWS]
    by_column = ask("reader/first-20", tmp_path / "a", gold="kind")
    for at, gold in enumerate((kinds, tuple(kinds), pl.Series(kinds), np.array(kinds))):
        texts = [text for text, _ in ROWS]
        found = audit(texts, ask=ASK, labels=LABELS, model="reader/first-20", gold=gold,
                      out=tmp_path / f"b{at}", options=QUIET)  # fmt: skip
        assert found.answers == by_column.answers


def test_a_forced_choice_is_asked_for_by_answer(tmp_path: Path) -> None:
    found = ask("reader/perfect", tmp_path, gold="kind", answer="forced")
    assert found.answer_mode == "forced"
    assert all(each.margin is not None for each in found.answers)


def test_nothing_is_stable_before_the_patterns_are_asked(tmp_path: Path) -> None:
    """A model that the six patterns alone mislead, as random orders never do."""

    def by_runs(texts: Sequence[str], seed: int) -> str:
        runs = sum(one[0] != other[0] for one, other in pairwise(texts))
        return "positive" if runs > 10 else "negative"

    mixed = [ROWS[k * 13 % 60] for k in range(60)]
    frame = pl.DataFrame(mixed, schema=["body", "kind"], orient="row")
    given: dict[str, Any] = {
        "ask": ASK, "text": "body", "labels": LABELS, "model": Answers(by_runs), "options": QUIET
    }  # fmt: skip
    blind = audit(frame, out=tmp_path / "a", **given)
    assert (blind.verdict, len(blind.answers)) == ("stable", 12)
    seeing = audit(frame, out=tmp_path / "b", gold="kind", **given)
    assert seeing.verdict == "order-sensitive"
    whole = ask(Answers(lambda texts, seed: "positive"), tmp_path / "c", gold="kind")
    assert (whole.verdict, len(whole.answers)) == ("stable", 16)


def test_only_random_orders_speak_for_others(tmp_path: Path) -> None:
    """Of 12 orders 10 are random: 1 - 0.05 ** (1 / 10) = 25.9%, just above a quarter."""
    found = ask(Answers(lambda texts, seed: "positive"), tmp_path, tolerance=0.25)
    assert found.sentence == (
        "Undecided: all 12 orders answered positive, but so few random ones leave room for "
        "another answer from up to 26% of orders: ask for more orders."
    )
    more = ask(Answers(lambda texts, seed: "positive"), tmp_path, tolerance=0.25, orders=13)
    assert more.verdict == "stable"


@pytest.mark.parametrize(("records", "orders"), [(2, 2), (3, 6)])
def test_few_records_have_few_orders(records: int, orders: int, tmp_path: Path) -> None:
    texts = [f"good {k}" for k in range(records)]
    model = Answers(lambda texts, seed: "positive")
    found = audit(texts, ask=ASK, labels=LABELS, model=model, out=tmp_path, options=QUIET)
    assert found.sentence == (
        f"Stable: all {orders} orders that there are answered positive. Stable does not mean right."
    )


def three(tmp_path: Path, model: Answers, rows: Sequence[tuple[str, str]], **more: Any) -> Audit:
    frame = pl.DataFrame(rows, schema=["body", "kind"], orient="row")
    return audit(frame, ask=ASK, labels=LABELS, text="body", gold="kind", model=model,
                 out=tmp_path, options=QUIET, **more)  # fmt: skip


def test_three_rows_have_six_orders_and_none_is_asked_twice(tmp_path: Path) -> None:
    """Majority first of g1, b, g2 is g1 g2 b and last b g1 g2; edges is the order as given."""
    rows = [("good 1", "positive"), ("bad", "negative"), ("good 2", "positive")]
    asked: list[tuple[str, ...]] = []

    def note(texts: Sequence[str], seed: int) -> str:
        asked.append(tuple(texts))
        return "positive"

    found = three(tmp_path, Answers(note), rows)
    assert (len(asked), len(set(asked))) == (6, 6)
    assert found.every_order
    assert found.sentence == (
        "Stable: all 6 orders that there are answered positive. Stable does not mean right."
    )
    (share,) = found.shares
    assert (share.orders, share.share, share.low, share.high) == (6, 1, 1, 1)
    assert (found.flips.low, found.flips.rate, found.flips.high) == (0, 0, 0)
    names = {each.order: each.also for each in found.answers}
    assert "majority-edges" in names["as given"]
    said = str(found)
    assert (
        "of all 6 orders that there are\n  positive: 6 of 6 orders, 100%\nflip rate: 0% of " in said
    )
    assert " to 100%" not in said


def test_records_of_the_same_text_can_change_places(tmp_path: Path) -> None:
    """x x y has three orders, not six; x x has one."""
    model = Answers(lambda texts, seed: "positive")
    found = audit(["x", "x ", "y"], ask=ASK, labels=LABELS, model=model, out=tmp_path / "a",
                  options=QUIET)  # fmt: skip
    assert len(model.calls) == 3
    assert found.sentence.startswith("Stable: all 3 orders that there are answered positive.")
    with pytest.raises(UsageError, match="all 2 records have the same text: they have one order"):
        audit(["x", "x"], ask=ASK, labels=LABELS, model=model, out=tmp_path / "b")


def test_more_than_two_labels_and_a_tie(tmp_path: Path) -> None:
    model = Answers(lambda texts, seed: -1 if texts[0].startswith("good") else "neutral")
    found = ask(model, tmp_path, labels=[*LABELS, "neutral"])
    assert {each.answer for each in found.shares} == {"tie", "neutral"}
    assert found.verdict == "order-sensitive"


def test_a_counting_question_reports_the_spread(tmp_path: Path) -> None:
    def number(texts: Sequence[str], seed: int) -> int:
        return sum(text.startswith("good") for text in texts[:30])

    found = ask(Answers(number), tmp_path, labels=())
    assert found.verdict == "order-sensitive"
    assert found.spread is not None
    assert (found.spread.lowest, found.spread.highest) == (3, 30)
    assert found.sentence.startswith(
        "Order-sensitive: 4 orders gave numbers from 3 to 30, and an order asked twice repeats"
    )
    assert found.spread.repeat_sd == 0
    assert found.spread.sd > 1


@pytest.mark.parametrize(
    ("said", "answer", "reason"),
    [
        (0, "0", None),
        (60, "60", None),
        (7.0, "7", None),
        (-1, None, "impossible count: −1 is below 0"),
        (61, None, "impossible count: 61 of 60 records"),
        (2.5, None, "impossible count: 2.5 is no whole number"),
    ],
)
def test_an_impossible_count_is_no_answer(
    said: object, answer: str | None, reason: str | None, tmp_path: Path
) -> None:
    found = ask(Answers(lambda texts, seed: said), tmp_path, labels=(), orders=3)
    assert {(each.first, each.reason) for each in found.answers} == {(answer, reason)}
    assert (found.unread, found.impossible) == ((3, 3) if reason else (0, 0))
    words = (
        "no readable answer: 3 of 3 orders, 3 of them with an impossible count (below 0, above "
        "the 60 records, or no whole number)"
    )
    assert (words in str(found)) is bool(reason)


def test_an_impossible_count_among_others(tmp_path: Path) -> None:
    turn = iter(range(1_000))
    once = RunOptions(progress=False, max_attempts=1)
    model = Answers(lambda texts, seed: -1 if next(turn) == 2 else 5)
    found = ask(model, tmp_path, labels=(), orders=4, options=once)
    assert found.sentence == (
        "Undecided: 3 orders answered 5, and 1 gave no answer that can be read."
    )
    assert found.spread is not None
    assert (found.spread.lowest, found.spread.highest) == (5, 5)
    assert found.impossible == 1


def test_answers_that_cannot_be_read(tmp_path: Path) -> None:
    found = ask(Answers(lambda texts, seed: "!I cannot tell"), tmp_path, orders=3)
    assert found.verdict == "undecided"
    assert "no answer of 3 orders could be read (no JSON answer" in found.sentence
    assert found.answers[0].reason is not None


def test_an_order_without_an_answer_counts_among_all(tmp_path: Path) -> None:
    """Every second order is unreadable: 6 of 12, and not "positive: 6 of 6"."""
    turn = iter(range(1_000))
    once = RunOptions(progress=False, max_attempts=1)
    model = Answers(lambda texts, seed: "positive" if next(turn) % 2 else "!no idea")
    found = ask(model, tmp_path, options=once)
    assert {e.answer: (e.orders, e.share) for e in found.shares} == {
        None: (6, 0.5),
        "positive": (6, 0.5),
    }
    assert (found.unread, found.counted) == (6, 12)
    said = str(found)
    assert "  no readable answer: 6 of 12 orders, 50% (25% to 75%)" in said
    assert "  positive: 6 of 12 orders, 50% (25% to 75%)" in said
    assert (
        "noise floor: not measured: the 6 orders with a readable answer agreed, and 6 had none, so "
        "nothing was asked twice"
    ) in said


def test_what_differs_is_said_beside_what_cannot_be_read(tmp_path: Path) -> None:
    said = iter(["positive", "negative", "!", "!"] + ["positive", "negative", "!", "!"] * 20)
    once = RunOptions(progress=False, max_attempts=1)
    found = ask(Answers(lambda texts, seed: next(said)), tmp_path, orders=4, options=once)
    assert found.sentence.startswith(
        "Undecided: 1 of 4 orders answered positive, 1 did not, and 2 gave no answer that can be "
        "read, but"
    )


def test_no_share_is_shown_of_a_few_orders(tmp_path: Path) -> None:
    """Of 8 orders asked, 5 are patterns: three remain, which give no percentage."""
    found = ask("reader/first-20", tmp_path / "a", gold="kind")
    said = str(found)
    assert "orders, 100%" not in said
    assert (
        "with one order only, you would have got: not shown, as only 3 of the orders asked were "
        "as given, reversed or random, and fewer than 8 are too few for a share; the 5 patterns "
        "are left out, as nobody's table has one by chance\n"
    ) in said
    enough = str(ask(Answers(lambda texts, seed: "positive"), tmp_path / "b", gold="kind"))
    assert (
        "you would have got: of 11 orders as given, reversed or random; the 5 patterns are left "
        "out, as nobody's table has one by chance\n  positive: 11 of 11 orders, 100% (74% to 100%)"
    ) in enough


def test_a_finished_audit_asks_nothing_again(tmp_path: Path) -> None:
    first = ask(Answers(first_word), tmp_path)
    idle = Answers(first_word)
    assert ask(idle, tmp_path).as_json() == first.as_json()
    assert idle.calls == []


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"orders": 2}, "at least 3 orders"),
        ({"orders": 1_001}, "use at most 1,000"),
        ({"budget": 0}, "--budget 0: a reply needs at least one token"),
        ({"labels": ["a"]}, "at least two"),
        ({"error_rate": 0}, "between 0 and 1"),
        ({"gold": "nope"}, "no column 'nope'"),
        ({"labels": ["positive", "other"], "gold": "kind"}, "row 34 is 'negative'"),
        ({"gold": "some"}, "59 have none, such as row 2"),
        ({"labels": (), "gold": "three"}, "exactly two labels, and there are 3"),
        ({"labels": (), "gold": "even"}, "there is no majority"),
        ({"labels": [f"L{k}" for k in range(10_001)]}, "10,001 labels"),
        ({"labels": ["a", "b", "c"], "answer": "forced"}, "exactly two labels"),
        ({"answer": "said"}, "unknown answer mode 'said': use generate or forced"),
        ({"options": RunOptions("forced")}, "say answer='forced'"),
        ({"gold": ["positive"] * 59}, "gold lists 59 labels for 60 records"),
        ({"gold": {1: "positive"}}, "gold is a dict: give the name of a column, or a list"),
        ({"gold": ["positive", None] * 30}, "30 have none, such as row 2"),
        ({"gold": ["positive"] * 59 + ["other"]}, "gold: row 60 is 'other', which is none of"),
    ],
)
def test_bad_input(more: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        ask(Answers(first_word), tmp_path, **more)


def test_one_record_has_no_order(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only one record"):
        audit(["good", " "], ask=ASK, labels=LABELS, model=Answers(first_word), out=tmp_path)


def test_a_simulated_reader_needs_labels(tmp_path: Path) -> None:
    said: list[Any] = []
    with pytest.raises(UsageError, match=r"reader/perfect is a simulated reader.* \(--gold\)"):
        ask("reader/perfect", tmp_path / "out", announce=said.append)
    assert said == []
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("blank", "words"), [(1, "1 record"), (2, "2 records")])
def test_rows_without_a_text_are_counted(blank: int, words: str, tmp_path: Path) -> None:
    texts = [*(f"good {k}" for k in range(9)), *[" "] * blank]
    model = Answers(lambda listed, seed: "positive")
    found = audit(texts, ask=ASK, labels=LABELS, model=model, out=tmp_path, options=QUIET)
    assert (found.records, found.left_out) == (9, blank)
    assert f"\nleft out: {words} without a usable text\n" in str(found)


def test_what_it_takes_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    model = Answers(first_word)

    def refuse(forecast: Any) -> None:
        assert (forecast.calls, forecast.worst_calls) == (12, 24 * 3)
        raise UsageError("too much")

    with pytest.raises(UsageError, match="too much"):
        ask(model, tmp_path, announce=refuse)
    assert model.calls == []
    ask(model, tmp_path, orders=4)
    left: list[Any] = []
    ask(model, tmp_path, announce=left.append, orders=8)
    ask(model, tmp_path, announce=left.append, orders=8)
    assert [(each.calls, each.worst_calls) for each in left] == [(4, (4 + 4) * 3), (0, 0)]


def test_a_finished_audit_is_forecast_to_take_nothing(tmp_path: Path) -> None:
    """It stopped at its second look of three: four orders were never asked, and never will be."""
    left: list[Any] = []
    first = ask(Answers(first_word), tmp_path)
    ask(Answers(first_word), tmp_path, announce=left.append)
    assert len(first.answers) < 12
    assert [(each.calls, each.worst_calls, each.worst_cost_usd) for each in left] == [(0, 0, 0)]


def test_more_orders_ask_only_those_that_are_new(tmp_path: Path) -> None:
    """Six orders are looks of four and two; of eight the last look has four, two of them asked."""
    left: list[Any] = []
    few, more, idle = (Answers(lambda texts, seed: "positive") for _ in range(3))
    ask(few, tmp_path, orders=6)
    found = ask(more, tmp_path, orders=8, announce=left.append)
    assert (len(few.calls), len(more.calls), len(found.answers)) == (6, 2, 8)
    assert (left[0].calls, left[0].worst_calls) == (2, (2 + 8) * 3)
    ask(idle, tmp_path, orders=8)
    assert idle.calls == []


def test_an_audit_that_stopped_is_forecast_from_there(tmp_path: Path) -> None:
    """Four orders differ and are asked again: six calls, then the server is gone. Two repeats are
    left for sure; at worst 8 more orders, twice, of up to 3 attempts."""
    left: list[Any] = []
    rest = GIVES_UP
    ask(Stops(first_word, 6), tmp_path, options=rest)
    ask(Stops(first_word, 0), tmp_path, options=rest, announce=left.append)
    (found,) = left
    assert (found.calls, found.worst_calls) == (2, (2 + 8 + 8) * 3)
    assert found.worst_output_tokens == (2 + 8 + 8) * 3 * 20_000
    assert found.output_tokens == 10
    assert found.output_basis == "5 a call, the mean of 6 calls before"


@pytest.mark.parametrize(
    ("name", "budget", "tokens", "basis"),
    [
        ("reader/mine", 20_000, 12 * 50, "50 a call, one short answer"),
        ("local/mine", 10, 12 * 10, "10 a call, one short answer"),
        ("fake/reader", 20_000, 12 * 2_000, "2,000 a call, as the model may think first"),
    ],
)
def test_the_forecast_says_how_long_replies_are_taken_to_be(
    name: str, budget: int, tokens: int, basis: str, tmp_path: Path
) -> None:
    seen: list[Any] = []
    model = Answers(lambda texts, seed: "positive", name=name)
    ask(model, tmp_path, budget=budget, announce=seen.append)
    assert (seen[0].output_tokens, seen[0].output_basis) == (tokens, basis)


def test_what_the_catalog_says_of_thinking_decides() -> None:
    at_once = HttpModel(ModelSpec("x/y", base_url="http://localhost/v1", reasoning_place="none"))
    unknown = HttpModel(ModelSpec("x/y", base_url="http://localhost/v1"))
    assert never_thinks(at_once)
    assert not never_thinks(unknown)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"labels": ["positive", "other"]}, "--labels was positive,negative and is positive,other"),
        ({"budget": 50}, "--budget was 20000 and is 50"),
        ({"answer": "forced"}, "--answer was generate and is forced"),
        ({"options": RunOptions(max_attempts=1)}, "--max-attempts was 3 and is 1"),
        ({"seed": 1}, "the orders were others: --seed was not 1"),
        ({"gold": "kind"}, "the orders were others"),
    ],
)
def test_a_folder_of_another_audit_is_refused_before_anything_is_forecast(
    more: dict[str, Any], words: str, tmp_path: Path
) -> None:
    ask(Answers(lambda texts, seed: "positive"), tmp_path)
    said: list[Any] = []
    with pytest.raises(UsageError, match=words) as error:
        ask(Answers(first_word), tmp_path, announce=said.append, **more)
    assert str(error.value).startswith(f"{tmp_path} was begun with other settings: ")
    assert said == []


def test_other_settings_get_a_folder_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame(ROWS, schema=["body", "kind"], orient="row")
    outs = set()
    for more in ({}, {"seed": 1}, {"budget": 99}, {"gold": "kind"}):
        found = audit(frame, ask=ASK, labels=LABELS, text="body", orders=3, options=QUIET,
                      model=Answers(lambda texts, seed: "positive"), **more)  # fmt: skip
        outs.add(found.out)
    assert len(outs) == 4
    again = audit(frame, ask=ASK, labels=LABELS, text="body", orders=4, options=QUIET,
                  model=Answers(lambda texts, seed: "positive"))  # fmt: skip
    assert again.out in outs
