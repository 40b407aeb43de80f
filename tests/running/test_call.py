"""Contract: a prompt that is longer than the window is refused without a call; an estimate is
believed only beyond its slack, and nothing is counted where nothing depends on it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.running.fakes import FakeModel, say

from evenhand.models import TokenCount, TransientError
from evenhand.results import attempts, results
from evenhand.running import RunOptions, plan, run

QUIET = RunOptions(progress=False, backoff_s=0.001)


@pytest.mark.parametrize(
    ("count", "exact", "window", "called"),
    [
        (101, True, 100, False),
        (100, True, 100, True),
        (101, False, 100, True),
        (111, False, 100, False),
        (10**9, True, None, True),
    ],
)
def test_the_window(
    count: int, exact: bool, window: int | None, called: bool, tmp_path: Path
) -> None:
    workload = plan("core", tasks="ner", n=20, set_seeds=0, patterns="majority-last", per_label=60)
    model = FakeModel(context_window=window, tokens=TokenCount(count, exact))
    run(workload, model, tmp_path, QUIET)
    assert bool(model.asked) == called
    outcome = "parsing_issue" if called else "invalid_input"  # it says "positive", no NER label
    assert set(results(tmp_path)["outcome"]) == {outcome}
    if not called:
        row = attempts(tmp_path).row(0, named=True)
        assert (row["counted_tokens"], row["counted_exactly"]) == (count, exact)
        assert (row["text"], row["cost_usd"], row["attempt"]) == (None, 0.0, 1)
        assert ("an estimated 111 tokens" in row["error"]) == (not exact)


def test_short_prompts_are_not_counted(tmp_path: Path) -> None:
    workload = plan("core", tasks="ner", n=20, set_seeds=0, patterns="majority-last", per_label=60)
    model = FakeModel(context_window=100_000)
    run(workload, model, tmp_path, QUIET)
    assert model.counted == 0


def test_failed_calls_are_logged_short_and_are_no_attempts(tmp_path: Path) -> None:
    workload = plan(
        "core", tasks="sentiment", n=20, set_seeds=0, patterns="majority-last", per_label=60
    )
    model = FakeModel(
        lambda number, *_: TransientError("busy " * 50_000) if number < 4 else say(),
        max_concurrency=1,
    )
    summary = run(workload, model, tmp_path, QUIET)
    assert (summary.faults, summary.calls) == (4, 2)
    assert results(tmp_path)["attempts"].to_list() == [1, 1]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 200_000
