"""``evenhand plan``: what a run will do, before anything is asked."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli._gathered import gathered
from evenhand.cli._grid import Grid
from evenhand.errors import UsageError

if TYPE_CHECKING:
    from evenhand.analysis import GapPower
    from evenhand.running import Estimate, Workload


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("plan", short_help="Show what a run will do, cost and can tell.")(
        gathered(plan_command)
    )


def plan_command(
    grid: Grid,
    model: Annotated[
        str | None,
        typer.Option("--model", help="Also forecast calls, tokens and cost for this model."),
    ] = None,
    answer: Annotated[
        str, typer.Option("--answer", help="How the model will answer: generate or forced.")
    ] = "generate",
    max_attempts: Annotated[
        int, typer.Option("--max-attempts", help="Attempts, the first valid one kept.")
    ] = 3,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Run folder: leave out what it already holds."),
    ] = None,
    models: Annotated[
        Path | None, typer.Option("--models", help="Your additions to the model catalog (TOML).")
    ] = None,
    accuracy: Annotated[
        float, typer.Option("--accuracy", help="Accuracy to assume for the power of the design.")
    ] = 0.7,
    wished_gap: Annotated[
        float | None,
        typer.Option("--wished-gap", help="Points; say how many set seeds it needs to be seen."),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--export",
            help="Also write the plan as a Parquet table, one row an experiment, with the exact "
            "messages.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what a run will do before anything is asked: experiments, cost, and what it can tell.

    Example: evenhand plan core --tasks sentiment,ner --n 200 --model openrouter/qwen/qwen3.6-plus
    """
    for option, given in (("--out", out), ("--models", models)):
        if given is not None and model is None:
            raise UsageError(f"{option} is for the forecast: say for which --model")
    workload = grid.workload()
    counts = workload.plan.axis_counts()
    total = len(workload.experiments)
    forecast = None
    if model is not None:
        forecast = _forecast(workload, model, answer, max_attempts, out, models)
    if export is not None:
        from evenhand.running import export_plan

        sys.stderr.write(f"plan table: {export_plan(workload, export)}\n")
    power = _power(workload, accuracy)
    seeds = _set_seeds(workload, accuracy, wished_gap)
    if as_json:
        shown = {
            "experiments": total,
            **counts,
            "forecast": None if forecast is None else asdict(forecast),
            "power": None if power is None else asdict(power),
            "set_seeds_needed": seeds,
        }
        sys.stdout.write(json.dumps(shown, indent=2) + "\n")
        return
    sys.stdout.write(f"{total:,} experiments a model\n")
    for axis, values in counts.items():
        if len(values) == 1:
            shown_values = next(iter(values))
        else:
            shown_values = ", ".join(f"{value} ({count:,})" for value, count in values.items())
        sys.stdout.write(f"  {axis.replace('_', ' '):15} {shown_values}\n")
    if forecast is not None:
        from evenhand.cli._forecast import forecast_lines

        sys.stdout.write("".join(f"{line}\n" for line in forecast_lines(forecast)))
    if power is not None:
        sys.stdout.write(_power_text(power))
    if wished_gap is not None:
        needed = "more than 1,000 set seeds" if seeds is None else f"{seeds:,} set seeds"
        sys.stdout.write(f"a gap of {wished_gap:g} points needs {needed}\n")


def _forecast(
    workload: Workload,
    model: str,
    answer: str,
    max_attempts: int,
    out: Path | None,
    models: Path | None,
) -> Estimate:
    from evenhand.models import open_model
    from evenhand.running import RunOptions, answer_key, estimate

    options = RunOptions(answer_mode=answer, max_attempts=max_attempts)  # type: ignore[arg-type]
    key = answer_key(workload) if model.startswith("reader/") else None
    opened = open_model(model, answer_key=key, catalog=models, need_key=False)
    return estimate(workload, opened, options, out=out)


def _power(workload: Workload, accuracy: float) -> GapPower | None:
    """None for a single pattern, which has no gap."""
    from evenhand.analysis import gap_power, runs_per_pattern

    runs = runs_per_pattern(workload.experiments)
    return gap_power(runs, accuracy=accuracy) if len(runs) > 1 else None


def _set_seeds(workload: Workload, accuracy: float, wished: float | None) -> int | None:
    if wished is None:
        return None
    from evenhand.analysis import runs_per_pattern, set_seeds_needed

    first = min(e.set_seed for e in workload.experiments)
    runs = runs_per_pattern(e for e in workload.experiments if e.set_seed == first)
    return set_seeds_needed(wished / 100, runs, accuracy=accuracy)


def _power_text(power: GapPower) -> str:
    told = (
        "no gap at all can be told from that"
        if power.detectable_gap is None
        else f"a true gap of {100 * power.detectable_gap:.0f} points is told from that "
        f"{power.power:.0%} of the time"
    )
    return (
        f"power at {power.accuracy:.0%} accuracy: without any order effect the best-worst gap "
        f"averages {100 * power.null_mean:.0f} points (95th percentile "
        f"{100 * power.null_95:.0f}); {told}\n"
    )
