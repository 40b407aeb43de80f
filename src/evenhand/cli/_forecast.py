"""What a run will take, in words, and asking before it gets expensive."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from evenhand.errors import UsageError

if TYPE_CHECKING:
    from evenhand.running import Estimate


def forecast_lines(estimate: Estimate) -> list[str]:
    """Calls, tokens and money of a run, one line each, ready to print."""
    about = "" if estimate.counted_exactly else "about "
    lines = [
        f"experiments to run: {estimate.experiments:,}",
        f"calls: {estimate.calls:,}, at worst {estimate.worst_calls:,}",
        f"input tokens: {about}{estimate.input_tokens:,}, of which {estimate.shared_tokens:,} "
        "repeat the start of the prompt before",
        f"output tokens: {estimate.expected_output_tokens:,} expected ({estimate.output_basis}), "
        f"at worst {estimate.worst_output_tokens:,}",
    ]
    if estimate.too_long:
        lines.append(
            f"too long: {estimate.too_long:,} prompts do not fit the model's window and end as "
            "invalid_input, unpaid"
        )
    if estimate.expected_cost_usd is None or estimate.worst_cost_usd is None:
        lines.append("cost: price unknown (a file given with --models can state it)")
    elif not estimate.worst_cost_usd:
        lines.append("cost: nothing")
    else:
        lines.append(
            f"cost: ${estimate.expected_cost_usd:,.2f} expected, at worst "
            f"${estimate.worst_cost_usd:,.2f}, nothing counted as cached"
        )
    return lines


def confirm_cost(what: str, cost: float | None, ask_over: float | None) -> None:
    """Go on above a number of dollars only if the user says so.

    Args:
        what: What costs so much, as the question names it.
        cost: Dollars expected; None when the price is unknown.
        ask_over: Dollars up to which nobody is asked; None for no limit.

    Raises:
        UsageError: Above the limit, where there is no terminal to ask at.
    """
    if cost is None or ask_over is None or cost <= ask_over:
        return
    question = f"{what} is expected to cost ${cost:,.2f}, more than ${ask_over:,.2f}"
    if not sys.stdin.isatty():
        raise UsageError(f"{question}: say --yes, or raise --ask-over")
    typer.confirm(f"{question}. Go on?", abort=True, err=True)
