"""Contract: `plan` counts, `run` runs and goes on, bad usage is one message and exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import evenhand

from evenhand.results import results


def test_plan_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("plan", "core", "--tasks", "sentiment,ner", "--n", "200", "--json")
    assert evenhand(*words) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["experiments"] == 108
    assert shown["task"] == {"sentiment": 54, "ner": 54}
    assert shown["pattern"]["random"] == 36
    assert shown["n"] == {"200": 108}
    assert round(shown["power"]["null_mean"], 2) > 0.2


def test_plan_forecasts_for_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "plan",
        "core",
        "--tasks",
        "ner",
        "--n",
        "20",
        "--model",
        "openai-compatible/x@http://127.0.0.1:9/v1",
    )
    assert evenhand(*words, "--wished-gap", "60") == 0
    shown = capsys.readouterr().out
    assert "54 experiments a model" in shown
    assert "calls: 54, at worst 162" in shown
    assert "cost: price unknown" in shown
    assert "a gap of 60 points needs" in shown


def test_plan_needs_no_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # no .env
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    words = ("core", "--tasks", "ner", "--n", "20", "--model", "openai/gpt-5.4-nano")
    assert evenhand("plan", *words) == 0
    assert "expected, at worst $" in capsys.readouterr().out
    assert evenhand("run", *words, "--out", tmp_path / "run") == 2
    assert "needs a key: set OPENAI_API_KEY" in capsys.readouterr().err


RUN = ("run", "core", "--tasks", "sentiment", "--n", "20", "--set-seeds", "0")


def test_run_then_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (*RUN, "--model", "reader/perfect", "--out", tmp_path / "run")
    assert evenhand(*words) == 0
    assert "18 of 18 experiments done: 18 correct" in capsys.readouterr().out
    assert evenhand(*words, "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["done"], summary["calls"]) == (18, 18)
    frame = results(tmp_path / "run")
    assert frame["correct"].all()
    assert frame.height == 18


def test_counterbalance_and_repeats_multiply(tmp_path: Path) -> None:
    words = (*RUN, "--patterns", "majority-first", "--counterbalance", "--repeats", "2")
    assert evenhand(*words, "--model", "reader/perfect", "--out", tmp_path / "r") == 0
    assert results(tmp_path / "r").height == 2 * 2 * 2


def test_a_server_that_is_down_leaves_everything_pending(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (
        *RUN,
        "--model",
        "openai-compatible/x@http://127.0.0.1:9/v1",
        "--out",
        tmp_path / "run",
    )
    assert evenhand(*words, "--give-up-after", "0.02") == 3
    assert "18 are pending" in capsys.readouterr().out
    assert results(tmp_path / "run").height == 0


FAULTS: list[tuple[tuple[str, ...], str]] = [
    (("plan", "core", "--tasks", "poetry"), "unknown task 'poetry': use one of math, ner"),
    (("plan", "cores"), "unknown setting 'cores': use one of core, counts"),
    (("plan", "core", "--n", "50"), "use n = 40 or 60"),
    (("plan", "core", "--n", "many"), "'many' is not a whole number"),
    (("plan", "core", "--patterns", "first"), "unknown pattern 'first'"),
    (("plan", "core", "--tasks", "ner", "--majority-labels", "positive"), "no label 'positive'"),
    (("plan", "core", "--per-label", "few"), "give a number of instances, or all"),
    (("plan", "core", "--data", "nowhere"), "nowhere"),
    (("plan", "core", "--data", "a", "--pool", "b"), "two sources"),
    (("plan", "core", "--pool", "rows.csv"), "a table serves one task"),
    ((*RUN, "--model", "reader/slow", "--out", "x"), "reader/first-K"),
    ((*RUN, "--model", "nobody/x", "--out", "x"), "nobody"),
    ((*RUN, "--model", "reader/perfect", "--out", "x", "--answer", "maybe"), "unknown answer mode"),
]


@pytest.mark.parametrize(("words", "message"), FAULTS)
def test_bad_usage(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert evenhand(*words) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert "Traceback" not in shown
    assert list(tmp_path.iterdir()) == []


def test_another_setting_is_refused_on_the_same_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (*RUN, "--model", "reader/perfect", "--out", tmp_path / "run")
    assert evenhand(*words) == 0
    assert evenhand(*words[:-2], "--out", tmp_path / "run", "--p", "0.7") == 2
    assert "0.7" in capsys.readouterr().err
    assert results(tmp_path / "run").height == 18


@pytest.mark.parametrize("command", ["demo", "plan", "run", "report", "export"])
def test_help_pages_have_an_example(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert evenhand(command, "--help") == 0
    assert f"Example: evenhand {command}" in capsys.readouterr().out


def test_a_plan_goes_out_as_a_table_and_comes_back_in(tmp_path: Path) -> None:
    table = tmp_path / "plan.parquet"
    assert evenhand("plan", *RUN[1:], "--export", table) == 0
    for out, words in (("direct", RUN), ("table", ("run", "--plan", table))):
        done = evenhand(*words, "--model", "reader/first-9", "--out", tmp_path / out)
        assert done == 0
    direct, read = (
        results(tmp_path / out).sort("experiment_id").drop("latency_s", "pool_source")
        for out in ("direct", "table")
    )
    assert direct.equals(read)


def test_a_plan_table_leaves_no_room_for_a_setting(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (*RUN, "--plan", tmp_path / "plan.parquet", "--model", "reader/coin", "--out", "x")
    assert evenhand(*words) == 2
    assert "brings its own experiments" in capsys.readouterr().err
