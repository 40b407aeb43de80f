"""Contract: the results table is the schema's, a row an experiment that has an outcome; sums are
over all attempts, and unknown where a part is; the attempts table has every finished call."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.running.fakes import FakeModel, say

from evenhand.errors import UsageError
from evenhand.models import Usage
from evenhand.results import ATTEMPTS_SCHEMA, RESULTS_SCHEMA, attempts, export, pending, results
from evenhand.running import RunOptions, Workload, plan, run

QUIET = RunOptions(progress=False)


@pytest.fixture
def workload() -> Workload:
    """Two experiments: the majority first, either label."""
    return plan(
        "core", tasks="sentiment", n=20, set_seeds=0, patterns="majority-first", per_label=50
    )


def test_the_schema_is_exact(workload: Workload, tmp_path: Path) -> None:
    run(workload, FakeModel(), tmp_path, QUIET)
    assert dict(results(tmp_path).schema) == dict(RESULTS_SCHEMA)
    assert dict(attempts(tmp_path).schema) == ATTEMPTS_SCHEMA
    first = results(tmp_path).row(0, named=True)
    expected = {
        "experiment_id": "core/sentiment/n20/p0.55/maj=negative/s0/majority-first/standard/20k",
        "setting": "core",
        "model": "fake/model",
        "task": "sentiment",
        "n": 20,
        "p": 0.55,
        "majority_label": "negative",
        "set_seed": 0,
        "pattern": "majority-first",
        "order_seed": None,
        "variant": "standard",
        "output_budget": 20_000,
        "repeat": 0,
        "answer_mode": "generate",
        "outcome": "mistake",
        "predicted": "positive",
        "margin": None,
        "valid": True,
        "correct": False,
        "lenient": False,
        "attempts": 1,
        "finish_reason": "stop",
        "input_tokens": 100,
        "output_tokens": 10,
        "reasoning_tokens": None,
        "cost_usd": None,
        "labels": ["negative", "positive"],
        "pool_source": "synthetic",
        "pool_filter": None,
    }
    assert {name: first[name] for name in expected} == expected
    assert first["prompt_sha256"] == workload.prompt_sha256(workload.experiments[0])


def test_sums_run_over_all_attempts(workload: Workload, tmp_path: Path) -> None:
    replies = [
        say("nothing", usage=Usage(100, output_tokens=10, reasoning_tokens=1), cost_usd=0.5),
        say(usage=Usage(100, output_tokens=20, reasoning_tokens=2), cost_usd=0.25),
        say("nothing", usage=Usage(100, output_tokens=10), cost_usd=0.5),
        say(usage=Usage(100)),
    ]
    model = FakeModel(lambda number, *_: replies[number], max_concurrency=1)
    run(workload, model, tmp_path, QUIET)
    columns = ["attempts", "input_tokens", "output_tokens", "reasoning_tokens", "cost_usd"]
    assert results(tmp_path).select(columns).rows() == [
        (2, 200, 30, 3, 0.75),
        (2, 200, None, None, None),
    ]


def test_parameters_are_told_apart_but_for_those_of_one_call(
    workload: Workload, tmp_path: Path
) -> None:
    sent = [
        {"max_tokens": 7, "seed": 0, "window_room": 100},
        {"max_tokens": 7, "seed": 1, "window_room": 90},
    ]
    model = FakeModel(lambda number, *_: say(parameters=sent[number]), max_concurrency=1)
    run(workload, model, tmp_path / "same", QUIET)
    assert results(tmp_path / "same")["parameters_sha256"].n_unique() == 1
    sent = [{"max_tokens": 7}, {"max_tokens": 8}]
    model = FakeModel(lambda number, *_: say(parameters=sent[number]), max_concurrency=1)
    run(workload, model, tmp_path / "other", QUIET)
    assert results(tmp_path / "other")["parameters_sha256"].n_unique() == 2


def test_pending_experiments_are_left_out(workload: Workload, tmp_path: Path) -> None:
    model = FakeModel(
        lambda number, *_: RuntimeError("a bug") if number else say(), max_concurrency=1
    )
    with pytest.raises(RuntimeError, match="a bug"):
        run(workload, model, tmp_path, QUIET)
    assert results(tmp_path).height == 1
    assert pending(tmp_path)["majority_label"].to_list() == ["positive"]


def test_export_and_back(workload: Workload, tmp_path: Path) -> None:
    run(workload, FakeModel(), tmp_path, QUIET)
    written = export(tmp_path)
    assert written == tmp_path / "results.parquet"
    assert results(written).equals(results(tmp_path))
    table = pl.read_csv(export(tmp_path, tmp_path / "out" / "t.csv", "csv"))
    assert table.columns == list(RESULTS_SCHEMA)
    assert table["labels"].to_list() == ["negative|positive"] * 2
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["t.csv"]


def test_an_export_never_takes_the_place_of_the_run(workload: Workload, tmp_path: Path) -> None:
    run(workload, FakeModel(), tmp_path, QUIET)
    for name, format_ in (("run.db", "parquet"), ("t.csv", "parquet"), ("t.parquet", "csv")):
        with pytest.raises(UsageError, match=rf"ends in \.{format_}"):
            export(tmp_path, tmp_path / name, format_)  # type: ignore[arg-type]
    assert results(tmp_path).height == 2


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is not a run folder: it has no run\.db"):
        results(tmp_path)
    (tmp_path / "run.db").write_text("not a database, but long enough to look like a file" * 99)
    with pytest.raises(UsageError, match="cannot be used as a run store"):
        results(tmp_path)
    pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(UsageError, match="it has no column experiment_id, setting, model"):
        results(tmp_path / "t.parquet")
