"""``evenhand audit``: does the answer over your own records depend on their order?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli._calls import AnswerMode, Calls, Labels, PrintsJson, parse_labels, print_found
from evenhand.cli._gathered import gathered


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("audit", short_help="Does my answer depend on row order? No gold labels needed.")(
        gathered(audit_command)
    )


def audit_command(
    table: Annotated[Path, typer.Argument(help="Your records: CSV, TSV, JSON Lines or Parquet.")],
    text: Annotated[str, typer.Option("--text", help="The column with the texts.")],
    ask: Annotated[
        str,
        typer.Option(
            "--ask",
            help="With --labels: the question about each record. Without: one about all records, "
            "answered by a number.",
        ),
    ],
    model: Annotated[str, typer.Option("--model", help="provider/model or provider/model@URL.")],
    labels: Labels = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for run and report; the same one goes on.")
    ] = None,
    orders: Annotated[
        int, typer.Option("--orders", help="Orders at most: as given, reversed, random ones.")
    ] = 12,
    gold: Annotated[
        str | None,
        typer.Option(
            "--gold",
            help="A column of gold or predicted labels, one for every record: adds the structured "
            "patterns; reader/ models answer from it.",
        ),
    ] = None,
    error_rate: Annotated[
        float,
        typer.Option(
            "--error-rate", help="Chance of calling an order-blind model order-sensitive."
        ),
    ] = 0.05,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance", help="Stable: other answers from at most this share of orders."
        ),
    ] = 0.3,
    answer: AnswerMode = "generate",
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random orders.")] = 0,
    budget: Annotated[
        int, typer.Option("--budget", help="Output tokens allowed for each call.")
    ] = 20_000,
    max_attempts: Annotated[
        int, typer.Option("--max-attempts", help="Attempts, the first valid one kept.")
    ] = 3,
    *,
    calls: Calls,
    as_json: PrintsJson = False,
) -> None:
    """Show all records at once in several orders; no gold labels are needed.

    Exit code 0: stable; 3: order-sensitive or undecided.

    Example: evenhand audit examples/reviews.csv --text review --ask "Is the review positive or
    negative?" --labels positive,negative --model local/smollm2-135m --answer forced
    """
    from evenhand.audit import audit
    from evenhand.report import audit_page, write_page

    found = audit(
        table,
        ask=ask,
        labels=() if labels is None else parse_labels(labels),
        model=model,
        text=text,
        out=out,
        orders=orders,
        gold=gold,
        error_rate=error_rate,
        tolerance=tolerance,
        seed=seed,
        budget=budget,
        answer=answer,  # type: ignore[arg-type]  # RunOptions refuses other words
        options=calls.run_options(answer, max_attempts),
        models=calls.models,
        announce=calls.announcer(model),
    )
    print_found(found, write_page(audit_page(found), found.out), as_json=as_json)
