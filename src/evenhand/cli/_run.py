"""``evenhand run``: ask one model everything that a plan holds."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli._gathered import gathered
from evenhand.cli._grid import Grid
from evenhand.cli._options import split_pairs
from evenhand.errors import UsageError

if TYPE_CHECKING:
    from evenhand.models import Model
    from evenhand.running import RunOptions, RunSummary, Work


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run", short_help="Ask one model every experiment; go on where it stopped.")(
        gathered(run_command)
    )


def run_command(
    grid: Grid,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="provider/model or provider/model@URL: openrouter/…, vllm/…@http://…, hf/…, "
            "local/smollm2-135m, reader/perfect, …",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", help="Run folder; the same one goes on.")],
    plan_table: Annotated[
        str | None,
        typer.Option(
            "--plan",
            help="Run a table that evenhand plan --export, or someone else, wrote: a Parquet "
            "file or hf://datasets/…",
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            help="Where the --plan table calls a field otherwise: messages=prompt,setting==hub",
        ),
    ] = None,
    answer: Annotated[
        str,
        typer.Option(
            "--answer", help="generate: the model writes; forced: its label probabilities decide."
        ),
    ] = "generate",
    max_attempts: Annotated[
        int, typer.Option("--max-attempts", help="Attempts, the first valid one kept.")
    ] = 3,
    cache_instruction: Annotated[
        bool,
        typer.Option(
            "--cache-instruction",
            help="Variant self: write the instruction once per task and n, not once per attempt.",
        ),
    ] = False,
    concurrency: Annotated[
        int | None, typer.Option("--concurrency", help="Calls at once (default: adapts).")
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(
            "--max-cost",
            help="Most dollars the folder may cost: a hard stop. Calls in flight, cut, or lost to "
            "a kill count at their worst case.",
        ),
    ] = None,
    ask_over: Annotated[
        float,
        typer.Option("--ask-over", help="Ask first when more dollars than this are expected."),
    ] = 5.0,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask about the cost.")] = False,
    give_up_after: Annotated[
        float,
        typer.Option("--give-up-after", help="Minutes without a single success that end the run."),
    ] = 10.0,
    rerun: Annotated[
        str | None,
        typer.Option(
            "--rerun", help="overlong: only those experiments again, with a raised --budget."
        ),
    ] = None,
    models: Annotated[
        Path | None, typer.Option("--models", help="Your additions to the model catalog (TOML).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Ask one model every experiment of a plan; a run that was stopped goes on where it was.

    Example: evenhand run core --model reader/first-200 --out runs/r200
    """
    from evenhand.models import open_model
    from evenhand.running import RunOptions, answer_key, is_free, price_of, run

    options = RunOptions(
        answer_mode=answer,  # type: ignore[arg-type]  # RunOptions refuses other words
        max_attempts=max_attempts,
        cache_instruction=cache_instruction,
        concurrency=concurrency,
        max_cost_usd=max_cost,
        give_up_after_s=60 * give_up_after,
        rerun=rerun,  # type: ignore[arg-type]
    )
    workload = _work(grid, plan_table, columns)
    key = answer_key(workload) if model.startswith("reader/") else None
    adapter = open_model(model, answer_key=key, catalog=models)
    if not is_free(price_of(adapter)):
        _announce(workload, adapter, options, out, ask_over=None if yes else ask_over)
    summary = run(workload, adapter, out, options)
    if as_json:
        sys.stdout.write(json.dumps(asdict(summary), indent=2) + "\n")
    else:
        sys.stdout.write(summary_text(summary, out) + "\n")
    if summary.exit_code:
        raise typer.Exit(summary.exit_code)


def _work(grid: Grid, plan_table: str | None, columns: str | None) -> Work:
    """The grid's workload, or the one that a table holds."""
    if plan_table is None:
        if columns is not None:
            raise UsageError("--columns says how to read a --plan table, and there is none")
        return grid.workload()
    if grid != Grid():
        raise UsageError(
            "--plan brings its own experiments and records: leave out the setting and the options "
            "that choose them"
        )
    from evenhand.running import read_plan

    return read_plan(plan_table, split_pairs(columns) if columns is not None else None)


def _announce(
    workload: Work, model: Model, options: RunOptions, out: Path, *, ask_over: float | None
) -> None:
    """Say what the run will take; above the limit, go on only if the user says so."""
    from evenhand.cli._forecast import confirm_cost, forecast_lines
    from evenhand.running import estimate

    expected = estimate(workload, model, options, out=out)
    sys.stderr.write("".join(f"{line}\n" for line in forecast_lines(expected)))
    confirm_cost("this", expected.expected_cost_usd, ask_over)


def summary_text(summary: RunSummary, out: Path) -> str:
    """The summary as a person reads it."""
    counted = ", ".join(f"{count:,} {outcome}" for outcome, count in summary.outcomes.items())
    lines = [f"{summary.done:,} of {summary.experiments:,} experiments done: {counted or 'none'}"]
    if summary.message:
        lines.append(summary.message)
    if summary.unsettled:
        lines.append(
            f"{summary.unsettled:,} calls were lost, cut or stated no usage: they may have cost up "
            f"to ${summary.unsettled_usd:,.4f} more"
        )
    if summary.pending:
        lines.append(f"{summary.pending:,} are pending: the same command goes on with them")
    else:
        lines.append(f"next: evenhand report {out}")
    return "\n".join(lines)
