"""``evenhand report``: what one run or several found, in the terminal and as one HTML file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report_command)


def report_command(
    runs: Annotated[
        list[Path],
        typer.Argument(help="Run folders, or Parquet files of results.", show_default=False),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for report.html (default: the first run's folder)."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the findings and the file's path as JSON.")
    ] = False,
) -> None:
    """Write the report of finished experiments: a table here, and one HTML file that opens offline.

    Example: evenhand report runs/r200
    """
    from dataclasses import asdict

    from evenhand.report import finding_rows, load_runs, terminal_report, write_report

    loaded = load_runs(runs)
    path = write_report(runs, out if out is not None else _folder(runs[0]), loaded=loaded)
    if as_json:
        found = {
            "report": str(path),
            "findings": [asdict(one) for one in finding_rows(loaded.frame)],
        }
        sys.stdout.write(json.dumps(found, indent=2) + "\n")
        return
    from rich.console import Console

    Console().print(terminal_report(loaded.frame))
    sys.stdout.write(f"report: {path}\n")


def _folder(run: Path) -> Path:
    return run.parent if run.suffix == ".parquet" else run
