"""What is embedded follows the stated rule, and nothing is dropped without a word."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import polars as pl
import pytest
from tests.report.conftest import Simulate

from evenhand.pools import Instance
from evenhand.prompts import Message
from evenhand.report import Panel
from evenhand.report._explorer import (
    TEXT_END,
    TEXT_START,
    Attempt,
    CloseUp,
    explorer_panel,
    label_runs,
)
from evenhand.report._facts import run_facts

RECORDS = [Instance(str(at), f"text {at}", "positive" if at < 2 else "negative") for at in range(3)]


def _look_up(_: int, experiment_id: str) -> CloseUp:
    lines = "Instance 1: text 0\nInstance 2: text 1\nInstance 3: text 2"
    calls = [Attempt(1, 2, "correct", "long" * 20_000, None)]
    return CloseUp(RECORDS, [Message("user", f"head\n{lines}\n{experiment_id}")], calls)


def _data(panel: Panel) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(panel.data)))
    return data


@pytest.fixture
def frame(simulate: Simulate) -> pl.DataFrame:
    return simulate().with_columns(run=pl.lit(0))


@pytest.mark.parametrize(
    ("order", "runs"), [("FFT", (0, 2, 1)), ("TTF", (2, 1)), ("T", (1,)), ("", ())]
)
def test_runs_start_with_the_majority(order: str, runs: tuple[int, ...]) -> None:
    assert label_runs([label == "T" for label in order]) == runs


def test_a_small_run_is_embedded_whole(frame: pl.DataFrame) -> None:
    panel = explorer_panel(frame, _look_up)
    assert "All 54 experiments are here with their full texts." in panel.html
    data = _data(panel)
    assert data["texts"] == ["text 0", "text 1", "text 2"]
    assert all(item["order"] == [0, 1, 2] for item in data["experiments"])


def test_the_prompt_is_stored_without_its_records(frame: pl.DataFrame) -> None:
    data = _data(explorer_panel(frame, _look_up))
    role, head, tail = data["experiments"][0]["messages"][0]
    assert (role, data["parts"][head]) == ("user", "head\n")
    assert data["parts"][tail] == f"\n{data['experiments'][0]['experiment_id']}"


def test_a_long_output_says_how_much_is_left_out(frame: pl.DataFrame) -> None:
    text = _data(explorer_panel(frame, _look_up))["experiments"][0]["calls"][0]["text"]
    assert [len(text[0]), text[1], len(text[2])] == [TEXT_START, "40,000", TEXT_END]


def test_a_forced_choice_has_no_output_and_no_budget(frame: pl.DataFrame) -> None:
    def look_up(run: int, experiment_id: str) -> CloseUp:
        seen = _look_up(run, experiment_id)
        return CloseUp(seen.instances, seen.messages, [Attempt(1, 2, "correct", "", None)])

    forced = frame.with_columns(answer_mode=pl.lit("forced"))
    assert _data(explorer_panel(forced, look_up))["experiments"][0]["calls"][0]["text"] is None
    for rows, said in ((frame, True), (forced, False)):
        (facts,) = run_facts(rows)
        assert ("Output budget" in dict(facts.items)) is said


def test_over_the_limit_one_of_each_kind_comes_first_and_the_page_says_so(
    frame: pl.DataFrame,
) -> None:
    kinds = frame.select("task", "pattern", "outcome").unique().height
    panel = explorer_panel(frame, _look_up, full_experiments=kinds)
    data = _data(panel)
    full = [item for item in data["experiments"] if item.get("order")]
    assert len(full) == kinds == len({(item["pattern"], item["outcome"]) for item in full})
    assert len(data["experiments"]) == 54
    assert f"{kinds} of them come with prompt, output and trace" in panel.html
    bare = [item for item in data["experiments"] if not item.get("order")]
    assert {item["pattern"] for item in bare if item["strip"] is None} == {"random"}
    assert "random ones is not drawn" in panel.html


def test_a_strip_without_records_follows_the_pattern(frame: pl.DataFrame) -> None:
    data = _data(explorer_panel(frame, lambda *_: None))
    strips = {item["pattern"]: item["strip"] for item in data["experiments"]}
    assert data["strips"][strips["majority-first"]] == [55, 45]
    assert data["strips"][strips["majority-middle"]] == [0, 23, 55, 22]


def test_the_character_limit_stops_embedding(frame: pl.DataFrame) -> None:
    data = _data(explorer_panel(frame, _look_up, full_characters=100_000))
    assert sum(bool(item.get("order")) for item in data["experiments"]) == 3
