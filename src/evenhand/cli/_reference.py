"""``evenhand reference``: how often honest counting with errors would miss the majority."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reference", short_help="How often independent errors alone turn the majority.")(
        reference_command
    )


def reference_command(
    n: Annotated[int, typer.Option(help="Number of instances, 1,000,000 at most.")] = 2000,
    p: Annotated[str, typer.Option(help="Majority proportion.")] = "0.55",
    q: Annotated[float, typer.Option(help="Accuracy on a single instance.")] = 0.9,
    q_minority: Annotated[
        float | None,
        typer.Option(help="Accuracy on a minority instance, where it differs from --q."),
    ] = None,
    reliability: Annotated[
        float, typer.Option(help="Wished chance that the majority comes out right.")
    ] = 0.999,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show how often independent errors alone would turn or tie the majority.

    Example: evenhand reference --n 2000 --p 0.55 --q 0.9
    """
    from evenhand.design import accuracy_needed, reference

    found = reference(n, p, q, q_minority)
    needed = accuracy_needed(n, p, reliability, q_minority)
    if as_json:
        more = {"reliability": reliability, "q_needed": needed}
        sys.stdout.write(json.dumps(asdict(found) | more, indent=2) + "\n")
        return
    accuracies = (
        f"each right with probability {found.q:g}"
        if found.q == found.q_minority
        else f"right with probability {found.q:g} (majority) and {found.q_minority:g} (minority)"
    )
    distance = (
        "no spread"
        if found.sds_above_tie is None
        else f"SD {found.sd:,.1f}, {found.sds_above_tie:.1f} SD above the tie at {n / 2:,.10g}"
    )
    table = {
        "predicted as majority": f"{found.expected:,.10g} expected, {distance}",
        "reversed": f"{found.reversed:.3e}",
        "tied": f"{found.tied:.3e}",
        "reversed or tied": f"{found.failed:.3e}",
        f"q for {reliability:g} reliability": _needed(needed, q_minority),
    }
    lines = [
        f"{found.majority:,} majority and {found.minority:,} minority instances, {accuracies}",
        *(f"  {name:24}  {value}" for name, value in table.items()),
    ]
    sys.stdout.write("\n".join(lines) + "\n")


def _needed(needed: float | None, q_minority: float | None) -> str:
    fixed = "" if q_minority is None else f" (with q = {q_minority:g} on minority instances)"
    if needed is None:
        return f"none: not reached even with q = 1{fixed}"
    return f"{needed:.4f}{fixed}"
