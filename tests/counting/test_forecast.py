"""Contract: before anything is asked, a count says what it takes when all goes well, what it takes
at worst, every record alone included, and, when it goes on, only what is left."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.counting.scripted import Scripted
from tests.counting.test_money import Priced

from evenhand.counting import Forecast, count
from evenhand.errors import UsageError
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
    found = told(Priced(by_word), tmp_path, output_budget=200)
    assert (found.calls, found.worst_calls) == (5, 2 * 5 + 2 * 50)
    # Three prompts of the five are counted; the others are taken to be as dense.
    assert found.input_tokens == pytest.approx(500, abs=5)
    assert found.output_tokens == 600
    assert found.cost_usd == pytest.approx(1_100, rel=0.01)
    assert found.worst_cost_usd == pytest.approx(110 * 300, rel=0.01)


def test_second_labels_are_in_it(tmp_path: Path) -> None:
    found = told(Scripted(by_word), tmp_path, repeat=2, repeat_share=0.5)
    assert (found.calls, found.worst_calls) == (5 + 3, 2 * (5 + 3) + 2 * 50)
    assert (found.cost_usd, found.worst_cost_usd) == (None, None)


def test_what_is_left_when_it_goes_on(tmp_path: Path) -> None:
    told(Priced(by_word), tmp_path, output_budget=200)
    again = told(Priced(by_word), tmp_path, output_budget=200, repeat=2)
    assert (again.calls, again.cost_usd) == (1, 220)
    assert told(Priced(by_word), tmp_path, output_budget=200, repeat=2).calls == 0


def test_one_record_a_batch_is_not_asked_again_alone(tmp_path: Path) -> None:
    found = told(Scripted(by_word), tmp_path, batch=1)
    assert (found.calls, found.worst_calls) == (50, 100)


def test_a_model_that_runs_here_costs_nothing(tmp_path: Path) -> None:
    key = {text: by_word(text) for text in TEXTS}
    found = told("reader/perfect", tmp_path, answer_key=key)
    assert (found.cost_usd, found.worst_cost_usd) == (0, 0)


@pytest.mark.parametrize("budget", [0, -5])
def test_a_reply_needs_room(budget: int, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"--budget {budget}: a reply needs at least one token"):
        told(Scripted(by_word), tmp_path, output_budget=budget)
