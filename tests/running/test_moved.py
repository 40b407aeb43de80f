"""Contract: a run whose database is moved, replaced or deleted under it stops asking and says so;
what was written before goes with the folder."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.running.fakes import FakeModel, say

from evenhand.errors import EvenhandError
from evenhand.models import Generation, GenerationSettings
from evenhand.prompts import Message
from evenhand.results import results
from evenhand.running import RunOptions, Workload, _engine, plan, run

OPTIONS = RunOptions(progress=False, concurrency=1)


@pytest.fixture
def workload() -> Workload:
    """120 experiments: more than are asked before the next look at the disk."""
    return plan(
        "core", tasks="sentiment", n=4, p="0.75", set_seeds=tuple(range(10)),
        patterns="random", random_order_seeds=tuple(range(6)), per_label=20,
    )  # fmt: skip


def test_a_run_that_loses_its_folder_stops(
    workload: Workload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_engine, "FLUSH_INTERVAL_S", 0.01)
    here, there = tmp_path / "here", tmp_path / "there"

    def answer(
        number: int, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        if number == 4:
            here.rename(there)
        return say()

    model = FakeModel(answer, latency_s=0.005)
    with pytest.raises(EvenhandError, match=r"was moved, replaced or deleted .* new --out"):
        run(workload, model, here, OPTIONS)
    asked = len(model.asked)
    assert 5 <= asked < 60
    # The folder has everything, and its run goes on where it was.
    assert results(there).height == asked
    again = FakeModel()
    assert run(workload, again, there, OPTIONS).done == 120
    assert len(again.asked) == 120 - asked


def test_the_end_of_a_short_run_looks_too(workload: Workload, tmp_path: Path) -> None:
    folder = tmp_path / "run"

    def answer(
        number: int, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        if number == 119:
            shutil.rmtree(folder)
        return say()

    with pytest.raises(EvenhandError, match="was moved, replaced or deleted"):
        run(workload, FakeModel(answer), folder, OPTIONS)
