"""``evenhand export``: the results table as a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli._pending import end_pending, pending_as_json


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("export", short_help="Write the results table of a run to a file.")(export_command)


def export_command(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    parquet: Annotated[
        bool, typer.Option("--parquet", help="Write Parquet (the default).")
    ] = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="Write CSV (the default if --out ends in .csv).")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="File to write (default: results.parquet in the run folder)."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the file's path and what is pending as JSON.")
    ] = False,
) -> None:
    """Write the results table of a run, one row an experiment, and print the file's path.

    Exit code 3 says that experiments of the run are pending; the file is written all the same.

    Example: evenhand export runs/r200 --parquet
    """
    from evenhand.errors import UsageError
    from evenhand.results import export, waiting

    if parquet and csv:
        raise UsageError("choose one of --parquet and --csv")
    named_csv = out is not None and out.suffix.lower() == ".csv"
    target = export(run, out, "csv" if csv or (named_csv and not parquet) else "parquet")
    left = waiting([run])
    if as_json:
        printed = {"file": str(target), "pending": pending_as_json(left)}
        sys.stdout.write(json.dumps(printed, indent=2) + "\n")
    else:
        sys.stdout.write(f"{target}\n")
    end_pending(left)
