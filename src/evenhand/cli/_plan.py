"""``evenhand plan``: what a run will do, before anything is asked."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from evenhand.cli._grid import Grid, with_grid


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plan")(with_grid(plan_command))


def plan_command(
    grid: Grid,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what a run will do before anything is asked.

    Example: evenhand plan core --tasks sentiment,ner --n 200
    """
    workload = grid.workload()
    counts = workload.plan.axis_counts()
    total = len(workload.experiments)
    if as_json:
        sys.stdout.write(json.dumps({"experiments": total, **counts}, indent=2) + "\n")
        return
    sys.stdout.write(f"{total:,} experiments a model\n")
    for axis, values in counts.items():
        shown = ", ".join(f"{value} ({count:,})" for value, count in values.items())
        sys.stdout.write(f"  {axis.replace('_', ' '):15} {shown}\n")
