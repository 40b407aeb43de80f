"""``evenhand report``: what one run or several found, in the terminal and as one HTML file."""

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
    app.command("report", short_help="Report runs: a table here, an HTML page, tables, figures.")(
        report_command
    )


def report_command(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Run folders, Parquet files of results, outputs of filter.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for everything written (default: the first run's)."),
    ] = None,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option("--compare", metavar="A B", help="Two models to set against each other."),
    ] = None,
    page_only: Annotated[
        bool, typer.Option("--page-only", help="Leave out the tables and figures as files.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print findings, files and what is missing as JSON.")
    ] = False,
) -> None:
    """Report finished experiments: a table here, one HTML file, and the paper's tables and figures.

    Runs with reasoning traces, or that evenhand attribute replayed, have a section on that.
    Exit code 3 says that experiments of a run are pending; all is written all the same.

    Example: evenhand report runs/r200
    """
    from dataclasses import asdict

    from evenhand.report import (
        finding_rows,
        load_runs,
        run_sections,
        terminal_report,
        write_everything,
        write_report,
    )

    loaded = load_runs(runs)
    folder = out if out is not None else _folder(loaded.paths[0])
    manifest = []
    extra = run_sections(loaded.paths, processes=cores())
    if page_only:
        path = write_report(runs, folder, extra, loaded=loaded, compared=compare)
    else:
        report = write_everything(loaded, folder, extra, compared=compare)
        path, manifest = report.page, [asdict(entry) for entry in report.manifest]
    if as_json:
        found = [asdict(one) for one in finding_rows(loaded.frame)]
        printed = {
            "report": str(path),
            "pending": pending_as_json(loaded.waiting),
            "findings": found,
            "manifest": manifest,
        }
        sys.stdout.write(json.dumps(printed, indent=2) + "\n")
        end_pending(loaded.waiting)
        return
    from rich.console import Console

    Console().print(terminal_report(loaded.frame))
    files = sum(len(entry["files"]) for entry in manifest)
    missing = [entry["paper"] for entry in manifest if not entry["made"]]
    if files:
        sys.stdout.write(f"{files} files in {folder}/tables and {folder}/figures\n")
    if missing:
        sys.stdout.write(
            f"not made, for want of runs: {', '.join(missing)} "
            f"({folder / 'manifest.json'} says which runs would supply them)\n"
        )
    sys.stdout.write(f"report: {path}\n")
    end_pending(loaded.waiting)


def _folder(run: Path) -> Path:
    return run.parent if run.suffix == ".parquet" else run
