"""The gate all calls pass: how many at once, and a common pause when the server fails.

A rate limit concerns every worker, so the workers share one back-off. A failure closes the gate
for a time that doubles with every further failure in a row, never shorter than what the server
asked for, and lowers the number of calls at once; successes raise it again (additive increase,
multiplicative decrease). Calls that were already on their way when the gate closed tell nothing
new when they fail too, so a burst of twenty refusals counts as one.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from evenhand.running._control import Control, Stopped

LONGEST_WAIT_S = 60.0
ADAPTIVE_START = 8
ADAPTIVE_CEILING = 64


@dataclass(frozen=True, slots=True)
class Pass:
    """Leave to make one call; ``at`` is when it was given."""

    at: float


class Gate:
    """Bounds calls at once and spaces out retries, for all workers together.

    Args:
        control: Of the run; ended when the server has failed for too long.
        ceiling: Most calls at once.
        start: Calls at once to begin with.
        backoff_s: First pause after a failure.
        give_up_after_s: Seconds of failures without a success that end the run.
        clock: Monotonic seconds.
        rng: Source of the jitter.
    """

    def __init__(
        self,
        control: Control,
        *,
        ceiling: int,
        start: int,
        backoff_s: float = 1.0,
        give_up_after_s: float = 600.0,
        clock: Callable[[], float] = time.monotonic,
        rng: random.Random | None = None,
    ) -> None:
        self._control = control
        self._ceiling = ceiling
        self._limit = float(min(start, ceiling))
        self._backoff_s = backoff_s
        self._give_up_after_s = give_up_after_s
        self._clock = clock
        self._rng = rng or random.Random()
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._opens_at = 0.0
        self._slowed_at = float("-inf")
        self._in_a_row = 0
        self._slow_start = True
        self._failing_since: float | None = None
        self._last_error = ""

    @property
    def limit(self) -> int:
        """Calls that may run at once now."""
        return max(1, int(self._limit))

    @property
    def paused_s(self) -> float:
        """Seconds until the gate opens; 0 while it is open."""
        return max(0.0, self._opens_at - self._clock())

    async def enter(self) -> Pass:
        """Wait for a place and an open gate.

        Raises:
            Stopped: If the run ends first.
        """
        await self._take_place()
        try:
            while self.paused_s > 0 and not self._control.ending:
                await self._control.sleep(min(self.paused_s, self._patience()))
                self._give_up_if_due(None)
            if self._control.ending:
                raise Stopped
        except BaseException:
            self.leave()
            raise
        return Pass(self._clock())

    def leave(self) -> None:
        """Give the place back."""
        self._inside -= 1
        self._admit()

    def succeeded(self, ticket: Pass) -> None:
        """A call got an answer."""
        # While the gate is closed nothing new can succeed: the patience begins again here.
        self._failing_since = self._clock() if self.paused_s > 0 else None
        if ticket.at < self._slowed_at:
            return
        self._in_a_row = 0
        step = 1.0 if self._slow_start else 1.0 / self._limit
        self._limit = min(float(self._ceiling), self._limit + step)
        self._admit()

    def failed(self, ticket: Pass, error: Exception, retry_after: float | None) -> None:
        """A call got no answer: pause everyone; end the run when this lasts too long."""
        now = self._clock()
        if self._failing_since is None:
            self._failing_since = now
        wait = retry_after or 0.0
        if ticket.at >= self._slowed_at:
            backoff = min(LONGEST_WAIT_S, self._backoff_s * 2.0 ** min(self._in_a_row, 16))
            wait = max(wait, backoff * self._rng.uniform(0.5, 1.0))
            self._in_a_row += 1
            self._slowed_at = now
            self._slow_start = False
            self._limit = max(1.0, self._limit * (0.5 if self._in_a_row > 1 else 0.8))
        if retry_after:
            wait += self._rng.uniform(0.0, 0.1) * self._backoff_s
        self._opens_at = max(self._opens_at, now + wait)
        self._give_up_if_due(error)

    def _patience(self) -> float:
        """Seconds until giving up, if nothing succeeds meanwhile."""
        if self._failing_since is None:
            return float("inf")
        return max(0.001, self._failing_since + self._give_up_after_s - self._clock())

    def _give_up_if_due(self, error: Exception | None) -> None:
        if error is not None:
            self._last_error = str(error)
        if self._failing_since is None:
            return
        failing = self._clock() - self._failing_since
        if failing >= self._give_up_after_s:
            self._control.end(
                "gave_up",
                f"no call succeeded for {failing:,.0f} s; the last error was: {self._last_error}",
            )

    async def _take_place(self) -> None:
        if self._inside < self.limit and not self._waiting:
            self._inside += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.leave()
            raise

    def _admit(self) -> None:
        while self._waiting and self._inside < self.limit:
            turn = self._waiting.popleft()
            if not turn.done():
                self._inside += 1
                turn.set_result(None)
