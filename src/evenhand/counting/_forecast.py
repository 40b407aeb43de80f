"""What a count or an audit will take, before anything is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evenhand.counting._spending import is_unpaid
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
    work: Work,
    model: Model,
    options: RunOptions,
    output_a_call: float,
    *,
    worst_calls: int | None = None,
) -> Forecast:
    """Count what a workload will take. Nothing is called.

    Args:
        work: What would be asked.
        model: Whom; its tokenizer, window and price are looked at.
        options: How.
        output_a_call: Output tokens that a reply is expected to have.
        worst_calls: Calls at worst where that is not ``max_attempts`` for each.
    """
    found = estimate(work, model, options)
    output = 0 if options.answer_mode == "forced" else round(found.calls * output_a_call)
    price = price_of(model)
    cost = 0.0 if is_unpaid(model.name) else None
    if price is not None and price.input is not None and price.output is not None:
        cost = (found.input_tokens * price.input + output * price.output) / 1_000_000
    most = found.worst_calls if worst_calls is None else worst_calls * options.max_attempts
    worst = found.worst_cost_usd
    if worst is not None and found.worst_calls:
        worst *= most / found.worst_calls
    return Forecast(
        found.calls, most, found.input_tokens, found.counted_exactly, output, cost, worst,
        found.too_long,
    )  # fmt: skip
