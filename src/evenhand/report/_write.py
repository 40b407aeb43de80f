"""From run folders to one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from evenhand.errors import UsageError
from evenhand.report._conditions import describe_condition, main_condition, told_apart
from evenhand.report._explorer import LookUp
from evenhand.report._finding import Finding, findings, lead
from evenhand.report._load import LoadedRuns, load_runs
from evenhand.report._page import Page, Section
from evenhand.report._render import render_page
from evenhand.report._sections import (
    explorer_section,
    facts_section,
    forced_section,
    gap_section,
    outcome_section,
    position_section,
)

FOOTER = (
    "Made by evenhand from the run folder alone, without a network. This file holds everything it "
    "shows; it makes no request and runs no script but its own.",
    "Charts are drawn by Vega, Vega-Lite and Vega-Embed (BSD 3-clause licence, University of "
    "Washington Interactive Data Lab and contributors), which are part of this file.",
)


def write_report(
    runs: Sequence[Path],
    out: Path,
    extra: Sequence[Section] = (),
    *,
    loaded: LoadedRuns | None = None,
) -> Path:
    """Write one self-contained HTML file about one run or several.

    Args:
        runs: Run folders, or Parquet files of results (which hold no prompts or outputs).
        out: A folder, or a path that ends in ``.html``.
        extra: Sections of other rooms.
        loaded: The same runs, where they have been read already.

    Returns:
        The file.

    Raises:
        UsageError: If a path is no run, or no experiment is finished yet.
    """
    loaded = load_runs(runs) if loaded is None else loaded
    with loaded.look_up() as look_up:
        page = build_page(loaded.frame, extra, look_up, loaded.notes)
    return write_page(page, out)


def build_page(
    frame: pl.DataFrame,
    extra: Sequence[Section] = (),
    look_up: LookUp | None = None,
    notes: Sequence[str] = (),
) -> Page:
    """The page for a results table.

    Args:
        frame: Results, columns as ``RESULTS_SCHEMA``, of one run or several; with a ``run`` column
            if there is a ``look_up``.
        extra: Sections of other rooms; they come before the experiments.
        look_up: Where the texts of an experiment come from; without it none is shown.
        notes: What a reader must know about the runs, shown with their facts.

    Raises:
        UsageError: If there is no finished experiment to report.
    """
    if frame.is_empty():
        raise UsageError(
            "nothing to report: no experiment is finished yet; "
            "run the same evenhand run command again to continue it"
        )
    rows = told_apart(frame)
    main = main_condition(rows)
    found = findings(main)
    sections = [
        position_section(main, found),
        gap_section(found),
        outcome_section(main),
        forced_section(rows),
        *extra,
        explorer_section(rows, look_up) if look_up is not None else None,
        facts_section(rows, notes),
    ]
    return Page(
        title="evenhand report: does order change the answer?",
        lead=lead(found, describe_condition(main)),
        sections=tuple(section for section in sections if section is not None),
        footer=FOOTER,
    )


def finding_rows(frame: pl.DataFrame) -> tuple[Finding, ...]:
    """The findings that the page's headline is chosen from: one a model, in the main condition."""
    return findings(main_condition(told_apart(frame)))


def write_page(page: Page, out: Path) -> Path:
    """Write a page as one HTML file.

    Args:
        page: What to show.
        out: A path that ends in ``.html``, or a folder, in which it becomes ``report.html``.
    """
    path = out if out.suffix == ".html" else out / "report.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render_page(page), encoding="utf-8", newline="\n")
    return path
