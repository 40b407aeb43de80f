"""From run folders to one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from evenhand._write_whole import write_text_whole
from evenhand.errors import UsageError
from evenhand.report._catalogue import Made, Material
from evenhand.report._conditions import describe_condition, main_condition, told_apart
from evenhand.report._exhibits import ManifestEntry, exhibits, write_exhibits
from evenhand.report._explorer import LookUp
from evenhand.report._finding import Finding, findings
from evenhand.report._forced_section import forced_section, margin_measures, together
from evenhand.report._lead import lead, leading
from evenhand.report._load import LoadedRuns, load_runs
from evenhand.report._page import Page, Section
from evenhand.report._render import render_page
from evenhand.report._sections import (
    budget_section,
    compare_section,
    explorer_section,
    facts_section,
    filter_section,
    gap_section,
    missing_section,
    model_section,
    outcome_section,
    position_section,
    prompt_section,
    size_section,
)

FOOTER = (
    "Made by evenhand from the run folder alone, without a network. This file holds everything it "
    "shows; it makes no request and runs no script but its own.",
    "Charts are drawn by Vega, Vega-Lite and Vega-Embed (BSD 3-clause licence, University of "
    "Washington Interactive Data Lab and contributors), which are part of this file.",
)


@dataclass(frozen=True, slots=True)
class Report:
    """What was written: the page, and one manifest entry for each of the paper's exhibits."""

    page: Path
    manifest: tuple[ManifestEntry, ...]


def write_report(
    runs: Sequence[Path],
    out: Path,
    extra: Sequence[Section] = (),
    *,
    loaded: LoadedRuns | None = None,
    compared: tuple[str, str] | None = None,
) -> Path:
    """Write one self-contained HTML file about one run or several.

    Args:
        runs: Run folders, or Parquet files of results (which hold no prompts or outputs).
        out: A folder, or a path that ends in ``.html``.
        extra: Sections of other rooms.
        loaded: The same runs, where they have been read already.
        compared: Two model names to set against each other.

    Returns:
        The file.

    Raises:
        UsageError: If a path is no run, no experiment is finished yet, or a compared model is
            unknown.
    """
    loaded = load_runs(runs) if loaded is None else loaded
    material, made = _prepare(loaded.frame, loaded.verdicts)
    return _write_page(loaded, material, made, out, extra, compared)


def write_everything(
    loaded: LoadedRuns,
    out: Path,
    extra: Sequence[Section] = (),
    *,
    compared: tuple[str, str] | None = None,
) -> Report:
    """Write the page, and every table and figure that the data allow as files beside it.

    Args:
        loaded: From :func:`load_runs`.
        out: A folder: ``report.html``, ``manifest.json``, ``tables/`` and ``figures/`` go there.
        extra: Sections of other rooms.
        compared: Two model names to set against each other.

    Raises:
        UsageError: As :func:`write_report`.
    """
    material, made = _prepare(loaded.frame, loaded.verdicts)
    page = _write_page(loaded, material, made, out, extra, compared)
    return Report(page, write_exhibits(made, out))


def build_page(
    frame: pl.DataFrame,
    extra: Sequence[Section] = (),
    look_up: LookUp | None = None,
    notes: Sequence[str] = (),
    *,
    compared: tuple[str, str] | None = None,
) -> Page:
    """The page for a results table.

    Args:
        frame: Results, columns as ``RESULTS_SCHEMA``, of one run or several; with a ``run`` column
            if there is a ``look_up``.
        extra: Sections of other rooms; they come before the experiments.
        look_up: Where the texts of an experiment come from; without it none is shown.
        notes: What a reader must know about the runs, shown at the top and with their facts.
        compared: Two model names to set against each other.

    Raises:
        UsageError: If there is no finished experiment to report.
    """
    material, made = _prepare(frame)
    return _page(material, made, extra, look_up, notes, compared)


def _prepare(
    frame: pl.DataFrame, verdicts: Sequence[pl.DataFrame] = ()
) -> tuple[Material, dict[str, Made]]:
    if frame.is_empty():
        raise UsageError(
            "nothing to report: no experiment is finished yet; "
            "run the same evenhand run command again to continue it"
        )
    material = Material(frame, verdicts=verdicts)
    return material, exhibits(material)


def _write_page(
    loaded: LoadedRuns,
    material: Material,
    made: dict[str, Made],
    out: Path,
    extra: Sequence[Section],
    compared: tuple[str, str] | None,
) -> Path:
    with loaded.look_up() as look_up:
        page = _page(material, made, extra, look_up, loaded.notes, compared)
    return write_page(page, out)


def _page(
    material: Material,
    made: dict[str, Made],
    extra: Sequence[Section],
    look_up: LookUp | None,
    notes: Sequence[str],
    compared: tuple[str, str] | None,
) -> Page:
    chosen = leading(material.found)
    sections = [
        position_section(material, made),
        forced_section(material.rows, material.main, material.found),
        compare_section(material, *compared) if compared is not None else None,
        gap_section(material),
        outcome_section(material, made),
        model_section(material, made),
        size_section(made),
        prompt_section(made),
        budget_section(made),
        filter_section(made),
        *extra,
        explorer_section(material.rows, look_up) if look_up is not None else None,
        facts_section(material.rows, notes),
        missing_section(made),
    ]
    return Page(
        title="evenhand report: does order change the answer?",
        lead=lead(
            material.found,
            describe_condition(material.main.filter(pl.col("model") == chosen.model)),
            (*together(material.rows, chosen), *notes),
            margin_measures(material.main, chosen),
        ),
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

    Returns:
        The file, written whole or not at all.

    Raises:
        UsageError: If it cannot be written; what stood there before is kept.
    """
    path = out if out.suffix == ".html" else out / "report.html"
    write_text_whole(path, render_page(page))
    return path
