"""Contract of the coverage section: the paper's figures where the data allow them, notes on what is
left out, and single traces whose marks stand on the right characters, whatever a model wrote."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.report.browser import CHROMIUM, chromium

from evenhand.analysis import coverage, coverage_notes, find_mentions
from evenhand.report import Lead, Page, Panel, Prose, Table, write_page
from evenhand.report._coverage_load import LoadedCoverage, TraceView, id_runs
from evenhand.report._coverage_section import coverage_figures, coverage_section
from evenhand.results import ATTEMPTS_SCHEMA, RESULTS_SCHEMA

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
TRACE = f"😀 {HOSTILE}\nInstance 1: positive\nInstances 3-5 look alike, #7 too, or 8.\n"


def row(name: str, **columns: Any) -> dict[str, Any]:
    return {
        "experiment_id": name,
        "model": "lab/<b>model</b>",
        "task": "sentiment",
        "n": 20,
        "p": 0.55,
        "majority_label": "positive",
        "pattern": "majority-first",
        "variant": "standard",
        "output_budget": 20_000,
        "answer_mode": "generate",
        "outcome": "correct",
        "valid": True,
        "correct": True,
        "labels": ["negative", "positive"],
        **columns,
    }


def loaded(rows: list[dict[str, Any]], reasoning: str | None = TRACE) -> LoadedCoverage:
    calls = [
        {"experiment_id": one["experiment_id"], "reasoning": reasoning, "decides": True}
        for one in rows
    ]
    frame = coverage(
        pl.DataFrame(rows, schema=dict(RESULTS_SCHEMA)),
        pl.DataFrame(calls, schema=dict(ATTEMPTS_SCHEMA)),
        lambda _: ["positive"] * 11 + ["negative"] * 9,
    )
    views = tuple(
        TraceView(one, reasoning, tuple(find_mentions(reasoning, 20)), (11, 9))
        for one in frame.filter(pl.col("trace") == "trace").to_dicts()
        if reasoning is not None
    )
    return LoadedCoverage(frame, tuple(coverage_notes(frame)), views)


def test_one_condition_shows_rates_and_agreement() -> None:
    assert list(coverage_figures(loaded([row("a")]))) == ["mention-rates", "label-agreement"]


def test_patterns_budgets_and_sizes_add_their_figures() -> None:
    many = [
        row("a"),
        row("b", pattern="random", order_seed=0),
        row("c", output_budget=100_000),
        row("d", n=40, p=0.9),
        row("e", model="lab/other"),
    ]
    figures = coverage_figures(loaded(many))
    assert list(figures) == [
        "mention-rates",
        "mention-rates-by-order",
        "mention-rates-by-budget",
        "mean-coverage",
        "label-agreement",
    ]
    for figure in figures.values():
        assert figure.alt
        assert figure.chart.to_dict()["$schema"]


def test_rates_are_those_of_the_commonest_size() -> None:
    figure = coverage_figures(loaded([row("a"), row("b"), row("c", n=40)]))["mention-rates"]
    assert figure.numbers is not None
    assert figure.numbers.rows[-1][1].text == "19–20"
    assert figure.numbers.rows[-1][-1].text == "2"


def test_the_section_says_what_is_left_out() -> None:
    section = coverage_section(loaded([row("a")], reasoning=None))
    notes = [block.text for block in section.blocks if isinstance(block, Prose)]
    assert notes == ["lab/<b>model</b>: 1 of 1 experiments have no trace."]
    assert not any(isinstance(block, Panel) for block in section.blocks)


def test_the_table_stands_the_two_measures_side_by_side() -> None:
    section = coverage_section(loaded([row("a")]))
    table = next(block for block in section.blocks if isinstance(block, Table))
    assert [cell.text for cell in table.rows[1]] == [
        "lab/<b>model</b>", "valid", "[25, 75)", "1", "100.0", "0", "–",
    ]  # fmt: skip
    assert "100.0%" in table.note


def test_the_marks_are_character_ranges_of_the_trace() -> None:
    section = coverage_section(loaded([row("a")]))
    panel = next(block for block in section.blocks if isinstance(block, Panel))
    (entry,) = json.loads(gzip.decompress(base64.b64decode(panel.data)))
    shown = [entry["text"][start:end] for start, end, _, _ in entry["marks"]]
    assert shown == ["1", "3-5", "7"]
    assert entry["named"] == [[1, 1], [7, 7]]
    assert entry["ranges"] == [[3, 5]]
    assert entry["runs"] == [11, 9]


def test_runs_of_ids() -> None:
    assert id_runs([1, 2, 3, 7, 9, 10]) == [(1, 3), (7, 7), (9, 10)]
    assert id_runs([]) == []


@pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium on the path")
def test_in_a_browser_marks_stand_right_and_nothing_runs(tmp_path: Path) -> None:
    section = coverage_section(loaded([row("a"), row("b", outcome="mistake")]))
    lead = Lead("kicker", "headline", "none", "no effect")
    page = write_page(Page("title", lead, (section,)), tmp_path)
    with chromium(tmp_path / "profile") as browser:
        browser.open(page, width=380)
        browser.wait_for("document.getElementById('traces').dataset.ready === 'true'")
        marks = browser.evaluate(
            "[...document.querySelectorAll('#traces pre mark')].map(m => [m.textContent, m.title])"
        )
        assert marks == [
            ["1", "record 1: majority"],
            ["3-5", "records 3 to 5"],
            ["7", "record 7: majority"],
        ]
        assert browser.evaluate("window.hacked") is None
        text = browser.evaluate("document.querySelector('#traces pre').textContent.slice(3)")
        assert text == TRACE[2:]
        assert browser.evaluate("document.documentElement.scrollWidth") <= 380
        assert browser.complaints() == []
        assert [url for url in browser.requests() if not url.startswith(("file:", "data:"))] == []
