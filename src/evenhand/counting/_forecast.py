"""What rounds of calls will take, before anything is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from evenhand.models import Model
from evenhand.running import RunOptions, Work, estimate, price_of


@dataclass(frozen=True, slots=True)
class Forecast:
    """Calls, tokens and money.

    Attributes:
        calls: Calls when all goes well.
        worst_calls: Calls at worst; 0 where every answer is in the folder.
        input_tokens: Prompt tokens of ``calls``.
        worst_input_tokens: Prompt tokens of ``worst_calls``.
        exact: Whether the model's own tokenizer counted (a sample of) the prompts.
        output_tokens: Output tokens expected of ``calls``.
        worst_output_tokens: Output tokens when every call of ``worst_calls`` uses up its budget.
        cost_usd: Dollars for ``calls``; None when the price is unknown.
        worst_cost_usd: Dollars for ``worst_calls``; None when the price is unknown.
        too_long: Prompts that do not fit the model's window.
        output_basis: What ``output_tokens`` rest on, in words; empty where nothing is said of it.
    """

    calls: int
    worst_calls: int
    input_tokens: int
    worst_input_tokens: int
    exact: bool
    output_tokens: int
    worst_output_tokens: int
    cost_usd: float | None
    worst_cost_usd: float | None
    too_long: int
    output_basis: str = ""


Announce = Callable[[Forecast], None]


def forecast(
    work: Work, model: Model, options: RunOptions, output_a_call: float, out: Path | None = None
) -> Forecast:
    """Count what one round will take. Nothing is called.

    Args:
        work: What would be asked.
        model: Whom; its tokenizer, window and price are looked at.
        options: How.
        output_a_call: Output tokens that a reply is expected to have.
        out: Its run folder; what that already holds is left out.
    """
    found = estimate(work, model, options, out=out)
    output = 0 if options.answer_mode == "forced" else round(found.calls * output_a_call)
    price = price_of(model)
    cost = None
    if price is not None and price.input is not None and price.output is not None:
        cost = (found.input_tokens * price.input + output * price.output) / 1_000_000
    return Forecast(
        calls=found.calls,
        worst_calls=found.worst_calls,
        input_tokens=found.input_tokens,
        worst_input_tokens=found.input_tokens * options.max_attempts,
        exact=found.counted_exactly,
        output_tokens=output,
        worst_output_tokens=found.worst_output_tokens,
        cost_usd=cost,
        worst_cost_usd=found.worst_cost_usd,
        too_long=found.too_long,
    )


def if_needed(found: Forecast, times: float = 1.0) -> Forecast:
    """A round, so many times as large, that is asked only at worst."""
    return Forecast(
        calls=0,
        worst_calls=round(found.worst_calls * times),
        input_tokens=0,
        worst_input_tokens=round(found.worst_input_tokens * times),
        exact=found.exact,
        output_tokens=0,
        worst_output_tokens=round(found.worst_output_tokens * times),
        cost_usd=None if found.cost_usd is None else 0.0,
        worst_cost_usd=None if found.worst_cost_usd is None else found.worst_cost_usd * times,
        too_long=0,
        output_basis=found.output_basis,
    )


def together(rounds: Iterable[Forecast]) -> Forecast:
    """All rounds of an answer."""
    listed = tuple(rounds)
    return Forecast(
        calls=sum(each.calls for each in listed),
        worst_calls=sum(each.worst_calls for each in listed),
        input_tokens=sum(each.input_tokens for each in listed),
        worst_input_tokens=sum(each.worst_input_tokens for each in listed),
        exact=all(each.exact for each in listed),
        output_tokens=sum(each.output_tokens for each in listed),
        worst_output_tokens=sum(each.worst_output_tokens for each in listed),
        cost_usd=_sum([each.cost_usd for each in listed]),
        worst_cost_usd=_sum([each.worst_cost_usd for each in listed]),
        too_long=sum(each.too_long for each in listed),
        output_basis=next((each.output_basis for each in listed if each.output_basis), ""),
    )


def _sum(amounts: list[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None
