"""The sections that run folders have beyond their results: coverage and attribution."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evenhand.report._attribution_section import attribution_sections
from evenhand.report._coverage_load import load_coverage
from evenhand.report._coverage_section import coverage_section
from evenhand.report._page import Section
from evenhand.running import RunStore

_TRACES = """
    SELECT 1 FROM outcomes AS o
    JOIN attempts AS a ON a.experiment_id = o.experiment_id AND a.attempt = o.attempt
    WHERE trim(a.reasoning, char(9, 10, 11, 12, 13, 32)) != '' AND a.stage = (
        SELECT max(stage) FROM attempts AS b
        WHERE b.experiment_id = a.experiment_id AND b.attempt = a.attempt
    ) LIMIT 1
"""
"""A reasoning trace of an attempt that decided."""


def run_sections(runs: Sequence[Path], *, processes: int = 1) -> tuple[Section, ...]:
    """For :func:`evenhand.report.write_report`'s ``extra``; nothing where the runs hold no more.

    Args:
        runs: Run folders; a Parquet file of results holds neither traces nor replays.
        processes: How many may read traces, as :func:`evenhand.report.load_coverage` says.

    Raises:
        UsageError: If there is no run at a path.
    """
    folders = [run for run in dict.fromkeys(runs) if run.suffix != ".parquet"]
    traced = [run for run in folders if _has_trace(run)]
    coverage = (coverage_section(load_coverage(traced, processes=processes)),) if traced else ()
    return (*coverage, *attribution_sections(folders))


def _has_trace(run: Path) -> bool:
    with RunStore(run) as store:
        return bool(store.rows(_TRACES))
