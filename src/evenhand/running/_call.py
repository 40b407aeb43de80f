"""One call, from the count before it to the reply, through every retry that it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evenhand.models import (
    ContextOverflowError,
    Generation,
    GenerationSettings,
    Model,
    ModelError,
    TokenCount,
    TransientError,
)
from evenhand.prompts import Message
from evenhand.running._control import Control, Stopped
from evenhand.running._gate import Gate
from evenhand.running._money import Price, Purse, call_cost, is_free, worst_cost

ESTIMATE_SLACK = 1.1
"""An estimated count is believed to exceed the window from this multiple of it on: between the
window and that, the server is asked, whose refusal costs nothing."""

FaultLog = Callable[[Exception, float | None], None]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call came to.

    Attributes:
        generation: The model's reply; None when the prompt does not fit its window.
        cost_usd: Dollars; None when unknown.
        count: Prompt tokens counted before the call; None where nothing needed the count.
        overflow: Why the prompt does not fit.
        settles: Number of the noted call whose cost is now known.
    """

    generation: Generation | None
    cost_usd: float | None
    count: TokenCount | None
    overflow: str | None = None
    settles: int | None = None


class Caller:
    """Calls one model for all workers of a run."""

    def __init__(
        self,
        model: Model,
        *,
        control: Control,
        gate: Gate,
        purse: Purse,
        price: Price | None,
    ) -> None:
        self._model = model
        self._control = control
        self._gate = gate
        self._purse = purse
        self._price = price

    async def call(
        self, messages: tuple[Message, ...], settings: GenerationSettings, log: FaultLog
    ) -> Reply:
        """Call until there is a reply.

        Args:
            messages: What to send.
            settings: Of the call.
            log: Told of every failure that is tried again.

        Raises:
            Stopped: If the run ends before there is a reply.
            ModelError: If the server refuses the key, the model or a parameter.
        """
        count = self._count(messages)
        window = self._model.context_window
        if count is not None and window is not None and _exceeds(count, window):
            kind = "" if count.exact else "an estimated "
            overflow = f"the prompt has {kind}{count.tokens:,} tokens, the window {window:,}"
            return Reply(None, 0.0, count, overflow)
        worst = None
        if count is not None and not is_free(self._price):
            worst = worst_cost(count.tokens, settings.output_budget, self._price)
        while not self._control.ending:
            ticket = await self._gate.enter()
            try:
                generation, cost, settles = await self._once(messages, settings, worst)
            except TransientError as error:
                self._gate.failed(ticket, error, error.retry_after)
                log(error, error.retry_after)
                continue
            except ContextOverflowError as error:
                self._gate.succeeded(ticket)
                return Reply(None, 0.0, count, str(error))
            except ModelError as error:
                # At once, before another worker's turn: the next call would be refused too.
                self._control.fail(error)
                raise
            finally:
                self._gate.leave()
            self._gate.succeeded(ticket)
            return Reply(generation, cost, count, settles=settles)
        raise Stopped

    async def _once(
        self, messages: tuple[Message, ...], settings: GenerationSettings, worst: float | None
    ) -> tuple[Generation, float | None, int | None]:
        """The reply, its cost, and the noted call that storing it settles."""
        hold = await self._purse.hold(worst)
        try:
            generation = await self._model.generate(messages, settings)
        except TransientError as error:
            await (self._purse.unknown(hold) if error.may_cost else self._purse.free(hold))
            raise
        except ModelError:
            await self._purse.free(hold)
            raise
        except BaseException:
            await self._purse.unknown(hold)
            raise
        cost = call_cost(generation, self._price)
        return generation, cost, await self._purse.paid(hold, cost)

    def _count(self, messages: tuple[Message, ...]) -> TokenCount | None:
        """Count where the window or the money depends on it: at any known price but none.

        No tokenizer makes more tokens than there are bytes, so a prompt of fewer bytes than the
        window (a reserve for the chat template kept back) fits without counting.
        """
        window = self._model.context_window
        if worst_cost(0, 0, self._price) is None or is_free(self._price):
            if window is None:
                return None
            size = sum(len(message.content.encode("utf-8", "replace")) for message in messages)
            if size + 64 * (1 + len(messages)) <= window:
                return None
        return self._model.count_tokens(messages)


def _exceeds(count: TokenCount, window: int) -> bool:
    return count.tokens > (window if count.exact else window * ESTIMATE_SLACK)
