"""Contract: any experiment's instances and messages can be made again from the run folder alone,
and are checked against the hash of what was sent."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.running.fakes import FakeModel, say

from evenhand.errors import EvenhandError, UsageError
from evenhand.results import arrangement
from evenhand.running import RunOptions, plan, run

QUIET = RunOptions(progress=False)


def test_every_arrangement_is_made_again(tmp_path: Path) -> None:
    workload = plan("core", tasks=("sentiment", "ner"), n=(20, 40), set_seeds=(0, 1), per_label=60)
    run(workload, FakeModel(), tmp_path, QUIET)
    for experiment in workload.experiments:
        found = arrangement(tmp_path, experiment.id)
        assert found.instances == workload.instances(experiment)
        assert found.messages == workload.prompt(experiment).messages
        texts = [found.messages[-1].content[start:end] for start, end in found.spans]
        assert texts == [instance.text for instance in found.instances]
        assert found.labels == tuple(instance.label for instance in found.instances)
        assert found.instruction is None


def test_self_prompts_are_made_with_the_instruction_that_was_used(tmp_path: Path) -> None:
    workload = plan("core", tasks="ner", n=20, set_seeds=0, variants="self", per_label=60)
    model = FakeModel(lambda number, *_: say(f"Instruction {number}"), max_concurrency=1)
    run(workload, model, tmp_path, RunOptions(progress=False, max_attempts=1))
    first, second = (arrangement(tmp_path, e.id) for e in workload.experiments[:2])
    assert first.instruction is not None
    assert first.messages[-1].content.startswith(first.instruction)
    assert first.instruction != second.instruction


def test_a_prompt_that_is_no_longer_the_same_is_refused(tmp_path: Path) -> None:
    workload = plan("core", tasks="ner", n=20, set_seeds=0, per_label=60)
    run(workload, FakeModel(), tmp_path, QUIET)
    with sqlite3.connect(tmp_path / "run.db") as db:
        db.execute("UPDATE instances SET text = text || '!'")
    with pytest.raises(EvenhandError, match="not the one that was sent"):
        arrangement(tmp_path, workload.experiments[0].id)


def test_an_unknown_experiment_is_refused(tmp_path: Path) -> None:
    run(plan("core", tasks="ner", n=20, per_label=60), FakeModel(), tmp_path, QUIET)
    with pytest.raises(UsageError, match="has no experiment 'core/none'"):
        arrangement(tmp_path, "core/none")
