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

    progress = _Progress()
    try:
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
            on_replay=progress.say,
        )
    finally:
        progress.end()
    written = write_attribution(run, summary.folder) if summary.replayed else []
    if as_json:
        sys.stdout.write(json.dumps(_as_json(summary, written), indent=2) + "\n")
    else:
        sys.stdout.write(_as_text(summary, model, written))
    if summary.exit_code:
        raise typer.Exit(summary.exit_code)


def _say_forecast(forecast: Forecast, replays: int) -> None:
    from evenhand.attribution import gigabytes

    free = "" if forecast.free_bytes is None else f" of {gigabytes(forecast.free_bytes)}"
    sys.stderr.write(
        f"{replays:,} replays; the longest, {forecast.tokens:,} tokens: about "
        f"{gigabytes(forecast.peak_bytes)}{free} and {_duration(forecast.seconds)}; "
        f"all: at most {_duration(forecast.seconds * replays)}\n"
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:,.1f} s" if seconds < 10 else f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:,.1f} h"


class _Progress:
    """One line that counts, ended before anything else is said."""

    def __init__(self) -> None:
        self._open = False

    def say(self, done: int, total: int) -> None:
        """So many are done."""
        sys.stderr.write(f"\r{done:,} of {total:,} replays")
        sys.stderr.flush()
        self._open = True

    def end(self) -> None:
        """Nothing more comes, because all are done or something went wrong."""
        if self._open:
            sys.stderr.write("\n")
            self._open = False


def _as_text(summary: AttributionSummary, model: str, written: list[Path]) -> str:
    lines = [
        f"{summary.replayed:,} answers of {summary.answered_by or 'the run'} attributed with "
        f"{model}, in {summary.folder}"
    ]
    if summary.replayed:
        asked = "" if 2 * summary.agreeing >= summary.replayed else ": did other weights answer?"
        lines.append(
            f"  it finds the answered label the likelier one in {summary.agreeing:,} of them{asked}"
        )
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
        "answered_by": summary.answered_by,
        "replayed": summary.replayed,
        "agreeing": summary.agreeing,
        "pending": summary.pending,
        "left_out": summary.left_out,
        "straddling": summary.straddling,
        "files": [str(path) for path in written],
    }
