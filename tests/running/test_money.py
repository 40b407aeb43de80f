"""Contract: an unknown price is unknown, never 0; the limit holds whatever the calls in flight
turn out to cost."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from tests.running.fakes import FakeModel, say

from evenhand.errors import UsageError
from evenhand.models import (
    FREE,
    AccessRefusedError,
    ContextOverflowError,
    Price,
    TokenCount,
    TransientError,
    Usage,
    open_model,
)
from evenhand.results import results
from evenhand.running import (
    RunOptions,
    RunStore,
    Workload,
    answer_key,
    estimate,
    is_free,
    plan,
    price_of,
    run,
)
from evenhand.running._money import call_cost, dollars, worst_cost

PRICE = Price(input=1.0, cached_input=0.25, output=4.0)
USED = Usage(input_tokens=1_000_000, cached_input_tokens=400_000, output_tokens=500_000)


@pytest.fixture
def workload() -> Workload:
    """Fourteen experiments with a budget of 100 tokens."""
    return plan(
        "core",
        tasks="sentiment",
        n=20,
        set_seeds=0,
        random_order_seeds=0,
        output_budgets=100,
        per_label=50,
    )


@pytest.mark.parametrize(
    ("usage", "price", "stated", "cost"),
    [
        (USED, PRICE, None, 0.6 + 0.1 + 2.0),
        (USED, PRICE, 7.5, 7.5),
        (USED, None, 7.5, 7.5),
        (USED, None, None, None),
        (USED, Price(input=1.0), None, None),
        (USED, Price(output=1.0), None, None),
        (USED, Price(input=1.0, output=4.0), None, 1.0 + 2.0),
        (Usage(input_tokens=10), PRICE, None, None),
        (Usage(), PRICE, None, None),
        (Usage(0, None, 0), PRICE, None, 0.0),
    ],
)
def test_the_cost_of_a_call(
    usage: Usage, price: Price | None, stated: float | None, cost: float | None
) -> None:
    assert call_cost(say(usage=usage, cost_usd=stated), price) == (
        None if cost is None else pytest.approx(cost)
    )


def test_the_worst_cost_of_a_call() -> None:
    assert worst_cost(1_000_000, 500_000, PRICE) == pytest.approx(3.0)
    assert worst_cost(1, 1, Price(input=1.0)) is None


def test_dollars_are_readable() -> None:
    assert [dollars(amount) for amount in (0, 0.00123, 1, 1234.5)] == [
        "$0.0000",
        "$0.0012",
        "$1.00",
        "$1,234.50",
    ]


@pytest.mark.parametrize("concurrency", [1, 4, 14])
@pytest.mark.parametrize("used", [0, 10, 100])
def test_the_limit_holds(workload: Workload, tmp_path: Path, concurrency: int, used: int) -> None:
    # A call costs 100 * $1 and at worst 100 * $4 more: in millionths, 100 to 500.
    model = FakeModel(
        lambda *_: say(usage=Usage(100, output_tokens=used)),
        price=PRICE,
        tokens=TokenCount(100, exact=True),
        latency_s=0.001,
    )
    limit = 2000e-6
    options = RunOptions(progress=False, concurrency=concurrency, max_cost_usd=limit)
    summary = run(workload, model, tmp_path, options)
    a_call = (100 + 4 * used) * 1e-6
    assert summary.cost_usd is not None
    assert summary.cost_usd == pytest.approx(a_call * len(model.asked))
    assert summary.cost_usd <= limit + 1e-12
    # It goes on as long as the next call fits at its worst: (2000 - 500) / cost, plus that one.
    afforded = min(14, int((limit - 500e-6) / a_call + 1e-9) + 1)
    assert len(model.asked) == afforded
    assert summary.stop == (None if afforded == 14 else "max_cost")
    assert summary.exit_code == (0 if afforded == 14 else 3)


def test_the_limit_is_of_the_folder_and_can_be_raised(workload: Workload, tmp_path: Path) -> None:
    model = FakeModel(lambda *_: say(usage=Usage(100, output_tokens=100)), price=PRICE)
    low = RunOptions(progress=False, concurrency=1, max_cost_usd=1000e-6)
    assert run(workload, model, tmp_path, low).done == 2
    assert run(workload, model, tmp_path, low).done == 2
    high = RunOptions(progress=False, concurrency=1, max_cost_usd=2000e-6)
    summary = run(workload, model, tmp_path, high)
    assert (summary.done, summary.stop) == (4, "max_cost")
    assert summary.message is not None
    assert "raise --max-cost" in summary.message


def test_unknown_usage_stays_at_its_worst_case(workload: Workload, tmp_path: Path) -> None:
    model = FakeModel(lambda *_: say(usage=Usage()), price=PRICE)
    options = RunOptions(progress=False, max_cost_usd=2000e-6)
    summary = run(workload, model, tmp_path, options)
    assert (summary.done, summary.cost_usd) == (4, None)


def test_a_limit_without_a_price_is_refused(workload: Workload, tmp_path: Path) -> None:
    for price in (None, Price(), Price(input=1.0)):
        with pytest.raises(UsageError, match="--max-cost needs the price of fake/model"):
            run(workload, FakeModel(price=price), tmp_path, RunOptions(max_cost_usd=1.0))


def test_a_model_of_this_process_costs_nothing(workload: Workload, tmp_path: Path) -> None:
    model = open_model("reader/perfect", answer_key=answer_key(workload))
    assert is_free(price_of(model))
    assert estimate(workload, model, RunOptions()).worst_cost_usd == 0
    summary = run(workload, model, tmp_path, RunOptions(progress=False, max_cost_usd=0.01))
    assert (summary.done, summary.cost_usd, summary.unsettled) == (14, 0.0, 0)
    assert results(tmp_path)["cost_usd"].to_list() == [0.0] * 14


def test_free_is_a_price_of_zero_and_no_other() -> None:
    assert is_free(FREE)
    assert not any(map(is_free, (None, Price(), Price(input=0.0), Price(input=0.0, output=1.0))))


def test_the_calls_of_a_finished_run_are_settled(workload: Workload, tmp_path: Path) -> None:
    summary = run(workload, FakeModel(price=PRICE), tmp_path, RunOptions(progress=False))
    assert (summary.done, summary.unsettled, summary.unsettled_usd) == (14, 0, 0.0)


def test_a_call_lost_to_a_kill_counts_at_its_worst_case(workload: Workload, tmp_path: Path) -> None:
    # A call that was begun and never came home: 100 * $1 and 100 * $4, in millionths.
    model = FakeModel(lambda *_: RuntimeError("killed"), price=PRICE, max_concurrency=1)
    with pytest.raises(RuntimeError, match="killed"):
        run(workload, model, tmp_path, RunOptions(progress=False))
    with RunStore(tmp_path) as store:
        assert store.totals().unsettled_usd == pytest.approx(500e-6)
    model = FakeModel(lambda *_: say(usage=Usage(100, output_tokens=100)), price=PRICE)
    options = RunOptions(progress=False, concurrency=1, max_cost_usd=2000e-6)
    summary = run(workload, model, tmp_path, options)
    assert (summary.done, summary.stop) == (3, "max_cost")
    assert summary.unsettled == 1
    assert summary.unsettled_usd == pytest.approx(500e-6)
    assert summary.cost_usd == pytest.approx(1500e-6)


@pytest.mark.parametrize(("may_cost", "afforded"), [(False, 4), (True, 2)])
def test_a_failed_call_counts_where_it_may_have_been_billed(
    workload: Workload, tmp_path: Path, may_cost: bool, afforded: int
) -> None:
    model = FakeModel(
        lambda number, *_: (
            TransientError("no", may_cost=may_cost)
            if number < 2
            else say(usage=Usage(100, output_tokens=100))
        ),
        price=PRICE,
    )
    options = RunOptions(progress=False, concurrency=1, max_cost_usd=2000e-6, backoff_s=0.001)
    summary = run(workload, model, tmp_path, options)
    assert (summary.done, summary.stop) == (afforded, "max_cost")
    assert summary.unsettled == (2 if may_cost else 0)


def test_unknown_usage_stays_at_its_worst_case_in_later_runs(
    workload: Workload, tmp_path: Path
) -> None:
    options = RunOptions(progress=False, max_cost_usd=2000e-6)
    for _ in range(2):
        model = FakeModel(lambda *_: say(usage=Usage()), price=PRICE)
        summary = run(workload, model, tmp_path, options)
        assert (summary.done, summary.unsettled, summary.stop) == (4, 4, "max_cost")


@pytest.mark.parametrize("error", [ContextOverflowError("long"), AccessRefusedError("key")])
def test_a_refused_call_costs_nothing(workload: Workload, tmp_path: Path, error: Exception) -> None:
    model = FakeModel(lambda *_: error, price=PRICE, max_concurrency=1)
    with suppress(AccessRefusedError):
        run(workload, model, tmp_path, RunOptions(progress=False))
    with RunStore(tmp_path) as store:
        assert store.totals().unsettled == 0
