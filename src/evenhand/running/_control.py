"""How a run ends early: one place that every worker looks at."""

from __future__ import annotations

import asyncio

from evenhand.running._options import Stop


class Stopped(Exception):  # noqa: N818 - a signal between workers, no error of a user
    """A call was not made, or not made again, because the run is ending."""


class Control:
    """Says whether the run goes on. Ending it lets the calls in flight come home."""

    def __init__(self) -> None:
        self._ended = asyncio.Event()
        self.stop: Stop | None = None
        self.message: str | None = None
        self.failure: Exception | None = None

    @property
    def ending(self) -> bool:
        """Whether no further call may begin."""
        return self._ended.is_set()

    def end(self, stop: Stop, message: str) -> None:
        """End the run; the first reason stays."""
        if not self.ending:
            self.stop, self.message = stop, message
            self._ended.set()

    def fail(self, error: Exception) -> None:
        """End the run with an error that :func:`run` raises once the calls are home."""
        if self.failure is None:
            self.failure = error
        self._ended.set()

    async def sleep(self, seconds: float) -> None:
        """Sleep, or wake early when the run ends."""
        if seconds <= 0 or self.ending:
            return
        try:
            await asyncio.wait_for(self._ended.wait(), seconds)
        except TimeoutError:
            return
