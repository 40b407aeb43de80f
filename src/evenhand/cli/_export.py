"""``evenhand export``: the results table as a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


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
) -> None:
    """Write the results table of a run, one row an experiment, and print the file's path.

    Example: evenhand export runs/r200 --parquet
    """
    from evenhand.errors import UsageError
    from evenhand.results import export, pending

    if parquet and csv:
        raise UsageError("choose one of --parquet and --csv")
    named_csv = out is not None and out.suffix.lower() == ".csv"
    target = export(run, out, "csv" if csv or (named_csv and not parquet) else "parquet")
    left = pending(run).height
    if left:
        sys.stderr.write(f"{left} experiments are pending and not in the file\n")
    sys.stdout.write(f"{target}\n")
