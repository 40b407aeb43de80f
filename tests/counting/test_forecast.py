"""Contract: before anything is asked, a count says what it takes when all goes well, what it takes
at worst, every record alone included, and, when it goes on, only what is left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.counting.scripted import Scripted
from tests.counting.test_money import Priced

from evenhand.audit._prompt import render_all
from evenhand.cli._announce import forecast_lines
from evenhand.counting import Forecast, count
from evenhand.errors import UsageError
from evenhand.models import GenerationSettings, TokenCount, Usage
from evenhand.prompts import Message
from evenhand.running import RunOptions

TEXTS = [f"good {k}" for k in range(30)] + [f"bad {k}" for k in range(20)]


def by_word(text: str) -> str:
    return text.split()[0]


def told(model: Any, out: Path, **more: Any) -> Forecast:
    heard: list[Forecast] = []
    given: dict[str, Any] = {"batch": 10, **more}
    options = RunOptions(progress=False, max_attempts=2)
    count(TEXTS, ask="?", labels=["good", "bad"], model=model, out=out, options=options,
          announce=heard.append, **given)  # fmt: skip
    assert len(heard) == 1
    return heard[0]


def test_calls_and_money(tmp_path: Path) -> None:
    """Five batches, and at worst each twice and then fifty records alone, each twice.

    A call is 100 tokens in, ten records 12 each out; the output budget is 200: $220 and $300."""
    found = told(Priced(by_word), tmp_path, budget=200)
    assert (found.calls, found.worst_calls) == (5, 2 * 5 + 2 * 50)
    # Three prompts of the five are counted; the others are taken to be as dense.
    assert found.input_tokens == pytest.approx(500, abs=5)
    assert found.output_tokens == 600
    assert found.cost_usd == pytest.approx(1_100, rel=0.01)
    assert found.worst_cost_usd == pytest.approx(110 * 300, rel=0.01)
    assert found.worst_input_tokens == pytest.approx(110 * 100, rel=0.01)
    assert found.worst_output_tokens == 110 * 200


def test_second_labels_are_in_it(tmp_path: Path) -> None:
    found = told(Scripted(by_word), tmp_path, repeat=2, repeat_share=0.5)
    assert (found.calls, found.worst_calls) == (5 + 3, 2 * (5 + 3) + 2 * 50)
    assert (found.cost_usd, found.worst_cost_usd) == (None, None)


def test_what_is_left_when_it_goes_on(tmp_path: Path) -> None:
    told(Priced(by_word), tmp_path, budget=200)
    again = told(Priced(by_word), tmp_path, budget=200, repeat=2)
    assert (again.calls, again.cost_usd) == (1, 220)
    assert told(Priced(by_word), tmp_path, budget=200, repeat=2).calls == 0


def test_one_record_a_batch_is_not_asked_again_alone(tmp_path: Path) -> None:
    found = told(Scripted(by_word), tmp_path, batch=1)
    assert (found.calls, found.worst_calls) == (50, 100)


def test_a_model_that_runs_here_costs_nothing(tmp_path: Path) -> None:
    key = {text: by_word(text) for text in TEXTS}
    found = told("reader/perfect", tmp_path, answer_key=key)
    assert (found.cost_usd, found.worst_cost_usd) == (0, 0)


@pytest.mark.parametrize("budget", [0, -5])
def test_a_reply_needs_room(budget: int, tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=rf"budget \(--budget\) is {budget}: a reply needs at least one token"
    ):
        told(Scripted(by_word), tmp_path, budget=budget)


def test_a_finished_count_takes_nothing_at_worst_either(tmp_path: Path) -> None:
    told(Priced(by_word), tmp_path, budget=200)
    left = told(Priced(by_word), tmp_path, budget=200)
    assert (left.calls, left.worst_calls, left.worst_cost_usd) == (0, 0, 0)
    assert forecast_lines(left) == ["calls: none, every answer is in the folder"]


def test_a_count_that_was_sure_takes_nothing_more(tmp_path: Path) -> None:
    texts = ["good"] * 400
    heard: list[Forecast] = []
    options = RunOptions(progress=False, concurrency=1)
    for _ in range(2):
        count(texts, ask="?", labels=["good", "bad"], model=Scripted(by_word), out=tmp_path,
              batch=10, until_sure=0.99, options=options, announce=heard.append)  # fmt: skip
    assert [each.worst_calls for each in heard] == [40 * 3 + 400 * 3, 0]


def test_open_records_of_a_finished_round_are_what_is_left(tmp_path: Path) -> None:
    """Ten batches came back, and three records without a label; then the money was out."""

    def label(text: str) -> str:
        return "?" if text in ("good 1", "good 2", "bad 3") else by_word(text)

    class Stops(Scripted):
        async def generate(self, *args: Any) -> Any:
            if len(self.asked) == 5:
                raise KeyboardInterrupt
            return await super().generate(*args)

    once = RunOptions(progress=False, max_attempts=2, concurrency=1)
    with pytest.raises(KeyboardInterrupt):
        count(TEXTS, ask="?", labels=["good", "bad"], model=Stops(label), out=tmp_path, batch=10,
              options=once)  # fmt: skip
    left = told(Scripted(label), tmp_path)
    assert (left.calls, left.worst_calls) == (3, 6)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"batch": 25}, "batch (--batch) was 10 and is 25. "),
        ({"seed": 3}, "seed (--seed) was not 3"),
        ({"ask": "Another?"}, "ask (--ask) was ? and is Another?"),
        ({"labels": ["good", "poor"]}, "labels (--labels) was good,bad and is good,poor. "),
        ({"budget": 77}, "budget (--budget) was 4400 and is 77. "),
        ({"records": TEXTS[1:]}, "the records were others"),
    ],
)
def test_another_folder_is_refused_before_anything_is_said(
    more: dict[str, Any], words: str, tmp_path: Path
) -> None:
    given: dict[str, Any] = {"records": TEXTS, "ask": "?", "labels": ["good", "bad"], "batch": 10}
    heard: list[Forecast] = []
    told(Scripted(by_word), tmp_path)
    with pytest.raises(UsageError, match=re.escape(words)) as caught:
        count(**(given | more), model=Scripted(by_word), out=tmp_path, announce=heard.append,
              options=RunOptions(progress=False))  # fmt: skip
    assert (heard, "set_seed" in str(caught.value)) == ([], False)


class PerCall(Scripted):
    """Bills a chat template of 40 tokens with every call, and four characters a token."""

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        """As billed."""
        return TokenCount(40 + sum(len(m.content) for m in messages) // 4, exact=True)

    async def generate(self, messages: Sequence[Message], settings: GenerationSettings) -> Any:
        """Label the batch."""
        said = await super().generate(messages, settings)
        return replace(said, usage=Usage(self.count_tokens(messages).tokens, None, 10))


@pytest.mark.parametrize("batch", [1, 40])
def test_one_prompt_is_told_within_a_tenth_whatever_the_batches_took(
    batch: int, tmp_path: Path
) -> None:
    texts = [f"{word} meal number {k}, und schönes Essen" for k in range(45) for word in
             ("good", "bad")]  # fmt: skip
    labels = ["good", "bad"]
    found = count(texts, ask="Good or bad?", labels=labels, model=PerCall(by_word), out=tmp_path,
                  batch=batch, options=RunOptions(progress=False))  # fmt: skip
    real = PerCall(by_word).count_tokens(render_all("Good or bad?", labels, texts).messages).tokens
    assert found.one_shot_input_tokens == pytest.approx(real, rel=0.1)
