"""What calls cost, and the hard limit on it."""

from __future__ import annotations

import asyncio
from typing import Protocol

from evenhand.errors import UsageError
from evenhand.models import Generation, Model
from evenhand.running._control import Control, Stopped

_MILLION = 1_000_000


class Price(Protocol):
    """US dollars per million tokens; None is unknown, never free."""

    @property
    def input(self) -> float | None:
        """Of the prompt."""
        ...

    @property
    def cached_input(self) -> float | None:
        """Of the part of the prompt that the provider had cached."""
        ...

    @property
    def output(self) -> float | None:
        """Of the output, reasoning included."""
        ...


def price_of(model: Model) -> Price | None:
    """The price that a model adapter states in its ``price`` attribute; None where it has none."""
    price: Price | None = getattr(model, "price", None)
    return price


def call_cost(generation: Generation, price: Price | None) -> float | None:
    """Dollars of one call: as the provider states it, else from the price, else None."""
    if generation.cost_usd is not None:
        return generation.cost_usd
    usage = generation.usage
    if (
        price is None
        or price.input is None
        or price.output is None
        or usage.input_tokens is None
        or usage.output_tokens is None
    ):
        return None
    cached = min(usage.cached_input_tokens or 0, usage.input_tokens)
    cached_price = price.input if price.cached_input is None else price.cached_input
    return (
        (usage.input_tokens - cached) * price.input
        + cached * cached_price
        + usage.output_tokens * price.output
    ) / _MILLION


def worst_cost(input_tokens: int, output_budget: int, price: Price | None) -> float | None:
    """Dollars of a call whose input is not cached and whose output budget is used up."""
    if price is None or price.input is None or price.output is None:
        return None
    return (input_tokens * price.input + output_budget * price.output) / _MILLION


class Purse:
    """The money of a run: spent, and reserved for calls in flight at their worst case.

    Args:
        control: Of the run.
        limit: Dollars that may be spent in all, or None.
        spent: Dollars spent before.
    """

    def __init__(self, control: Control, limit: float | None, spent: float) -> None:
        self._control = control
        self.limit = limit
        self.spent = spent
        self._reserved: list[float] = []
        self._changed = asyncio.Condition()

    @property
    def reserved(self) -> float:
        """Dollars that the calls in flight cost at worst."""
        return sum(self._reserved)

    async def reserve(self, worst: float) -> None:
        """Set money aside, waiting for calls in flight to turn out cheaper if that can help.

        Raises:
            Stopped: If the money does not reach; the run then ends.
        """
        async with self._changed:
            while self.limit is not None and self.spent + self.reserved + worst > self.limit:
                if not self._reserved:
                    self._control.end(
                        "max_cost",
                        f"the next call could cost {dollars(worst)}, and {dollars(self.spent)} of "
                        f"{dollars(self.limit)} are spent: raise --max-cost to go on",
                    )
                if self._control.ending:
                    raise Stopped
                await self._changed.wait()
            self._reserved.append(worst)

    async def settle(self, worst: float, cost: float | None) -> None:
        """Turn a reservation into what the call cost; an unknown cost stays at its worst case."""
        async with self._changed:
            self._reserved.remove(worst)
            self.spent += worst if cost is None else cost
            self._changed.notify_all()


def check_limit(limit: float | None, price: Price | None, model: str) -> None:
    """A limit needs a price to count with.

    Raises:
        UsageError: If there is a limit and the price is unknown.
    """
    if limit is None:
        return
    if price is None or price.input is None or price.output is None:
        raise UsageError(
            f"--max-cost needs the price of {model}, which is unknown: "
            "add it to a catalog file (--models FILE), or leave --max-cost out"
        )


def dollars(amount: float) -> str:
    """Money as people read it: cents, and more digits for less than a dollar."""
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.4f}"
