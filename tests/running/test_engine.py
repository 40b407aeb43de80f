"""Contract: every experiment ends with one outcome, the first valid output counts, an input that
does not fit ends it, a reply without an answer is tried again, and what finished is never asked
again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.running.fakes import FakeModel, say

from evenhand.errors import UsageError
from evenhand.models import (
    AccessRefusedError,
    ContextOverflowError,
    ForcedChoice,
    Generation,
    ParameterRefusedError,
    TransientError,
)
from evenhand.pools import Pool
from evenhand.results import attempts, pending, results
from evenhand.running import RunOptions, Workload, plan, run

FAST = RunOptions(progress=False, backoff_s=0.001, give_up_after_s=0.05)


@pytest.fixture
def workload() -> Workload:
    """Fourteen experiments: two majority labels, seven patterns."""
    return plan("core", tasks="sentiment", n=20, set_seeds=0, random_order_seeds=0, per_label=50)


def test_every_experiment_is_asked_once_and_judged(workload: Workload, tmp_path: Path) -> None:
    model = FakeModel()
    summary = run(workload, model, tmp_path / "run", FAST)
    assert (summary.experiments, summary.done, summary.pending) == (14, 14, 0)
    assert summary.outcomes == {"correct": 7, "mistake": 7}
    assert (summary.calls, summary.input_tokens, summary.output_tokens) == (14, 1400, 140)
    assert (summary.cost_usd, summary.stop, summary.exit_code) == (None, None, 0)
    assert sorted(model.asked) == sorted(workload.prompt_sha256(e) for e in workload.experiments)
    assert model.closed


def test_a_finished_run_asks_nothing_again(workload: Workload, tmp_path: Path) -> None:
    run(workload, FakeModel(), tmp_path, FAST)
    again = FakeModel()
    summary = run(workload, again, tmp_path, FAST)
    assert again.asked == []
    assert summary.done == 14


@pytest.mark.parametrize(
    ("replies", "outcome", "made"),
    [
        (['{"answer": "positive"}'], "correct", 1),
        (["nothing", '{"answer": "negative"}', '{"answer": "positive"}'], "mistake", 2),
        (["nothing", "nothing", '{"answer": "-1"}'], "tie", 3),
        (["nothing", "nothing", "nothing", '{"answer": "positive"}'], "parsing_issue", 3),
        (["cut", '{"answer": "positive"}'], "correct", 2),
        (["nothing", "cut", "cut"], "overlong", 3),
        (["full"], "invalid_input", 1),
        (["nothing", "full"], "invalid_input", 2),
        (["down", "down", "nothing", "down", '{"answer": "positive"}'], "correct", 2),
    ],
)
def test_attempts(replies: list[str], outcome: str, made: int, tmp_path: Path) -> None:
    workload = plan(
        "core",
        tasks="sentiment",
        n=20,
        set_seeds=0,
        patterns="majority-first",
        majority_labels="positive",
        per_label=50,
    )
    answers: dict[str, Generation | Exception] = {
        "cut": say("so far", finish_reason="length"),
        "full": ContextOverflowError("too long"),
        "down": TransientError("down"),
    }
    model = FakeModel(lambda number, *_: answers.get(replies[number], say(replies[number])))
    run(workload, model, tmp_path, FAST)
    (row,) = results(tmp_path).iter_rows(named=True)
    assert (row["outcome"], row["attempts"]) == (outcome, made)
    assert row["valid"] == (outcome in {"correct", "mistake", "tie"})
    assert attempts(tmp_path)["attempt"].to_list() == list(range(1, made + 1))
    assert attempts(tmp_path)["decides"].to_list() == [False] * (made - 1) + [True]


def test_forced_choices_are_asked_for_and_kept(workload: Workload, tmp_path: Path) -> None:
    choice = ForcedChoice("positive", margin=0.5, label_mass=0.25)
    model = FakeModel(lambda *_: say("", forced=choice))
    options = RunOptions(answer_mode="forced", progress=False)
    run(workload, model, tmp_path, options)
    assert {s.labels for s in model.settings} == {("negative", "positive")}
    frame = results(tmp_path)
    assert frame["margin"].to_list() == [0.5] * 14
    assert frame["label_mass"].to_list() == [0.25] * 14
    assert set(frame["answer_mode"]) == {"forced"}
    assert set(frame["predicted"]) == {"positive"}


@pytest.mark.parametrize("error", [AccessRefusedError("no credit"), ParameterRefusedError("seed")])
def test_a_refusal_stops_the_run_and_keeps_what_is_done(
    error: Exception, workload: Workload, tmp_path: Path
) -> None:
    model = FakeModel(lambda number, *_: error if number == 5 else say(), max_concurrency=1)
    with pytest.raises(type(error), match=str(error)):
        run(workload, model, tmp_path, FAST)
    assert len(model.asked) == 6
    assert (results(tmp_path).height, pending(tmp_path).height) == (5, 9)
    rest = FakeModel()
    assert run(workload, rest, tmp_path, FAST).done == 14
    assert len(rest.asked) == 9


def test_calls_in_flight_at_a_refusal_are_kept(workload: Workload, tmp_path: Path) -> None:
    model = FakeModel(
        lambda number, *_: AccessRefusedError("no") if number == 0 else say(), latency_s=0.01
    )
    with pytest.raises(AccessRefusedError):
        run(workload, model, tmp_path, RunOptions(progress=False, concurrency=4))
    assert len(model.asked) == 4
    assert results(tmp_path).height == 3


def test_a_dead_server_ends_the_run_with_everything_pending(
    workload: Workload, tmp_path: Path
) -> None:
    model = FakeModel(lambda number, *_: TransientError("HTTP 503") if number >= 3 else say())
    summary = run(
        workload,
        model,
        tmp_path,
        RunOptions(progress=False, backoff_s=0.001, give_up_after_s=0.05, concurrency=1),
    )
    assert (summary.done, summary.pending, summary.stop, summary.exit_code) == (3, 11, "gave_up", 3)
    assert summary.message is not None
    assert "HTTP 503" in summary.message
    assert attempts(tmp_path).height == 3
    assert run(workload, FakeModel(), tmp_path, FAST).exit_code == 0


def test_concurrency_is_bounded(workload: Workload, tmp_path: Path) -> None:
    model = FakeModel(latency_s=0.005)
    run(workload, model, tmp_path / "three", RunOptions(progress=False, concurrency=3))
    assert model.peak == 3
    alone = FakeModel(latency_s=0.001, max_concurrency=1)
    run(workload, alone, tmp_path / "one", RunOptions(progress=False, concurrency=3))
    assert alone.peak == 1


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"n": 40}, "n was 20 and is 40"),
        ({"set_seeds": (0, 1)}, "set_seed was 0 and is 0, 1"),
        ({"output_budgets": 500}, "output_budget was 20000 and is 500"),
    ],
)
def test_a_changed_plan_is_refused(
    changed: dict[str, Any], named: str, workload: Workload, tmp_path: Path
) -> None:
    run(workload, FakeModel(), tmp_path, FAST)
    axes: dict[str, Any] = {"n": 20, "set_seeds": 0, "random_order_seeds": 0, **changed}
    other = plan("core", tasks="sentiment", per_label=50, **axes)
    model = FakeModel()
    with pytest.raises(UsageError, match=named):
        run(other, model, tmp_path, FAST)
    assert model.asked == []


def test_changed_settings_are_refused(workload: Workload, tmp_path: Path) -> None:
    run(workload, FakeModel(sends={"effort": "low"}), tmp_path, FAST)
    with pytest.raises(UsageError, match="model was fake/model and is fake/other"):
        run(workload, FakeModel(name="fake/other", sends={"effort": "low"}), tmp_path, FAST)
    with pytest.raises(UsageError, match=r"request\.effort was low and is high"):
        run(workload, FakeModel(sends={"effort": "high"}), tmp_path, FAST)
    with pytest.raises(UsageError, match="max_attempts was 3 and is 1"):
        run(
            workload,
            FakeModel(sends={"effort": "low"}),
            tmp_path,
            RunOptions(max_attempts=1, progress=False),
        )


def test_other_instances_under_the_same_coordinates_are_refused(
    workload: Workload, tmp_path: Path
) -> None:
    run(workload, FakeModel(), tmp_path, FAST)
    name = workload.experiments[0].pool
    drawn = plan("core", tasks="sentiment", n=20, set_seeds=(1, 2, 3), per_label=60).snapshot()
    pool = Pool("sentiment", name, tuple(instance for _, instance in drawn.instances))
    other = plan(
        "core",
        tasks="sentiment",
        n=20,
        set_seeds=0,
        random_order_seeds=0,
        pools={"sentiment": pool},
    )
    with pytest.raises(UsageError, match=r"the prompts of .* experiments are different"):
        run(other, FakeModel(), tmp_path, FAST)


def test_one_writer_a_folder(workload: Workload, tmp_path: Path) -> None:
    refused: list[str] = []

    def second(number: int, *_: object) -> Generation:
        if number == 0:
            with pytest.raises(UsageError, match="in use by another evenhand process") as raised:
                run(workload, FakeModel(), tmp_path, FAST)
            refused.append(str(raised.value))
        return say()

    run(workload, FakeModel(second), tmp_path, FAST)
    assert len(refused) == 1
