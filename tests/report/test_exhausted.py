"""Contract: a run against a server with a split budget says so, and its report counts the runs that
exhausted their reasoning budget, out of all runs and of the invalid ones (D.1)."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import polars as pl
import pytest
from tests.cli.command import evenhand
from tests.fake_server import FakeServer, Play, Seen, answer

from evenhand.report import load_runs
from evenhand.report._facts import run_facts
from evenhand.results import export, results

CATALOG = """
[models."openai-compatible/split"]
split_completion = 20
budget_field = "reasoning.max_tokens"
"""
RIGHT, WRONG, NONE = '{"answer": "positive"}', '{"answer": "negative"}', "I cannot tell."
Reply = tuple[str, int | None]
QUICK: Reply = (RIGHT, 7)
REPLIES: tuple[list[Reply], ...] = (
    [(RIGHT, 19_980)],
    [(WRONG, 19_980)],
    [(WRONG, 19_980)],
    [(WRONG, 19_980)],
    [(NONE, 19_980), (NONE, 19_980), (NONE, 19_980)],
    [(NONE, 7), (NONE, 7), (NONE, 7)],
    [(NONE, 19_980), QUICK],
    [(RIGHT, None)],
    *([QUICK] for _ in range(6)),
)
"""What each of 14 prompts is answered in turn, with its reasoning tokens: 5 exhausted (1 of 4 valid
ones right, 1 invalid), 8 not (7 valid, all right), 1 unknown."""


class Split:
    """Answers prompts, in the order in which they first come, by :data:`REPLIES`."""

    def __init__(self) -> None:
        self.asked: dict[str, list[Reply]] = {}

    def __call__(self, seen: Seen) -> Play:
        if seen.messages_sha256 not in self.asked:
            self.asked[seen.messages_sha256] = list(REPLIES[len(self.asked)])
        text, reasoning = self.asked[seen.messages_sha256].pop(0)
        usage = {"prompt_tokens": 500, "completion_tokens": (reasoning or 0) + 20}
        if reasoning is None:
            return answer(text, usage=usage)
        return answer(
            text, usage=usage | {"completion_tokens_details": {"reasoning_tokens": reasoning}}
        )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six structured orders and eight random ones of one instance set."""
    folder = tmp_path_factory.mktemp("split")
    (folder / "catalog.toml").write_text(CATALOG)
    with FakeServer(Split()) as server:
        words = (
            *("run", "core", "--tasks", "sentiment", "--n", "20", "--set-seeds", "0"),
            *("--majority-labels", "positive", "--order-seeds", "0,1,2,3,4,5,6,7"),
            *("--models", folder / "catalog.toml", "--out", folder / "run", "--yes"),
        )
        assert evenhand(*words, "--model", f"openai-compatible/split@{server.url}") == 0
        for seen in server.seen:
            assert seen.body["max_tokens"] == 20
            assert seen.body["reasoning"] == {"max_tokens": 19_980}
    return folder / "run"


def _manifest(capsys: pytest.CaptureFixture[str], *words: str | Path) -> dict[str, object]:
    capsys.readouterr()
    assert evenhand("report", *words, "--json") == 0
    entries = json.loads(capsys.readouterr().out)["manifest"]
    (found,) = (entry for entry in entries if entry["name"] == "exhausted-budgets")
    return dict(found)


def test_the_results_carry_it(run: Path) -> None:
    frame = results(run)
    assert frame["reasoning_budget"].to_list() == [19_980] * 14
    assert dict(frame["reasoning_exhausted"].value_counts().iter_rows()) == {
        True: 5,
        False: 8,
        None: 1,
    }


def test_the_report_shows_it(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = _manifest(capsys, run, "--out", tmp_path)
    assert found["paper"] == "Appendix D.1"
    assert found["files"] == [f"tables/exhausted-budgets.{kind}" for kind in ("md", "tex", "csv")]
    with (tmp_path / "tables" / "exhausted-budgets.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["exhausted"] for row in rows] == ["true", "false", ""]
    assert [row["count"] for row in rows] == ["5", "8", "1"]
    assert [float(row["share"]) for row in rows] == [5 / 14, 8 / 14, 1 / 14]
    assert [row["invalid"] for row in rows] == ["1", "1", "0"]
    assert [float(row["invalid_share"]) for row in rows] == [0.5, 0.5, 0.0]
    assert [float(row["accuracy"]) for row in rows] == [0.25, 1.0, 1.0]
    told = (tmp_path / "tables" / "exhausted-budgets.md").read_text("utf-8")
    spent = "| openai-compatible/split | 19,980 | exhausted | 5 | 35.7 | 1 | 50.0 | 25.0 |"
    assert spent in told
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "Exhausted reasoning budgets" in page
    assert "Appendix D.1" not in page  # it is not among what is missing


def test_a_table_of_results_carries_it_too(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whole, it says the same. Without what each run's deciding attempt did, its tokens say it of
    the 11 runs of one call; without a budget, the page says what would supply the table."""
    whole = export(run, tmp_path / "whole.parquet")
    assert results(whole).equals(results(run))
    frame = pl.read_parquet(whole)
    frame.drop("reasoning_exhausted").write_parquet(tmp_path / "tokens.parquet")
    frame.drop("reasoning_budget", "reasoning_exhausted").write_parquet(tmp_path / "none.parquet")

    found = _manifest(capsys, tmp_path / "tokens.parquet", "--out", tmp_path / "tokens")
    assert found["made"]
    table = pl.read_csv(tmp_path / "tokens" / "tables" / "exhausted-budgets.csv")
    assert table["count"].to_list() == [4, 6, 4]

    found = _manifest(capsys, tmp_path / "none.parquet", "--out", tmp_path / "none")
    assert not found["made"]
    page = (tmp_path / "none" / "report.html").read_text("utf-8")
    missing = page[page.index("What these runs cannot show") :]
    assert "a model whose reasoning has a budget of its own" in missing


def test_the_facts_name_the_budget(run: Path) -> None:
    frame = load_runs([run]).frame
    (facts,) = run_facts(frame)
    assert ("Of it for reasoning alone", "19,980 tokens") in facts.items
    (plain,) = run_facts(frame.with_columns(reasoning_budget=pl.lit(None, pl.Int64)))
    assert "Of it for reasoning alone" not in dict(plain.items)
