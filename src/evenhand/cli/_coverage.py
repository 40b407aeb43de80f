"""``evenhand coverage``: what the reasoning traces of a run mention."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli._cores import cores
from evenhand.cli._pending import end_pending, pending_as_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("coverage", short_help="Measure which records the reasoning traces mention.")(
        coverage_command
    )


def coverage_command(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder to write to (default: the first run's folder)."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the coverage bins and the files' paths as JSON.")
    ] = False,
    processes: Annotated[
        int | None,
        typer.Option(
            "--processes", min=1, help="Processes that read traces (default: one a core)."
        ),
    ] = None,
) -> None:
    """Measure which records the traces mention; write tables, figures and the report's section.

    Exit code 3 says that experiments of a run are pending; all is written all the same.

    Example: evenhand coverage runs/r200
    """
    from evenhand.report import (
        attribution_sections,
        bins_table,
        coverage_figures,
        coverage_section,
        load_coverage,
        write_coverage,
        write_report,
    )
    from evenhand.report import coverage_tables as tables
    from evenhand.results import waiting

    loaded = load_coverage(runs, processes=processes or cores())
    folder = out if out is not None else runs[0]
    figures = coverage_figures(loaded)
    files = write_coverage(loaded, folder / "coverage", figures)
    sections = [coverage_section(loaded, figures), *attribution_sections(runs)]
    page = write_report(runs, folder, extra=sections)
    left = waiting(runs)
    for note in loaded.notes:
        sys.stderr.write(f"{note}\n")
    if as_json:
        found = {
            "report": str(page),
            "files": [str(path) for path in files],
            "notes": list(loaded.notes),
            "pending": pending_as_json(left),
            "bins": tables(loaded.frame)["coverage-bins"].to_dicts(),
            "classes": tables(loaded.frame)["trace-classes"].to_dicts(),
        }
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
        end_pending(left)
        return
    from rich.console import Console
    from rich.table import Table

    shown = bins_table(loaded.frame)
    table = Table(title=shown.title, caption=shown.note)
    for column in shown.columns:
        table.add_column(column.label, justify=column.align, overflow="fold")
    for row in shown.rows:
        table.add_row(*(cell.text for cell in row))
    Console().print(table)
    sys.stdout.write(f"{len(files)} files: {folder / 'coverage'}\nreport: {page}\n")
    end_pending(left)
