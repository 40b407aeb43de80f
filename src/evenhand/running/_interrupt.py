"""Ctrl-C: once ends the run after the calls in flight, twice ends it now."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from evenhand.running._control import Control


@contextmanager
def ending_on_interrupt(
    control: Control, *, cancel: Callable[[], None], say: Callable[[str], None]
) -> Iterator[None]:
    """Handle SIGINT and SIGTERM while the block runs, where this thread may.

    Args:
        control: Ended by the first signal.
        cancel: Called by every further one.
        say: Told what happens.
    """
    signals = (signal.SIGINT, signal.SIGTERM)

    presses = 0

    def interrupted() -> None:
        nonlocal presses
        presses += 1
        if presses > 1:
            say("stopping now: the calls in flight are lost and will be made again")
            cancel()
            return
        say("stopping after the calls in flight (press Ctrl-C again to stop now)")
        control.end("interrupted", "stopped by request; the same command goes on")

    loop = asyncio.get_running_loop()
    if threading.current_thread() is not threading.main_thread() or not _can_handle(loop):
        yield
        return
    for number in signals:
        loop.add_signal_handler(number, interrupted)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


def _can_handle(loop: asyncio.AbstractEventLoop) -> bool:
    """Windows event loops take no signal handlers; there Ctrl-C stops at once."""
    try:
        loop.add_signal_handler(signal.SIGINT, lambda: None)
    except NotImplementedError:
        return False
    return True
