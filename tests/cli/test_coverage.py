"""Contract: `coverage` writes tables, figures and the report's section; bad input is one line."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import polars as pl
import pytest
from tests.cli.command import evenhand

CORE = ("run", "core", "--tasks", "ner", "--n", "100", "--set-seeds", "0", "--per-label", "100")


def test_tables_figures_and_the_section_are_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert evenhand(*CORE, "--model", "reader/first-30", "--out", tmp_path) == 0
    capsys.readouterr()
    assert evenhand("coverage", tmp_path, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    # 18 experiments: two majority labels, six structured orders and three random ones.
    assert [row["experiments"] for row in found["bins"]] == [0, 18, 0, 0] * 4
    assert found["notes"] == []

    folder = tmp_path / "coverage"
    rows = pl.read_parquet(folder / "coverage.parquet")
    assert rows["mentioned_ids"].to_list() == [list(range(1, 31))] * 18
    assert rows["agreed"].to_list() == [30] * 18
    rates = pl.read_parquet(folder / "mention-rates.parquet").filter(population="valid")
    assert rates["rate"].to_list() == [1.0] * 30 + [0.0] * 70
    assert (folder / "coverage.csv").read_text("utf-8").count("\n") == 19
    assert {Path(file).suffix for file in found["files"]} == {
        ".parquet", ".csv", ".svg", ".pdf", ".png",
    }  # fmt: skip
    assert all(Path(file).stat().st_size for file in found["files"])
    page = Path(found["report"]).read_text("utf-8")
    assert page.count('id="coverage"') == page.count('id="traces-data"') == 1


@pytest.mark.parametrize("words", [(), ("--page-only",)])
def test_report_has_the_section_where_there_are_traces_and_only_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    forced, traced = tmp_path / "forced", tmp_path / "traced"
    model = ("--model", "reader/first-30", "--patterns", "majority-first")
    assert evenhand(*CORE, *model, "--answer", "forced", "--out", forced) == 0
    assert evenhand(*CORE, *model, "--out", traced) == 0
    assert evenhand("report", forced, traced, "--out", tmp_path, *words) == 0
    page = (tmp_path / "report.html").read_text("utf-8")
    assert page.count('id="coverage"') == page.count('id="traces-data"') == 1
    monkeypatch.setattr("evenhand.report._run_sections.load_coverage", None)
    assert evenhand("report", forced, "--out", tmp_path, *words) == 0
    assert 'id="coverage"' not in (tmp_path / "report.html").read_text("utf-8")


def test_the_terminal_shows_the_bins(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    evenhand(*CORE, "--model", "reader/first-5", "--out", tmp_path / "run")
    capsys.readouterr()
    assert evenhand("coverage", tmp_path / "run", "--out", tmp_path / "out") == 0
    shown = capsys.readouterr()
    assert "[25, 75)" in shown.out
    assert "Among" in shown.out
    assert "…" not in shown.out, "a name is cut"
    assert f"report: {tmp_path / 'out' / 'report.html'}" in shown.out.replace("\n", "")
    assert shown.err == ""


def test_a_run_without_traces_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    forced = ("--model", "reader/first-5", "--answer", "forced")
    evenhand(*CORE, *forced, "--out", tmp_path)
    capsys.readouterr()
    assert evenhand("coverage", tmp_path) == 2
    assert "no experiment of these runs has a reasoning trace" in capsys.readouterr().err


def test_a_table_of_results_and_no_run_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert evenhand("coverage", tmp_path / "results.parquet") == 2
    assert "coverage needs the run folder" in capsys.readouterr().err
    assert evenhand("coverage", tmp_path / "nowhere") == 2
    assert "nowhere" in capsys.readouterr().err


def test_a_run_with_nothing_finished_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    evenhand(*CORE, "--model", "reader/first-5", "--out", tmp_path)
    with sqlite3.connect(tmp_path / "run.db") as store:
        store.execute("DELETE FROM outcomes")
    store.close()
    capsys.readouterr()
    assert evenhand("coverage", tmp_path) == 2
    assert f"no experiment of {tmp_path} is finished" in capsys.readouterr().err.replace("\n", "")
