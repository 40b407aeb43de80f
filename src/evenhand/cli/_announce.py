"""Saying what a count or an audit will take, and asking before it gets expensive."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from evenhand.cli._forecast import confirm_cost

if TYPE_CHECKING:
    from evenhand.counting import Forecast


def announcer(model: str, *, ask_over: float, yes: bool) -> Callable[[Forecast], None]:
    """A function that prints a forecast to stderr and asks above a number of dollars.

    Args:
        model: Only models that cost money are asked about.
        ask_over: Dollars.
        yes: Do not ask.
    """

    def announce(found: Forecast) -> None:
        sys.stderr.write("".join(f"{line}\n" for line in forecast_lines(found)))
        confirm_cost(model, found.cost_usd, None if yes else ask_over)

    return announce


def forecast_lines(found: Forecast) -> list[str]:
    """Calls, tokens and money, one line each."""
    from evenhand.counting import cost_words

    about = "" if found.exact else "about "
    if not found.worst_calls and not found.too_long:
        return ["calls: none, every answer is in the folder"]
    thinks = ", more for a model that thinks first" if found.output_tokens else ""
    if found.output_basis:
        thinks = f" ({found.output_basis})"
    lines = [
        f"calls: {found.calls:,}, at worst {found.worst_calls:,}",
        f"input tokens: {about}{found.input_tokens:,}, at worst {found.worst_input_tokens:,}",
        f"output tokens: about {found.output_tokens:,}{thinks}, at worst "
        f"{found.worst_output_tokens:,}",
    ]
    if found.too_long:
        lines.append(f"too long: {found.too_long:,} prompts do not fit the model's window")
    if found.cost_usd == 0 and not found.worst_cost_usd:
        lines.append("cost: nothing")
    elif found.cost_usd is None:
        lines.append("cost: price unknown (a file given with --models can state it)")
    else:
        worst = cost_words(found.worst_cost_usd)
        lines.append(f"cost: about {cost_words(found.cost_usd)}, at worst {worst}")
    return lines
