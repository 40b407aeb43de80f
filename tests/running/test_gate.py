"""Contract: the gate bounds calls at once, pauses all workers together for a time that doubles and
is never shorter than what the server asked for, counts a burst as one failure, recovers, and ends
the run when nothing succeeds for too long."""

from __future__ import annotations

import asyncio
import contextlib
import random

import pytest

from evenhand.running._control import Control, Stopped
from evenhand.running._gate import Gate


class Clock:
    """Time that only the test moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Instant(Control):
    """A control that sleeps by moving the clock."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        """Move the clock."""
        self.slept.append(seconds)
        self.clock.now += seconds


def make(*, ceiling: int = 8, start: int = 8, give_up: float = 600.0) -> tuple[Gate, Instant]:
    clock = Clock()
    control = Instant(clock)
    gate = Gate(
        control,
        ceiling=ceiling,
        start=start,
        backoff_s=1.0,
        give_up_after_s=give_up,
        clock=clock,
        rng=random.Random(0),
    )
    return gate, control


async def fail(gate: Gate, retry_after: float | None = None) -> None:
    ticket = await gate.enter()
    gate.failed(ticket, RuntimeError("HTTP 429"), retry_after)
    gate.leave()


async def succeed(gate: Gate) -> None:
    ticket = await gate.enter()
    gate.leave()
    gate.succeeded(ticket)


def test_the_pause_doubles_and_has_jitter() -> None:
    async def scene() -> list[float]:
        gate, _ = make()
        pauses = []
        for _ in range(9):
            await fail(gate)
            pauses.append(gate.paused_s)
        return pauses

    for at, pause in enumerate(asyncio.run(scene())):
        longest = min(60.0, 2.0**at)
        assert longest / 2 <= pause <= longest


def test_retry_after_is_the_floor() -> None:
    async def scene() -> float:
        gate, _ = make()
        await fail(gate, retry_after=42.0)
        return gate.paused_s

    assert 42.0 <= asyncio.run(scene()) <= 42.1


def test_everyone_waits_for_the_gate() -> None:
    async def scene() -> None:
        gate, control = make()
        await fail(gate, retry_after=5.0)
        ticket = await gate.enter()
        assert sum(control.slept) >= 5.0
        assert ticket.at >= 105.0

    asyncio.run(scene())


def test_a_burst_counts_once() -> None:
    async def scene() -> tuple[float, int]:
        gate, _ = make()
        tickets = [await gate.enter() for _ in range(8)]
        for ticket in tickets:
            gate._clock.now += 0.001  # type: ignore[attr-defined]  # the test's own clock
            gate.failed(ticket, RuntimeError("HTTP 429"), None)
            gate.leave()
        return gate.paused_s, gate.limit

    pause, limit = asyncio.run(scene())
    assert pause <= 1.0
    assert limit == 6


def test_repeated_failures_lower_the_limit_and_successes_raise_it() -> None:
    async def scene() -> tuple[int, int]:
        gate, _ = make()
        for _ in range(6):
            await fail(gate)
        lowest = gate.limit
        for _ in range(60):
            await succeed(gate)
        return lowest, gate.limit

    assert asyncio.run(scene()) == (1, 8)


def test_an_adaptive_gate_grows_to_its_ceiling() -> None:
    async def scene() -> int:
        gate, _ = make(ceiling=64, start=8)
        for _ in range(100):
            await succeed(gate)
        return gate.limit

    assert asyncio.run(scene()) == 64


def test_a_success_starts_the_pauses_afresh() -> None:
    async def scene() -> float:
        gate, _ = make()
        for _ in range(5):
            await fail(gate)
        await succeed(gate)
        await fail(gate)
        return gate.paused_s

    assert asyncio.run(scene()) <= 1.0


def test_it_gives_up_when_nothing_succeeds() -> None:
    async def scene() -> Control:
        gate, control = make(give_up=30.0)
        with contextlib.suppress(Stopped):
            for _ in range(100):
                await fail(gate)
        assert 30.0 <= control.clock.now - 100.0 <= 61.0
        return control

    control = asyncio.run(scene())
    assert control.stop == "gave_up"
    assert control.message is not None
    assert "HTTP 429" in control.message


def test_it_does_not_sleep_past_giving_up() -> None:
    async def scene() -> float:
        gate, control = make(give_up=30.0)
        await fail(gate, retry_after=3600.0)
        with pytest.raises(Stopped):
            await gate.enter()
        return control.clock.now - 100.0

    assert asyncio.run(scene()) == pytest.approx(30.0, abs=0.1)


def test_a_success_in_between_keeps_it_going() -> None:
    async def scene() -> Control:
        gate, control = make(give_up=30.0)
        for _ in range(40):
            await fail(gate)
            await succeed(gate)
        assert control.clock.now - 100.0 > 20
        return control

    assert asyncio.run(scene()).stop is None


def test_places_are_handed_on_in_turn() -> None:
    async def scene() -> list[int]:
        gate, _ = make(ceiling=1, start=1)
        order: list[int] = []

        async def caller(number: int) -> None:
            await gate.enter()
            order.append(number)
            await asyncio.sleep(0)
            gate.leave()

        await asyncio.gather(*(caller(number) for number in range(5)))
        return order

    assert asyncio.run(scene()) == [0, 1, 2, 3, 4]


def test_a_cancelled_waiter_takes_no_place() -> None:
    async def scene() -> None:
        gate, _ = make(ceiling=1, start=1)
        await gate.enter()
        waiter = asyncio.create_task(gate.enter())
        await asyncio.sleep(0)
        waiter.cancel()
        await asyncio.gather(waiter, return_exceptions=True)
        gate.leave()
        await asyncio.wait_for(gate.enter(), 1)

    asyncio.run(scene())


def test_a_success_in_flight_does_not_make_an_endless_pause_endless() -> None:
    async def scene() -> tuple[str | None, float]:
        gate, control = make(give_up=600.0)
        failing, succeeding = await gate.enter(), await gate.enter()
        gate.failed(failing, RuntimeError("HTTP 429"), 1e8)
        gate.leave()
        gate.succeeded(succeeding)
        gate.leave()
        with contextlib.suppress(Stopped):
            await gate.enter()
        return control.stop, control.clock.now

    stop, now = asyncio.run(scene())
    assert (stop, now) == ("gave_up", 700.0)
