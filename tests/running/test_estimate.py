"""Contract: an estimate counts what a run does: calls, tokens, money, shared beginnings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.running.fakes import FakeModel

from evenhand.models import Price, TokenCount
from evenhand.running import RunOptions, estimate, plan, run

PRICE = Price(input=1.0, output=10.0)


def test_one_call_an_experiment() -> None:
    workload = plan(
        "core",
        tasks="ner",
        n=20,
        set_seeds=0,
        patterns="majority-last",
        output_budgets=500,
        per_label=60,
    )
    found = estimate(workload, FakeModel(price=PRICE), RunOptions(max_attempts=3))
    assert (found.experiments, found.calls, found.worst_calls) == (2, 2, 6)
    assert (found.input_tokens, found.counted_exactly, found.too_long) == (200, True, 0)
    assert (found.expected_output_tokens, found.worst_output_tokens) == (1000, 3000)
    assert "a guess" in found.output_basis
    assert found.expected_cost_usd == pytest.approx((200 * 1 + 1000 * 10) / 1e6)
    assert found.worst_cost_usd == pytest.approx((600 * 1 + 3000 * 10) / 1e6)
    assert estimate(workload, FakeModel()).worst_cost_usd is None


def test_self_is_two_calls_and_forced_writes_nothing() -> None:
    grid: dict[str, Any] = {
        "tasks": "ner",
        "n": 20,
        "set_seeds": 0,
        "patterns": "majority-last",
        "per_label": 60,
    }
    workload = plan("core", variants="self", output_budgets=500, **grid)
    found = estimate(workload, FakeModel())
    assert (found.calls, found.worst_calls, found.worst_output_tokens) == (4, 12, 6000)
    assert not found.counted_exactly
    forced = estimate(plan("core", **grid), FakeModel(), RunOptions(answer_mode="forced"))
    assert (forced.expected_output_tokens, forced.worst_output_tokens) == (2, 6)


def test_prompts_that_do_not_fit_cost_nothing() -> None:
    workload = plan("core", tasks="ner", n=20, set_seeds=0, per_label=60)
    model = FakeModel(context_window=99, tokens=TokenCount(200, exact=False), price=PRICE)
    found = estimate(workload, model)
    assert found.too_long == found.experiments == 18
    assert (found.calls, found.input_tokens, found.worst_cost_usd) == (0, 0, 0)


def test_tokens_and_shared_tokens_follow_the_characters() -> None:
    class Counting(FakeModel):
        def count_tokens(self, messages: object) -> TokenCount:
            self.counted += 1
            return TokenCount(len(messages[-1].content), exact=True)  # type: ignore[index]

    workload = plan("core", tasks="ner", n=40, set_seeds=(0, 1), per_label=60)
    model = Counting()
    found = estimate(workload, model)
    total = sum(len(workload.prompt(e).messages[-1].content) for e in workload.experiments)
    assert found.input_tokens == pytest.approx(total, rel=0.02)
    assert model.counted == 3
    assert 0.2 * total < found.shared_tokens < total


def test_a_run_folder_tells_what_is_left(tmp_path: Path) -> None:
    workload = plan("core", tasks="ner", n=20, set_seeds=0, per_label=60)
    model = FakeModel(price=PRICE)
    assert estimate(workload, model, out=tmp_path).experiments == 18
    assert list(tmp_path.iterdir()) == []
    limit = RunOptions(progress=False, concurrency=1, max_attempts=1, max_cost_usd=0.2015)
    run(workload, model, tmp_path, limit)
    found = estimate(workload, model, out=tmp_path)
    assert 0 < found.experiments < 18
    assert found.output_basis.startswith("10 a call, the mean of")
    assert found.spent_usd == pytest.approx((18 - found.experiments) * (100 + 100) / 1e6)
