"""``evenhand data``: licences come before use, faults of one set do not keep the others away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import evenhand

from evenhand.errors import EvenhandError
from evenhand.pools import Fetched, Upstream
from evenhand.pools._receipt import Receipt


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stands in for the network: notes what is fetched; ``ner`` cannot be had."""
    tasks: list[str] = []

    def fetch(upstream: Upstream, folder: Path, **_: object) -> Fetched:
        tasks.append(upstream.task)
        if upstream.task == "ner":
            raise EvenhandError("cannot fetch ner")
        rows = {split.name: split.rows for split in upstream.splits}
        receipt = Receipt("a hub", upstream.licence, upstream.citation, rows, {})
        return Fetched(folder / upstream.name, receipt, new=True)

    monkeypatch.setattr("evenhand.pools.fetch_upstream", fetch)
    return tasks


def test_fetch_prints_source_licence_and_citation(
    asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:

    assert evenhand("data", "fetch", "math", "--to", str(tmp_path)) == 0
    out = capsys.readouterr().out
    assert "math: GSM8K, 8,792 rows, fetched" in out
    assert "licence: MIT" in out
    assert "cite: Cobbe et al. 2021" in out
    assert out.endswith(f"use with: --data {tmp_path}\n")


def test_a_non_commercial_licence_is_asked_for_before_anything_is_fetched(
    asked: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert evenhand("data", "fetch") == 2
    error = capsys.readouterr().err
    assert "CC BY-NC 4.0 (non-commercial use only)" in error
    assert "--accept-licence" in error
    assert "name the other tasks: math ner occurrence sentiment" in error
    assert asked == []


def test_one_fault_does_not_keep_the_others_away(
    asked: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path))
    assert evenhand("data", "fetch", "ner", "wsd", "--accept-licence", "--json") == 1
    streams = capsys.readouterr()
    assert streams.err == "evenhand: cannot fetch ner\n"
    printed = json.loads(streams.out)
    assert printed["folder"] == str(tmp_path / "data")
    assert [entry["task"] for entry in printed["sets"]] == ["wsd"]


def test_an_unknown_task_is_refused(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert evenhand("data", "fetch", "poetry") == 2
    assert "use math, ner, occurrence, sentiment, wsd" in capsys.readouterr().err


def test_list_shows_what_a_folder_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gsm8k.jsonl.gz").touch()
    assert evenhand("data", "list", "--data", str(tmp_path), "--json") == 0
    sets = json.loads(capsys.readouterr().out)["sets"]
    assert {entry["task"]: entry["there"] for entry in sets} == {
        "math": True,
        "ner": False,
        "occurrence": False,
        "sentiment": False,
        "wsd": False,
    }
    assert evenhand("data", "list", "--data", str(tmp_path)) == 0
    out = capsys.readouterr().out
    assert "math: GSM8K (8,792 rows; there)" in out
    assert "CC BY-NC 4.0" in out
