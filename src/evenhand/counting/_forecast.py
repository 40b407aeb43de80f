"""What a count or an audit will take, before anything is asked."""

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
        worst_calls: Calls at worst.
        input_tokens: Prompt tokens of ``calls``.
        exact: Whether the model's own tokenizer counted (a sample of) the prompts.
        output_tokens: Output tokens expected of ``calls``.
        cost_usd: Dollars for these; None when the price is unknown.
        worst_cost_usd: Dollars when every call is needed and uses up its output budget.
        too_long: Prompts that do not fit the model's window.
    """

    calls: int
    worst_calls: int
    input_tokens: int
    exact: bool
    output_tokens: int
    cost_usd: float | None
    worst_cost_usd: float | None
    too_long: int


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
        found.calls, found.worst_calls, found.input_tokens, found.counted_exactly, output, cost,
        found.worst_cost_usd, found.too_long,
    )  # fmt: skip


def if_needed(found: Forecast, times: float = 1.0) -> Forecast:
    """A round, so many times as large, that is asked only at worst."""
    worst = None if found.worst_cost_usd is None else found.worst_cost_usd * times
    cost = None if found.cost_usd is None else 0.0
    return Forecast(0, round(found.worst_calls * times), 0, found.exact, 0, cost, worst, 0)


def together(rounds: Iterable[Forecast]) -> Forecast:
    """All rounds of an answer; there is at least one."""
    listed = tuple(rounds)
    return Forecast(
        sum(each.calls for each in listed),
        sum(each.worst_calls for each in listed),
        sum(each.input_tokens for each in listed),
        all(each.exact for each in listed),
        sum(each.output_tokens for each in listed),
        _sum([each.cost_usd for each in listed]),
        _sum([each.worst_cost_usd for each in listed]),
        sum(each.too_long for each in listed),
    )


def _sum(amounts: list[float | None]) -> float | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None
