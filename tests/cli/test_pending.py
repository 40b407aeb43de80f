"""Contract: a run with experiments that are pending is reported and exported all the same; the
count, the run and how to go on are told, on the page too, and the exit code is 3."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import polars as pl
import pytest
from tests.cli.command import evenhand

RUN = ("run", "core", "--tasks", "sentiment", "--n", "20", "--set-seeds", "0")
TOLD = "2 of 18 experiments are pending and left out; the same evenhand run command goes on"


@pytest.fixture
def half(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run that lacks two of its 18 outcomes."""
    folder = tmp_path / "half"
    assert evenhand(*RUN, "--model", "reader/first-9", "--out", folder) == 0
    with sqlite3.connect(folder / "run.db") as db:
        lost = "SELECT id FROM experiments ORDER BY position LIMIT 2"
        db.execute(f"DELETE FROM attempts WHERE experiment_id IN ({lost})")
        db.execute(f"DELETE FROM outcomes WHERE experiment_id IN ({lost})")
    db.close()
    capsys.readouterr()
    return folder


def test_report(half: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evenhand("report", half, "--page-only") == 3
    shown = capsys.readouterr()
    assert shown.err.startswith(f"{half}: {TOLD}")
    assert "report:" in shown.out
    page = (half / "report.html").read_text("utf-8")
    top, _, rest = page.partition("</header>")
    assert f"half: {TOLD}" in top
    assert f"half: {TOLD}" in rest


def test_report_of_several_runs_names_the_one(
    half: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = tmp_path / "whole"
    assert evenhand(*RUN, "--model", "reader/perfect", "--out", whole) == 0
    capsys.readouterr()
    assert evenhand("report", whole, half, "--page-only", "--json") == 3
    shown = capsys.readouterr()
    assert json.loads(shown.out)["pending"] == {str(half): 2}
    assert shown.err.count("pending") == 1
    assert evenhand("report", whole, "--page-only", "--json") == 0
    assert json.loads(capsys.readouterr().out)["pending"] == {}


def test_export(half: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evenhand("export", half) == 3
    shown = capsys.readouterr()
    assert shown.out == f"{half / 'results.parquet'}\n"
    assert shown.err.startswith(f"{half}: {TOLD}")
    assert pl.read_parquet(half / "results.parquet").height == 16
    assert evenhand("export", half, "--csv", "--json") == 3
    found = json.loads(capsys.readouterr().out)
    assert found == {"file": str(half / "results.csv"), "pending": {str(half): 2}}


def test_coverage(half: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evenhand("coverage", half, "--json") == 3
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert found["pending"] == {str(half): 2}
    assert all(Path(file).is_file() for file in found["files"])
    assert shown.err.startswith(f"{half}: {TOLD}")
    assert f"half: {TOLD}" in Path(found["report"]).read_text("utf-8")


def test_the_same_command_goes_on_and_all_is_well(
    half: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evenhand(*RUN, "--model", "reader/first-9", "--out", half) == 0
    capsys.readouterr()
    assert evenhand("export", half) == 0
    assert capsys.readouterr().err == ""
