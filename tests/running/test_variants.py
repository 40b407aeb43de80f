"""Contract: `self` is two stored calls an attempt, and one instruction for all only if asked;
repeats are experiments of their own; a rerun raises the budget of the overlong ones alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.running.fakes import FakeModel, say

from evenhand.errors import UsageError
from evenhand.models import Generation, GenerationSettings
from evenhand.prompts import Message
from evenhand.results import attempts, pending, results
from evenhand.running import RunOptions, Workload, plan, run

QUIET = RunOptions(progress=False)


def two(variant: str = "self", budget: int = 1000, repeats: int = 1) -> Workload:
    """Two experiments: the majority first, either label."""
    return plan(
        "core",
        tasks="sentiment",
        n=20,
        set_seeds=0,
        patterns="majority-first",
        variants=variant,
        output_budgets=budget,
        repeats=repeats,
        per_label=60,
    )


def is_first_stage(messages: Sequence[Message]) -> bool:
    """Whether no instance is shown."""
    return "Instance 1: " not in messages[-1].content


def staged(number: int, messages: Sequence[Message], settings: GenerationSettings) -> Generation:
    """An instruction that names its call, then the answer."""
    return say(f"Do it, says call {number}.") if is_first_stage(messages) else say()


def test_self_is_two_calls_and_both_are_kept(tmp_path: Path) -> None:
    model = FakeModel(staged, max_concurrency=1)
    run(two(), model, tmp_path, QUIET)
    rows = attempts(tmp_path).select("attempt", "stage", "outcome", "text", "instruction").rows()
    answer = '{"answer": "positive"}'
    assert rows == [
        (1, 1, "instruction", "Do it, says call 0.", None),
        (1, 2, "mistake", answer, "Do it, says call 0."),
        (1, 1, "instruction", "Do it, says call 2.", None),
        (1, 2, "correct", answer, "Do it, says call 2."),
    ]
    assert results(tmp_path)["input_tokens"].to_list() == [200, 200]
    assert [s.output_budget for s in model.settings] == [1000] * 4


def test_an_instruction_is_shared_only_if_asked(tmp_path: Path) -> None:
    model = FakeModel(staged, latency_s=0.001)
    run(two(repeats=3), model, tmp_path, RunOptions(progress=False, cache_instruction=True))
    stages = Counter(attempts(tmp_path)["stage"])
    assert stages == {1: 1, 2: 6}
    assert attempts(tmp_path).filter(stage=2)["instruction"].n_unique() == 1


@pytest.mark.parametrize(
    ("bad", "outcome"),
    [(say(" "), "parsing_issue"), (say("On", finish_reason="length"), "overlong")],
)
def test_an_instruction_that_is_not_there_fails_the_attempt(
    bad: Generation, outcome: str, tmp_path: Path
) -> None:
    model = FakeModel(lambda *_: bad, max_concurrency=1)
    run(two(), model, tmp_path, QUIET)
    assert results(tmp_path)["outcome"].to_list() == [outcome] * 2
    assert attempts(tmp_path)["stage"].to_list() == [1] * 6


def test_a_finished_first_stage_is_not_asked_again(tmp_path: Path) -> None:
    def dies(number: int, messages: Sequence[Message], settings: GenerationSettings) -> Generation:
        if number == 1:
            raise RuntimeError("killed")
        return staged(number, messages, settings)

    with pytest.raises(RuntimeError, match="killed"):
        run(two(), FakeModel(dies, max_concurrency=1), tmp_path, QUIET)
    model = FakeModel(staged, max_concurrency=1)
    run(two(), model, tmp_path, QUIET)
    assert len(model.asked) == 3
    assert attempts(tmp_path)["instruction"].to_list()[1] == "Do it, says call 0."


def test_repeats_are_experiments_of_their_own(tmp_path: Path) -> None:
    model = FakeModel(max_concurrency=1)
    run(two("standard", repeats=3), model, tmp_path, QUIET)
    assert len(model.asked) == 6
    assert len(set(model.asked)) == 2
    assert sorted(s.seed or 0 for s in model.settings) == [0, 0, 1, 1, 2, 2]
    assert results(tmp_path)["experiment_id"].n_unique() == 6


def test_a_rerun_raises_the_budget_of_overlong_ones_alone(tmp_path: Path) -> None:
    def cut(number: int, messages: Sequence[Message], settings: GenerationSettings) -> Generation:
        short = settings.output_budget < 5000 and messages[-1].content.endswith(last)
        return say("so far", finish_reason="length") if short else say()

    low, high = two("standard", 1000), two("standard", 5000)
    last = low.prompt(low.experiments[0]).messages[-1].content[-40:]
    run(low, FakeModel(cut), tmp_path, QUIET)
    assert results(tmp_path)["outcome"].to_list() == ["overlong", "correct"]
    with pytest.raises(UsageError, match="output_budget was 1000 and is 5000"):
        run(high, FakeModel(cut), tmp_path, QUIET)
    with pytest.raises(UsageError, match="raise --budget above that"):
        run(low, FakeModel(cut), tmp_path, RunOptions(progress=False, rerun="overlong"))

    again = FakeModel(cut)
    summary = run(high, again, tmp_path, RunOptions(progress=False, rerun="overlong"))
    assert (len(again.asked), summary.experiments, summary.pending) == (1, 2, 0)
    frame = results(tmp_path)
    assert frame["outcome"].to_list() == ["correct", "mistake"]
    assert frame["output_budget"].to_list() == [1000, 5000]
    assert frame["experiment_id"].to_list()[1].endswith("/5k")
    assert attempts(tmp_path).height == 5

    idle = FakeModel(cut)
    run(low, idle, tmp_path, QUIET)
    run(high, idle, tmp_path, RunOptions(progress=False, rerun="overlong"))
    assert idle.asked == []


def test_a_rerun_goes_on_where_it_was(tmp_path: Path) -> None:
    low, high = two("standard", 1000), two("standard", 5000)
    rerun = RunOptions(progress=False, rerun="overlong")
    with pytest.raises(UsageError, match="has no run yet"):
        run(high, FakeModel(), tmp_path / "none", rerun)
    run(low, FakeModel(lambda *_: say("so", finish_reason="length")), tmp_path, QUIET)

    def dies(number: int, *_: object) -> Generation:
        if number == 1:
            raise RuntimeError("killed")
        return say()

    with pytest.raises(RuntimeError, match="killed"):
        run(high, FakeModel(dies, max_concurrency=1), tmp_path, rerun)
    assert (results(tmp_path).height, pending(tmp_path).height) == (1, 1)
    rest = FakeModel()
    assert run(high, rest, tmp_path, rerun).pending == 0
    assert len(rest.asked) == 1
