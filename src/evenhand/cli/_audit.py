"""``evenhand audit``: does the answer over your own records depend on their order?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli._calls import AnswerMode, Calls, Labels, PrintsJson, lost_calls, parse_labels
from evenhand.cli._gathered import gathered

if TYPE_CHECKING:
    from evenhand.audit import Audit


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
            "--gold", help="A column of gold or predicted labels: adds the structured patterns."
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
        label_column=gold,
        error_rate=error_rate,
        tolerance=tolerance,
        seed=seed,
        output_budget=budget,
        options=calls.run_options(answer, max_attempts),
        catalog=calls.models,
        announce=calls.announcer(model),
    )
    page = write_page(audit_page(found), found.out)
    if as_json:
        sys.stdout.write(json.dumps(found.as_json(), ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write(f"{audit_text(found)}\nreport: {page}\n")
    if found.exit_code:
        raise typer.Exit(found.exit_code)


def audit_text(found: Audit) -> str:
    """An audit as a person reads it: the verdict first."""
    from evenhand.counting import cost_words

    lines = [found.sentence]
    if found.message:
        lines.append(found.message)
    width = max((len(each.order) for each in found.answers), default=0)
    for each in found.answers:
        again = f", asked again: {each.second or 'no answer'}" if each.asked_again else ""
        margin = "" if each.margin is None else f"  (margin {each.margin:+.2f})".replace("-", "−")
        lines.append(f"  {each.order:{width}}  {each.first or each.reason}{again}{margin}")
    total = sum(each.orders for each in found.shares)
    if total:
        lines.append("with one order only, you would have got:")
    lines += [
        f"  {each.answer}: {each.orders} of {total} orders, {each.share:.0%} "
        f"({each.low:.0%} to {each.high:.0%})"
        for each in found.shares
    ]
    floor = (
        "not measured, nothing was asked twice"
        if found.flips.noise_floor is None
        else f"{found.flips.noise_floor:.0%} of {found.flips.repeats} orders asked twice"
    )
    rate = (
        "not measured, fewer than two orders have an answer"
        if found.flips.orders < 2
        else f"{found.flips.rate:.0%} of pairs of orders ({found.flips.low:.0%} to "
        f"{found.flips.high:.0%})"
    )
    lines.append(f"flip rate: {rate}; noise floor: {floor}")
    if found.spread is not None:
        inside = found.spread.repeat_sd
        words = "" if inside is None else f", within one order {inside:.1f}"
        lines.append(
            f"numbers from {found.spread.lowest:g} to {found.spread.highest:g}, mean "
            f"{found.spread.mean:.1f}, standard deviation over orders {found.spread.sd:.1f}{words}"
        )
    if found.left_out:
        lines.append(f"left out: {found.left_out:,} records without a usable text")
    lines.append(
        f"looks: {found.looks} of {found.planned_looks}; calls: {found.calls:,}, input tokens: "
        f"{found.input_tokens:,}, output tokens: {found.output_tokens:,}, cost: "
        f"{cost_words(found.cost_usd)}"
    )
    lines += lost_calls(found.unsettled, found.unsettled_usd)
    lines.append(f"kept in {found.out}")
    return "\n".join(lines)
