"""What calls cost, and the hard limit on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
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


def is_free(price: Price | None) -> bool:
    """Whether calls are known to cost nothing."""
    return price is not None and price.input == 0 and price.output == 0


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


@dataclass(frozen=True, slots=True)
class Hold:
    """Money set aside for one call.

    Attributes:
        worst: Dollars; None when the price is unknown.
        call: The call's number in the run folder; None when the price is unknown.
    """

    worst: float | None
    call: int | None


class Purse:
    """The money of a run: spent, and held for calls in flight at their worst case.

    Args:
        control: Of the run.
        limit: Dollars that may be spent in all, or None.
        spent: Dollars that are spent, or may be, before.
        begin: Notes a call in the run folder before it begins, so that a kill cannot lose it.
        forget: Takes such a note back.
    """

    def __init__(
        self,
        control: Control,
        limit: float | None,
        spent: float,
        *,
        begin: Callable[[float], int],
        forget: Callable[[int], None],
    ) -> None:
        self._control = control
        self.limit = limit
        self.spent = spent
        self._begin = begin
        self._forget = forget
        self._held: list[float] = []
        self._changed = asyncio.Condition()

    @property
    def held(self) -> float:
        """Dollars that the calls in flight cost at worst."""
        return sum(self._held)

    async def hold(self, worst: float | None) -> Hold:
        """Set money aside, waiting for calls in flight to turn out cheaper if that can help.

        Raises:
            Stopped: If the money does not reach; the run then ends.
        """
        if worst is None:
            return Hold(None, None)
        async with self._changed:
            while self.limit is not None and self.spent + self.held + worst > self.limit:
                if not self._held:
                    self._control.end(
                        "max_cost",
                        f"the next call could cost {dollars(worst)}, and {dollars(self.spent)} of "
                        f"{dollars(self.limit)} are spent, or may be: raise --max-cost to go on",
                    )
                if self._control.ending:
                    raise Stopped
                await self._changed.wait()
            call = self._begin(worst)
            self._held.append(worst)
        return Hold(worst, call)

    async def paid(self, hold: Hold, cost: float | None) -> int | None:
        """A call came home; an unknown cost stays at its worst case.

        Returns:
            The number of the call whose note is to go with the storing of its cost; None where
            the note stays.
        """
        await self._end(hold, hold.worst if cost is None else cost)
        return None if cost is None else hold.call

    async def unknown(self, hold: Hold) -> None:
        """A call was lost that the server may charge for: it stays at its worst case."""
        await self._end(hold, hold.worst)

    async def free(self, hold: Hold) -> None:
        """A call was refused: it cost nothing."""
        if hold.call is not None:
            self._forget(hold.call)
        await self._end(hold, 0.0)

    async def _end(self, hold: Hold, cost: float | None) -> None:
        self.spent += cost or 0.0
        if hold.worst is None:
            return
        self._held.remove(hold.worst)
        async with self._changed:
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
