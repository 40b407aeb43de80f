"""``evenhand filter``: keep the instances that models solve alone."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli._calls import Catalog, Concurrency, PrintsJson
from evenhand.cli._options import parse_per_label, table_source
from evenhand.errors import UsageError

if TYPE_CHECKING:
    from evenhand.pools import Agreement
    from evenhand.running import Estimate, FilterResult


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("filter", short_help="Keep only what models answer right one at a time.")(
        filter_command
    )


def filter_command(
    task: Annotated[str, typer.Argument(help="A task's name, or your own task's TOML file.")],
    model: Annotated[
        list[str],
        typer.Option("--model", metavar="<str>", help="provider/model; repeat it for more models."),
    ],
    out: Annotated[
        Path, typer.Option("--out", help="Folder for the filtered pool; the same one goes on.")
    ],
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder with the public data sets.")
    ] = None,
    pool: Annotated[
        Path | None,
        typer.Option("--pool", help="Your own records: CSV, TSV, JSON Lines or Parquet."),
    ] = None,
    text_column: Annotated[
        str | None,
        typer.Option("--text-column", help="Column of --pool with the text (default: text)."),
    ] = None,
    label_column: Annotated[
        str | None,
        typer.Option("--label-column", help="Column of --pool with the label (default: label)."),
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id-column", help="Column of --pool with a unique id.")
    ] = None,
    per_label: Annotated[
        str | None,
        typer.Option(
            "--per-label", help="Instances of each label to ask about, or all (default: C.1's)."
        ),
    ] = None,
    budget: Annotated[
        int, typer.Option("--budget", help="Output tokens allowed for each instance.")
    ] = 20_000,
    max_attempts: Annotated[
        int, typer.Option("--max-attempts", help="Attempts, the first valid one kept.")
    ] = 3,
    concurrency: Concurrency = None,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", help="Most dollars for each model; a hard stop.")
    ] = None,
    ask_over: Annotated[
        float, typer.Option("--ask-over", help="Ask first above this many dollars expected.")
    ] = 5.0,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask about the cost.")] = False,
    models: Catalog = None,
    as_json: PrintsJson = False,
) -> None:
    """Ask each model for each instance alone; keep what all of them answer right (C.1).

    The filtered pool is used with --data OUT. A killed filter goes on where it was.

    Example: evenhand filter math --model openrouter/A --model openrouter/B --out filtered
    """
    from evenhand.models import open_model
    from evenhand.pools import UPSTREAM, load_pool
    from evenhand.prompts import fold
    from evenhand.running import RunOptions, filter_pool, is_free, price_of
    from evenhand.tasks import load_task

    if data is not None and pool is not None:
        raise UsageError("--data and --pool are two sources of records: give one of them")
    if budget < 1:
        raise UsageError(f"--budget {budget}: an answer needs at least one token")
    asked = load_task(task)
    size = parse_per_label(per_label)
    if size is None and data is None and pool is None and asked.name in UPSTREAM:
        size = UPSTREAM[asked.name].per_label
    table = table_source(pool, text_column, label_column, id_column)
    source = load_pool(asked, data=data, table=table, per_label=size)
    key = {fold(instance.text): instance.label for instance in source.instances}
    opened = [open_model(name, answer_key=key, catalog=models) for name in model]
    paid = [each.name for each in opened if not is_free(price_of(each))]
    result = filter_pool(
        asked,
        source,
        opened,
        out,
        output_budget=budget,
        options=RunOptions(
            max_attempts=max_attempts, concurrency=concurrency, max_cost_usd=max_cost
        ),
        announce=lambda found: _announce(found, paid, ask_over=None if yes else ask_over),
    )
    sys.stdout.write(as_json_text(result) if as_json else as_text(result, out))
    if result.pool is None:
        raise typer.Exit(3)


def _announce(
    found: Mapping[str, Estimate], paid: Sequence[str], *, ask_over: float | None
) -> None:
    """Say what the models that cost money will take, and ask above a number of dollars in all."""
    from evenhand.cli._forecast import confirm_cost, forecast_lines

    for name in paid:
        lines = [name, *(f"  {line}" for line in forecast_lines(found[name]))]
        sys.stderr.write("".join(f"{line}\n" for line in lines))
    costs = [found[name].expected_cost_usd for name in paid]
    confirm_cost("this", sum(cost for cost in costs if cost is not None), ask_over)


def as_text(result: FilterResult, out: Path) -> str:
    """The agreement table, or what is still to be asked."""
    if result.agreement is None or result.path is None:
        lines = [
            f"{name}: {summary.pending:,} of {summary.experiments:,} instances not answered yet"
            + (f" ({summary.message})" if summary.message else "")
            for name, summary in result.summaries.items()
            if summary.pending
        ]
        return "\n".join([*lines, "run the same command again to go on"]) + "\n"
    found = result.agreement
    rows = [
        ("instances", found.instances),
        ("all correct", found.all_correct),
        ("all wrong", found.all_wrong),
        ("disagreements", found.disagreements),
    ]
    if len(found.correct) > 1:
        rows += [(f"  only {name} correct", count) for name, count in found.only.items()]
    for name, count in found.correct.items():
        rows.append((f"{name} correct", count))
        if found.unanswered[name]:
            rows.append((f"  {name} without a valid answer", found.unanswered[name]))
    width = max(len(words) for words, _ in rows)
    lines = [f"{found.task}, pool {found.pool}"]
    lines += [f"  {words:{width}}  {count:>7,}  {_percent(count, found)}" for words, count in rows]
    lines += [f"kept in {result.path}", f"use with: --data {out}"]
    return "\n".join(lines) + "\n"


def as_json_text(result: FilterResult) -> str:
    """The same for machines."""
    found = result.agreement
    return (
        json.dumps(
            {
                "pending": {name: s.pending for name, s in result.summaries.items()},
                "agreement": None
                if found is None
                else {**asdict(found), "disagreements": found.disagreements},
                "pool": None if result.pool is None else result.pool.name,
                "path": None if result.path is None else str(result.path),
            },
            indent=2,
        )
        + "\n"
    )


def _percent(count: int, found: Agreement) -> str:
    return f"{100 * count / found.instances:5.1f}%"
