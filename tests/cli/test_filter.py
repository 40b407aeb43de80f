"""``evenhand filter`` end to end with simulated models: table, pool, and a run on it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.cli.command import evenhand
from tests.fake_server import FakeServer

from evenhand.pools import read_pool
from evenhand.results import results
from evenhand.tasks import load_task


def test_a_filtered_pool_is_a_data_folder_and_results_say_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, run = str(tmp_path / "filtered"), tmp_path / "run"
    models = ("--model", "reader/perfect", "--model", "reader/noisy-0.8")
    words = ("filter", "math", *models, "--per-label", "60", "--out", out)
    assert evenhand(*words) == 0
    text = capsys.readouterr().out
    assert "math, pool synthetic-60\n  instances" in text
    assert "reader/perfect correct" in text
    assert text.endswith(f"use with: --data {out}\n")
    assert evenhand(*words, "--json") == 0
    found = json.loads(capsys.readouterr().out)["agreement"]
    assert found["instances"] == 120
    assert found["all_correct"] == found["correct"]["reader/noisy-0.8"]
    assert found["only"]["reader/noisy-0.8"] == 0
    plan = ("--tasks", "math", "--data", out, "--n", "20", "--set-seeds", "0")
    assert evenhand("run", "core", *plan, "--model", "reader/perfect", "--out", str(run)) == 0
    frame = results(run)
    assert frame["pool"].unique().to_list() == ["synthetic-60-filtered"]
    assert "reader/noisy-0.8" in frame["pool_filter"][0]


def test_your_own_table_and_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert evenhand("task", "new", "refunds", "--labels", "refund,other") == 0
    Path("rows.csv").write_text("body,stars\ngive it back,refund\nthanks,other\n", "utf-8")
    columns = ("--text-column", "body", "--label-column", "stars")
    words = ("filter", "refunds.toml", "--pool", "rows.csv", *columns, "--out", "out")
    assert evenhand(*words, "--model", "reader/perfect") == 0
    assert "all correct" in capsys.readouterr().out
    assert Path("out/refunds.pool.parquet").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--data", "a", "--pool", "b"), "two sources of records"),
        (("--budget", "0"), "needs at least one token"),
        (("--per-label", "few"), "give a number of instances, or all"),
        (("--per-label", "all"), "a synthetic pool has no end"),
        (("--model", "reader/perfect", "--per-label", "5"), "named twice"),
    ],
)
def test_bad_input(
    words: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:

    base = ("filter", "wsd", "--model", "reader/perfect", "--out", str(tmp_path))
    assert evenhand(*base, *words) == 2
    assert message in capsys.readouterr().err


def test_report_shows_the_agreement_of_two_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, run = tmp_path / "filtered", tmp_path / "run"
    models = ("--model", "reader/perfect", "--model", "reader/noisy-0.8")
    assert evenhand("filter", "wsd", *models, "--per-label", "60", "--out", out) == 0
    plan = ("--tasks", "wsd", "--data", out, "--n", "20", "--set-seeds", "0")
    assert evenhand("run", "core", *plan, "--model", "reader/perfect", "--out", run) == 0
    capsys.readouterr()
    assert evenhand("report", out, run, "--json") == 0
    made = {
        entry["paper"]: entry["files"] for entry in json.loads(capsys.readouterr().out)["manifest"]
    }
    assert "tables/filter-agreement.csv" in made["Table 4"]
    (row,) = pl.read_csv(run / "tables" / "filter-agreement.csv").to_dicts()
    kept = read_pool(out / "wsd.pool.parquet", load_task("wsd")).instances
    assert (row["task"], row["instances"], row["only_first"]) == ("wsd", 120, 0.0)
    assert row["both_correct"] == pytest.approx(len(kept) / 120)
    assert row["both_correct"] + row["only_second"] + row["both_incorrect"] == pytest.approx(1)
    assert 'id="filter"' in (run / "report.html").read_text("utf-8")
    assert evenhand("report", out) == 2
    assert "name a run folder beside it" in capsys.readouterr().err


def priced(tmp_path: Path) -> str:
    catalog = tmp_path / "models.toml"
    catalog.write_text(
        '[models."openai-compatible/fake"]\nprice = { input = 1000.0, output = 1000.0 }\n'
    )
    return str(catalog)


def test_the_forecast_comes_first_and_nothing_is_asked_above_the_cost_without_a_yes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four instances, one call each; two models that cost money and one that does not."""
    out = tmp_path / "out"
    with FakeServer() as server:
        model = f"openai-compatible/fake@{server.url}"
        models = ("--model", "reader/perfect", "--model", model, "--models", priced(tmp_path))
        pool = ("--per-label", "2", "--max-attempts", "3", "--out", str(out))
        words = ("filter", "wsd", *models, *pool)
        assert evenhand(*words, "--ask-over", "0.5") == 2
        assert server.seen == []
        said = capsys.readouterr()
        assert said.out == ""
        lines = said.err.splitlines()
        assert lines[0].startswith("openai-compatible/fake")
        assert lines[1:3] == ["  experiments to run: 4", "  calls: 4, at worst 12"]
        assert "reader/perfect" not in said.err
        assert "say --yes, or raise --ask-over" in lines[-1]
        assert not out.exists()
        evenhand(*words, "--ask-over", "0.5", "--yes", "--max-attempts", "1")
        assert len(server.seen) == 4


def test_what_runs_here_is_not_announced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("filter", "wsd", "--per-label", "2", "--model", "reader/perfect")
    assert evenhand(*words, "--out", str(tmp_path / "out"), "--ask-over", "0") == 0
    assert "at worst" not in capsys.readouterr().err
