"""Contract: the processes that share the reading change neither a number nor the order of rows,
and tables that are no results or attempts are refused in words."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from evenhand.analysis import coverage
from evenhand.analysis._coverage import _batches
from evenhand.analysis._coverage._batches import in_batches
from evenhand.errors import EvenhandError, UsageError
from evenhand.results import ATTEMPTS_SCHEMA, RESULTS_SCHEMA

N = 20
GOLD = ("positive", "negative") * (N // 2)


def results(count: int, n: int | None = N) -> pl.DataFrame:
    row = {
        "setting": "core",
        "model": "lab/model",
        "task": "sentiment",
        "n": n,
        "p": 0.55,
        "majority_label": "positive",
        "set_seed": 0,
        "pattern": "majority-first",
        "variant": "standard",
        "output_budget": 20_000,
        "answer_mode": "generate",
        "outcome": "correct",
        "valid": True,
        "correct": True,
        "labels": ["negative", "positive"],
    }
    rows = [{**row, "experiment_id": f"e{at}"} for at in range(count)]
    return pl.DataFrame(rows, schema=dict(RESULTS_SCHEMA))


def attempts(traces: Sequence[str | None]) -> pl.DataFrame:
    rows = [
        {"experiment_id": f"e{at}", "reasoning": trace, "decides": True}
        for at, trace in enumerate(traces)
    ]
    return pl.DataFrame(rows, schema=dict(ATTEMPTS_SCHEMA))


def names(table: pl.DataFrame, beside: Sequence[Sequence[str]]) -> pl.DataFrame:
    return table.select("name", pl.Series("beside", [part[0] for part in beside], pl.String()))


def ended(table: pl.DataFrame, beside: Sequence[Sequence[str]]) -> pl.DataFrame:
    import os

    os._exit(9)


def test_two_processes_read_as_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    traces = [
        None if at % 7 == 0 else "\n".join(f"{one}: positive" for one in range(1, at % N + 2))
        for at in range(60)
    ]
    alone = coverage(results(60), attempts(traces), lambda _: GOLD)
    monkeypatch.setattr(_batches, "WORTH_PROCESSES", 0)
    shared = coverage(results(60), attempts(traces), lambda _: GOLD, processes=2)
    assert shared.equals(alone)
    assert shared["experiment_id"].to_list() == [f"e{at}" for at in range(60)]
    assert shared["mentioned"].to_list()[:9] == [None, 2, 3, 4, 5, 6, 7, None, 9]
    assert shared["agreed"].to_list()[:4] == [None, 1, 2, 2]


def test_batches_keep_order_and_what_stands_beside() -> None:
    table = pl.DataFrame({"name": [f"r{at}" for at in range(53)], "reasoning": ["x"] * 53})
    parts = in_batches(names, table, [(f"b{at}",) for at in range(53)], processes=4)
    assert [part.height for part in parts] == [25, 25, 3]
    assert pl.concat(parts).rows() == [(f"r{at}", f"b{at}") for at in range(53)]
    assert in_batches(names, table.clear(), [], processes=4) == []


def test_a_process_ended_from_outside_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_batches, "WORTH_PROCESSES", 0)
    table = pl.DataFrame({"reasoning": ["x"] * 53})
    with pytest.raises(EvenhandError, match=r"one of 2 processes .* try fewer"):
        in_batches(ended, table, [()] * 53, processes=2)


def test_no_process_is_too_few() -> None:
    with pytest.raises(UsageError, match="processes = 0"):
        coverage(results(1), attempts(["1: positive"]), processes=0)


@pytest.mark.parametrize("n", [0, None])
def test_a_trace_needs_instances(n: int | None) -> None:
    with pytest.raises(UsageError, match=f"experiment e0 has a trace but n = {n}"):
        coverage(results(1, n), attempts(["1: positive"]))
    assert coverage(results(1, n), attempts([None]))["trace"].to_list() == ["none"]


def test_columns_that_are_missing_are_named() -> None:
    with pytest.raises(UsageError, match="the attempts have no column reasoning, decides"):
        coverage(results(1), attempts(["1"]).drop("reasoning", "decides"))
    with pytest.raises(UsageError, match="the results have no column labels"):
        coverage(results(1).drop("labels"), attempts(["1"]))
