"""``evenhand count``: the answer over your own records, with proof of coverage."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli._calls import AnswerMode, Calls, Labels, PrintsJson, parse_labels, print_found
from evenhand.cli._gathered import gathered
from evenhand.errors import EvenhandError, UsageError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("count", short_help="Label each record on its own; prove none was left out.")(
        gathered(count_command)
    )


def count_command(
    table: Annotated[
        Path | None, typer.Argument(help="Your records: CSV, TSV, JSON Lines or Parquet.")
    ] = None,
    text: Annotated[str | None, typer.Option("--text", help="The column with the texts.")] = None,
    ask: Annotated[
        str | None, typer.Option("--ask", help="The question that each record is asked.")
    ] = None,
    labels: Labels = None,
    model: Annotated[
        str | None, typer.Option("--model", help="provider/model or provider/model@URL.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Folder for run, ledger and report; the same one goes on."),
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", help="A column of your own ids, for the ledger.")
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(
            "--batch", help="Records a batch (default: as many as fit 8,000 bytes, at most 40)."
        ),
    ] = None,
    until_sure: Annotated[
        float | None,
        typer.Option("--until-sure", help="Stop once the majority is this certain: 0.999"),
    ] = None,
    gold: Annotated[
        str | None,
        typer.Option(
            "--gold",
            help="Hand labels of a random sample: a column, or a file with row and label.",
        ),
    ] = None,
    repeat: Annotated[
        int, typer.Option("--repeat", help="2: label a random share a second time.")
    ] = 1,
    repeat_share: Annotated[
        float, typer.Option("--repeat-share", help="That share of the records.")
    ] = 0.1,
    again: Annotated[
        str | None,
        typer.Option(
            "--again",
            metavar="unresolved",
            help="Ask records that stayed unresolved once more (unlabelled: refused ones too).",
        ),
    ] = None,
    answer: AnswerMode = "generate",
    seed: Annotated[int, typer.Option("--seed", help="Seed of the random order.")] = 0,
    budget: Annotated[
        int | None,
        typer.Option("--budget", help="Output tokens a batch (default: 4,000 and 40 a record)."),
    ] = None,
    max_attempts: Annotated[
        int, typer.Option("--max-attempts", help="Attempts at a batch of which nothing is read.")
    ] = 2,
    *,
    calls: Calls,
    verify: Annotated[
        Path | None,
        typer.Option("--verify", help="Recheck this ledger instead, offline; TABLE if it moved."),
    ] = None,
    as_json: PrintsJson = False,
) -> None:
    """Label every record on its own, add up in code, and prove that none was left out.

    Exit code 0: decided (or verified); 3: undecided, the reason is printed first.

    Example: evenhand count examples/reviews.csv --text review --ask "Is the review positive or
    negative?" --labels positive,negative --model local/smollm2-135m --answer forced

    Check a ledger later: evenhand count --verify runs/count-0123/ledger.csv
    """
    from evenhand.counting import count
    from evenhand.report import count_page, write_page

    if verify is not None:
        _verify(verify, table, text, as_json=as_json)
        return
    needed = {"TABLE": table, "--ask": ask, "--labels": labels, "--model": model}
    missing = [name for name, value in needed.items() if value is None]
    if missing or table is None or ask is None or labels is None or model is None:
        raise UsageError(f"count needs {', '.join(missing)}: see evenhand count --help")
    options = calls.run_options(answer, max_attempts)
    found = count(
        table,
        ask=ask,
        labels=parse_labels(labels),
        model=model,
        text=text,
        id=id_column,
        out=out,
        batch=batch,
        until_sure=until_sure,
        gold=gold,
        repeat=repeat,
        repeat_share=repeat_share,
        again=again,  # type: ignore[arg-type]  # count refuses other words
        seed=seed,
        budget=budget,
        answer=options.answer_mode,
        options=options,
        models=calls.models,
        announce=calls.announcer(model),
    )
    print_found(found, write_page(count_page(found), found.out), as_json=as_json)


def _verify(ledger: Path, table: Path | None, text: str | None, *, as_json: bool) -> None:
    from evenhand.counting import verify

    checks = verify(ledger, table, text=text)
    if as_json:
        listed = [{"ok": check.ok, "what": check.what} for check in checks]
        sys.stdout.write(json.dumps(listed, ensure_ascii=False, indent=2) + "\n")
    else:
        words = {True: "yes", False: "NO", None: "not checked"}
        sys.stdout.write("".join(f"{words[c.ok]:<12}{c.what}\n" for c in checks))
    failed = [check.what for check in checks if check.ok is False]
    if failed:
        more = f", nor {len(failed) - 1:,} more" if len(failed) > 1 else ""
        raise EvenhandError(f"not verified: it does not hold that {failed[0]}{more}")
    unchecked = [check.what for check in checks if check.ok is None]
    if unchecked:
        sys.stderr.write(f"not verified: not checked are {'; and '.join(unchecked)}\n")
        raise typer.Exit(3)
