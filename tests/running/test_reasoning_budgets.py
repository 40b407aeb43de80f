"""Contract: a run folder says which output budgets gave reasoning tokens of its own, whatever the
catalog says later, and the results say which runs used those up."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.running.fakes import FakeModel, say

from evenhand.errors import UsageError
from evenhand.models import ContextOverflowError, ForcedChoice, Usage
from evenhand.results import results
from evenhand.running import RunOptions, RunStore, Workload, plan, run

QUIET = RunOptions(progress=False, max_attempts=1)


@dataclass
class SplitModel(FakeModel):
    """Keeps 20 tokens for its answer."""

    def reasoning_budget(self, output_budget: int) -> int | None:
        """What is left of the output budget."""
        if output_budget <= 20:
            raise UsageError("none is left")
        return output_budget - 20


def small(budget: int = 100) -> Workload:
    """Two experiments."""
    return plan(
        "core", tasks="sentiment", n=20, set_seeds=0, patterns="majority-first",
        output_budgets=budget, per_label=50,
    )  # fmt: skip


def spent(tokens: int | None) -> Usage:
    return Usage(500, None, 100, tokens)


@pytest.mark.parametrize(
    ("tokens", "exhausted"), [(79, False), (80, True), (81, True), (None, None)]
)
def test_the_deciding_attempt_tells(
    tmp_path: Path, tokens: int | None, exhausted: bool | None
) -> None:
    model = SplitModel(lambda *_: say(usage=spent(tokens)))
    run(small(), model, tmp_path, QUIET)
    frame = results(tmp_path).select("reasoning_budget", "reasoning_exhausted")
    assert frame.rows() == [(80, exhausted)] * 2


def test_attempts_before_it_do_not(tmp_path: Path) -> None:
    """The first attempt of each exhausts the budget and says nothing, the second one answers."""
    model = SplitModel(max_concurrency=1)
    model.script = lambda number, *_: (
        say(usage=spent(7)) if number % 2 else say("nothing", usage=spent(80))
    )
    run(small(), model, tmp_path, RunOptions(progress=False, max_attempts=2))
    frame = results(tmp_path)
    assert frame["reasoning_tokens"].to_list() == [87, 87]
    assert frame["reasoning_exhausted"].to_list() == [False, False]


def test_a_prompt_that_did_not_fit_used_nothing(tmp_path: Path) -> None:
    run(small(), SplitModel(lambda *_: ContextOverflowError("too long")), tmp_path, QUIET)
    assert results(tmp_path)["reasoning_exhausted"].to_list() == [False, False]


def test_a_shared_budget_is_none(tmp_path: Path) -> None:
    run(small(), FakeModel(lambda *_: say(usage=spent(100))), tmp_path, QUIET)
    frame = results(tmp_path).select("reasoning_budget", "reasoning_exhausted")
    assert frame.rows() == [(None, None)] * 2


def test_a_forced_choice_has_none(tmp_path: Path) -> None:
    model = SplitModel(lambda *_: say(forced=ForcedChoice("positive", 1.0, 0.9)))
    run(small(), model, tmp_path, RunOptions(progress=False, answer_mode="forced"))
    assert results(tmp_path)["reasoning_budget"].to_list() == [None, None]


def test_a_rerun_adds_its_own(tmp_path: Path) -> None:
    """One of two is cut at 100 tokens and run again with 200."""
    model = SplitModel(
        lambda number, *_: say("", finish_reason="length") if number else say(), max_concurrency=1
    )
    run(small(), model, tmp_path, QUIET)
    again = RunOptions(progress=False, max_attempts=1, rerun="overlong")
    run(small(200), SplitModel(), tmp_path, again)
    assert sorted(results(tmp_path)["reasoning_budget"].to_list()) == [80, 180]


def test_a_folder_from_before_goes_on_and_says_it_from_then_on(tmp_path: Path) -> None:
    run(small(), SplitModel(lambda *_: say(usage=spent(80))), tmp_path, QUIET)
    with sqlite3.connect(tmp_path / "run.db") as db:
        db.execute("DELETE FROM meta WHERE key = 'reasoning_budgets'")
    db.close()
    with RunStore(tmp_path) as store:
        assert store.reasoning_budgets() == {}
    assert results(tmp_path)["reasoning_budget"].to_list() == [None, None]
    run(small(), SplitModel(), tmp_path, QUIET)
    assert results(tmp_path)["reasoning_exhausted"].to_list() == [True, True]


def test_a_budget_that_leaves_none_is_refused_before_the_folder_is_made(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none is left"):
        run(small(20), SplitModel(), tmp_path / "run", QUIET)
    assert not (tmp_path / "run").exists()
