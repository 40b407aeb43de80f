"""``evenhand attribute``: which instances an answer leant on."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evenhand.attribution import AttributionSummary, Forecast


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("attribute", short_help="Which instances an answer leant on, by position.")(
        attribute_command
    )


def attribute_command(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    model: Annotated[
        str,
        typer.Option("--model", help="Weights that wrote the answers: hf/MODEL or local/NAME."),
    ],
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder (default: attribution in the run folder).")
    ] = None,
    dtype: Annotated[
        str | None, typer.Option("--dtype", help="float32, bfloat16, float16 or auto.")
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", help="As Torch names it: cpu, cuda:0, …")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Leave longer replays out.")
    ] = None,
    chunk: Annotated[
        int | None, typer.Option("--chunk", min=1, help="Tokens read together; fewer: less memory.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Replays to do in this call.")
    ] = None,
    offload: Annotated[
        bool, typer.Option("--offload", help="Keep activations in main memory (GPU).")
    ] = False,
    ray: Annotated[
        str | None, typer.Option("--ray", help="auto, or a Ray cluster's address.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Replay a run's answers and attribute each to its instances (Input × Gradient).

    A stopped call goes on where it was. evenhand report RUN then shows the profiles.

    Example: evenhand attribute runs/core --model local/smollm2-135m
    """
    from evenhand.attribution import Memory, Options, attribute
    from evenhand.report import write_attribution

    summary = attribute(
        run,
        model,
        out=out,
        dtype=dtype,
        device=device,
        options=Options(memory=Memory(offload=offload), chunk=chunk, max_tokens=max_tokens),
        limit=limit,
        ray=ray,
        on_forecast=_say_forecast,
        on_replay=_say_progress,
    )
    written = write_attribution(run, summary.folder) if summary.replayed else []
    if as_json:
        sys.stdout.write(json.dumps(_as_json(summary, written), indent=2) + "\n")
    else:
        sys.stdout.write(_as_text(summary, written))
    if summary.exit_code:
        raise typer.Exit(summary.exit_code)


def _say_forecast(forecast: Forecast, replays: int) -> None:
    from evenhand.attribution import gigabytes

    free = "" if forecast.free_bytes is None else f" of {gigabytes(forecast.free_bytes)}"
    sys.stderr.write(
        f"{replays:,} replays; the longest, {forecast.tokens:,} tokens: about "
        f"{gigabytes(forecast.peak_bytes)}{free} and {forecast.seconds:,.0f} s; "
        f"all: at most {forecast.seconds * replays / 60:,.0f} min\n"
    )


def _say_progress(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    sys.stderr.write(f"\r{done:,} of {total:,} replays{end}")
    sys.stderr.flush()


def _as_text(summary: AttributionSummary, written: list[Path]) -> str:
    lines = [f"{summary.replayed:,} answers attributed, in {summary.folder}"]
    lines += [f"  left out: {count:,} ({why})" for why, count in summary.left_out.items()]
    if summary.straddling:
        lines.append(f"  tokens that belong to no instance: {summary.straddling:,}")
    if summary.pending:
        lines.append(f"{summary.pending:,} are pending: the same command goes on with them")
    lines += [f"wrote {path}" for path in written]
    return "\n".join(lines) + "\n"


def _as_json(summary: AttributionSummary, written: list[Path]) -> dict[str, object]:
    return {
        "folder": str(summary.folder),
        "replayed": summary.replayed,
        "pending": summary.pending,
        "left_out": summary.left_out,
        "straddling": summary.straddling,
        "files": [str(path) for path in written],
    }
