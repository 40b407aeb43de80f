"""From run folders to the page: it says what follows from a reader's rule in closed form."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from evenhand.cli._app import build_app
from evenhand.errors import UsageError
from evenhand.report import load_runs, write_report
from evenhand.results import export

RUNNER = CliRunner()


def _run(model: str, out: Path) -> None:
    options = ["--n", "200", "--tasks", "sentiment,ner,wsd", "--order-seeds", "0"]
    done = RUNNER.invoke(
        build_app(), ["run", "core", "--model", model, "--out", str(out), *options]
    )
    assert done.exit_code == 0, done.output


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A reader of the first 20 of 200, a perfect counter and a coin."""
    folder = tmp_path_factory.mktemp("runs")
    for model in ("first-20", "perfect", "coin"):
        _run(f"reader/{model}", folder / model)
    return folder


def _report(*arguments: str) -> dict[str, list[dict[str, object]]]:
    done = RUNNER.invoke(build_app(), ["report", *arguments, "--json"])
    assert done.exit_code == 0, done.output
    found: dict[str, list[dict[str, object]]] = json.loads(done.stdout)
    return found


def test_a_reader_of_the_beginning(runs: Path, tmp_path: Path) -> None:
    printed = _report(str(runs / "first-20"), "--out", str(tmp_path))
    (found,) = printed["findings"]
    assert (found["gap"], found["verdict"]) == (1.0, "effect")
    accuracy = pl.read_csv(tmp_path / "tables" / "core-summary.csv")
    assert accuracy["gap"].to_list() == [1.0]
    made = {entry["name"] for entry in printed["manifest"] if entry["made"]}
    assert {"core-summary", "majority-position", "all-patterns-by-task"} <= made


def test_a_perfect_counter_and_a_coin(runs: Path, tmp_path: Path) -> None:
    paths = [str(runs / "perfect"), str(runs / "coin"), "--page-only", "--out", str(tmp_path)]
    perfect, coin = _report(*paths)["findings"]
    assert (perfect["gap"], perfect["p_value"], perfect["verdict"]) == (0.0, 1.0, "none")
    assert coin["verdict"] != "effect"
    html = (tmp_path / "report.html").read_text("utf-8")
    assert "reader/perfect was right 100% of the time in every order." in html


def test_the_terminal_names_the_file_and_what_is_missing(runs: Path, tmp_path: Path) -> None:
    done = RUNNER.invoke(build_app(), ["report", str(runs / "first-20"), "--out", str(tmp_path)])
    assert done.exit_code == 0
    assert "majority-first" in done.stdout
    assert "Order changes the answer" in " ".join(done.stdout.split())
    assert "not made, for want of runs: Table 4, Table 5, Figure 3" in done.stdout
    assert done.stdout.rstrip().endswith(f"report: {tmp_path / 'report.html'}")


def test_two_models_compared(runs: Path, tmp_path: Path) -> None:
    pair = ["reader/perfect", "reader/first-20"]
    _report(str(runs / "perfect"), str(runs / "first-20"), "--page-only", "--out", str(tmp_path),
            "--compare", *pair)  # fmt: skip
    html = (tmp_path / "report.html").read_text("utf-8")
    assert "reader/perfect against reader/first-20" in html


def test_a_comparison_needs_a_known_model(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no model 'nobody' in these runs: use one of reader/coin"):
        write_report([runs / "coin"], tmp_path, compared=("nobody", "reader/coin"))


def test_the_same_run_twice_counts_once_and_says_so(runs: Path) -> None:
    loaded = load_runs([runs / "coin", runs / "coin"])
    assert loaded.frame.height == load_runs([runs / "coin"]).frame.height
    assert "stood in more than one" in loaded.notes[0]


def test_a_parquet_file_reports_without_texts(runs: Path, tmp_path: Path) -> None:
    export(runs / "coin", tmp_path / "coin.parquet")
    page = write_report([tmp_path / "coin.parquet"], tmp_path / "page.html")
    assert "0 of them come with prompt" in page.read_text("utf-8")


def test_prompts_are_those_that_were_sent(runs: Path) -> None:
    loaded = load_runs([runs / "coin"])
    row = loaded.frame.row(0, named=True)
    with loaded.look_up() as look_up:
        seen = look_up(0, row["experiment_id"])
    assert seen is not None
    assert len(seen.instances) == 200
    assert f"Instance 200: {seen.instances[-1].text}" in seen.messages[-1].content
    assert [call.outcome for call in seen.attempts] == [row["outcome"]]


@pytest.mark.parametrize(
    ("paths", "message"),
    [([], "name at least one run folder"), (["nowhere"], "nowhere")],
)
def test_what_is_no_run_is_said(paths: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_runs([Path(path) for path in paths])
