"""``evenhand import``: an Inspect log as a results table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand._write_whole import write_whole
from evenhand.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("import")(import_command)


def import_command(
    log: Annotated[Path, typer.Argument(help="A log of inspect eval evenhand/…")],
    out: Annotated[
        Path | None, typer.Option("--out", help="Parquet file (default: beside the log).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a summary as JSON.")] = False,
) -> None:
    """Bring an Inspect log into the results table.

    Example: evenhand import logs/2026-05-01_core.eval --out core.parquet
    """
    from evenhand.inspecting import read_inspect_log

    target = out or log.with_suffix(".parquet")
    if target.suffix != ".parquet":
        raise UsageError(f"{target} must end in .parquet")
    frame = read_inspect_log(log)
    write_whole(target, frame.write_parquet)
    counted = dict(frame["outcome"].value_counts(sort=True).iter_rows())
    if as_json:
        summary = {"path": str(target), "experiments": frame.height, "outcomes": counted}
        sys.stdout.write(json.dumps(summary) + "\n")
    else:
        listed = ", ".join(f"{count:,} {outcome}" for outcome, count in counted.items())
        sys.stdout.write(f"{frame.height:,} experiments: {listed or 'none'}\n{target}\n")
