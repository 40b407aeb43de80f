"""Progress on stderr: a live bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from evenhand.running._money import dollars
from evenhand.running._records import AttemptRecord, Totals

if TYPE_CHECKING:
    from rich.console import Console

PLAIN_INTERVAL_S = 30.0


class Tally:
    """Counts of a run folder, kept up to date without asking the store.

    Args:
        totals: What the folder held when the run began.
        limit_usd: The money limit, if any.
        spent_before_usd: What counts towards it from elsewhere.
        names: What outcomes are called, where it is not their own name.
    """

    def __init__(
        self,
        totals: Totals,
        limit_usd: float | None = None,
        *,
        spent_before_usd: float = 0.0,
        names: Mapping[str, str] | None = None,
    ) -> None:
        self._names = names or {}
        self.experiments = totals.experiments
        self.outcomes = dict(totals.outcomes)
        self.input_tokens = totals.input_tokens
        self.output_tokens = totals.output_tokens
        self.cost_usd = totals.cost_usd
        self.unpriced = totals.unpriced
        self.limit_usd = limit_usd
        self.counted_usd = spent_before_usd + totals.cost_usd + totals.unsettled_usd
        """What counts towards the limit: with calls of unknown cost at their worst case."""
        self.faults = 0
        self.pause_s = 0.0
        self._done_before = totals.done
        self._started = time.monotonic()

    @property
    def done(self) -> int:
        """Experiments with an outcome."""
        return sum(self.outcomes.values())

    @property
    def pending(self) -> int:
        """Experiments without one."""
        return self.experiments - self.done

    @property
    def left_s(self) -> float | None:
        """Seconds left at the rate of this run; None before its first outcome."""
        fresh = self.done - self._done_before
        if fresh <= 0:
            return None
        return (time.monotonic() - self._started) / fresh * self.pending

    def add(self, record: AttemptRecord, *, decides: bool) -> None:
        """Count one finished call."""
        self.input_tokens += record.usage.input_tokens or 0
        self.output_tokens += record.usage.output_tokens or 0
        if record.cost_usd is None:
            self.unpriced += record.text is not None
        else:
            self.cost_usd += record.cost_usd
        if decides:
            self.outcomes[record.outcome] = self.outcomes.get(record.outcome, 0) + 1

    def words(self) -> str:
        """Outcomes, tokens and money in one line."""
        parts = [
            f"{count} {self._names.get(outcome, outcome)}"
            for outcome, count in sorted(self.outcomes.items())
        ]
        parts.append(f"{_short(self.input_tokens)} in, {_short(self.output_tokens)} out")
        parts.append(self._money())
        if self.faults:
            parts.append(f"{self.faults} failed calls")
        if self.pause_s >= 1:
            parts.append(f"all calls wait {self.pause_s:.0f} s")
        return " | ".join(parts)

    def _money(self) -> str:
        if self.unpriced:
            return "cost unknown"
        spent = dollars(self.cost_usd)
        if self.limit_usd is not None:
            return f"{spent} spent, {dollars(max(0.0, self.limit_usd - self.counted_usd))} left"
        return f"{spent} spent"


class Progress(Protocol):
    """Shows a tally."""

    def show(self, tally: Tally) -> None:
        """Show it, or leave it for the next time."""
        ...

    def say(self, line: str) -> None:
        """Show one line that stays."""
        ...


class _Silent:
    def show(self, tally: Tally) -> None:
        """Show nothing."""

    def say(self, line: str) -> None:
        """Say nothing."""


class _Plain:
    """For logs: one line every half minute."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def show(self, tally: Tally) -> None:
        """Print a line when the last one is old enough."""
        now = time.monotonic()
        if now - self._last >= PLAIN_INTERVAL_S:
            self._last = now
            left = tally.left_s
            eta = "" if left is None else f" | about {_duration(left)} left"
            self.say(f"{tally.done}/{tally.experiments} done | {tally.words()}{eta}")

    def say(self, line: str) -> None:
        """Print a line."""
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


@contextmanager
def progress_on_stderr(*, wanted: bool, tally: Tally) -> Iterator[Progress]:
    """Show progress until the block ends.

    Args:
        wanted: False shows nothing.
        tally: What to show.
    """
    if not wanted:
        yield _Silent()
        return
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Plain()
        return
    with _bar(console, tally) as bar:
        yield bar


@contextmanager
def _bar(console: Console, tally: Tally) -> Iterator[Progress]:
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as RichProgress

    columns = (
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", markup=False),
    )
    with RichProgress(*columns, console=console, refresh_per_second=4) as rich:
        row = rich.add_task(tally.words(), total=tally.experiments, completed=tally.done, left="")

        class _Bar:
            def show(self, tally: Tally) -> None:
                left = tally.left_s
                rich.update(
                    row,
                    completed=tally.done,
                    description=tally.words(),
                    left="" if left is None else f"about {_duration(left)} left",
                )

            def say(self, line: str) -> None:
                rich.console.print(line, markup=False, highlight=False)

        yield _Bar()


def _short(tokens: int) -> str:
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= size:
            return f"{tokens / size:.1f}{unit}"
    return str(tokens)


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min"
