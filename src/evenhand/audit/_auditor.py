"""The rounds of an audit: which orders are asked next, and what they answered."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from evenhand.audit._orders import Order, is_random
from evenhand.audit._statistics import order_test, unseen_share
from evenhand.audit._work import TIE, OrderWork
from evenhand.counting import Records, run_folders, with_spending
from evenhand.models import Model
from evenhand.running import RunOptions, RunStore, run_async

LOOK = 4
ROUNDS = ("orders-*", "again-*")
"""The run folders of an audit."""
_ANSWERS = """
    SELECT e.order_seed, o.outcome, a.predicted, a.margin, a.reason, a.error
    FROM outcomes AS o JOIN experiments AS e ON e.id = o.experiment_id
    JOIN attempts AS a ON a.experiment_id = e.id AND a.attempt = o.attempt AND a.stage = 2
"""


@dataclass(frozen=True, slots=True)
class Setup:
    """What an audit asks, of whom, and how far it goes.

    Attributes:
        ask: The question.
        labels: The labels; empty for a number.
        records: All records.
        left_out: Records without a usable text.
        orders: The orders, in the order in which they are asked.
        there_are: Orders that the records have in all; None where they are too many to be asked.
        model: Whom to ask.
        out: The audit's folder.
        options: How to run.
        budget: Output tokens allowed a call.
        error_rate: Accepted chance of calling an order-blind model order-sensitive.
        tolerance: Largest share of orders that may hide another answer behind ``stable``.
        seed: Of the random orders.
    """

    ask: str
    labels: tuple[str, ...]
    records: Records
    left_out: int
    orders: tuple[Order, ...]
    there_are: int | None
    model: Model
    out: Path
    options: RunOptions
    budget: int
    error_rate: float
    tolerance: float
    seed: int

    def looks(self) -> list[tuple[int, int]]:
        """The orders that each look adds, from one number up to another."""
        last = len(self.orders)
        return [(start, min(start + LOOK, last)) for start in range(0, last, LOOK)]

    def folders(self) -> list[Path]:
        """The run folders that there are."""
        return run_folders(self.out, ROUNDS)

    def rounds(self, start: int, end: int, *, repeat: int) -> Iterator[Round]:
        """Orders from one number up to another, in the folders that hold some of them already.

        The last look of an audit with fewer orders may have asked the first of them alone.
        """
        while start < end:
            tried = (self.round(start, stop, repeat=repeat) for stop in range(end, start, -1))
            each = next((each for each in tried if each.begun), None)
            each = each or self.round(start, end, repeat=repeat)
            yield each
            start = each.end

    def round(self, start: int, end: int, *, repeat: int) -> Round:
        """Orders from one number up to another, asked for the first or the second time."""
        return Round(self, start, end, repeat)


@dataclass(frozen=True, slots=True)
class Round:
    """Calls that are made together.

    Attributes:
        setup: Of the audit.
        start: Number of the first order.
        end: Number of the order after the last.
        repeat: 0 when they are asked for the first time, 1 for the second.
    """

    setup: Setup
    start: int
    end: int
    repeat: int

    @property
    def folder(self) -> Path:
        """Its run folder."""
        return (
            self.setup.out / f"{'again' if self.repeat else 'orders'}-{self.start + 1}-{self.end}"
        )

    @property
    def begun(self) -> bool:
        """Whether anything of it was asked."""
        return (self.folder / "run.db").is_file()

    @property
    def finished(self) -> bool:
        """Whether every order of it has a reply."""
        if not self.begun:
            return False
        with RunStore(self.folder) as store:
            return bool(store.started) and not store.pending()

    def work(self) -> OrderWork:
        """Its calls."""
        listed = list(enumerate(self.setup.orders))[self.start : self.end]
        setup = self.setup
        return OrderWork(setup.ask, setup.labels, setup.records, listed, self.repeat, setup.budget)


@dataclass(slots=True)
class Auditor:
    """Asks round by round and keeps what came back.

    Attributes:
        setup: What is asked.
        looks: Looks taken.
        asked: Orders asked, from the first on.
        repeated: Orders asked a second time, from the first on.
        pending: Calls without a reply.
        message: Why calls ended early, if they did.
        p_value: Of "order does not matter", at the last look.
        found: Order number and repeat to answer, margin, and why there is no answer.
    """

    setup: Setup
    looks: int = 0
    asked: int = 0
    repeated: int = 0
    pending: int = 0
    message: str | None = None
    p_value: float | None = None
    found: dict[tuple[int, int], tuple[str | None, float | None, str | None]] = field(
        default_factory=dict
    )

    def rounds(self) -> Iterator[Round]:
        """Every round that is needed, each decided on what the ones before it answered."""
        for look, (start, end) in enumerate(self.setup.looks(), start=1):
            self.asked = end
            yield from self.setup.rounds(start, end, repeat=0)
            if self.differ():
                since, self.repeated = self.repeated, end
                yield from self.setup.rounds(since, end, repeat=1)
            self.looks = look
            if self._clear():
                return

    async def run(self) -> None:
        """Round by round, until the verdict is clear; the model is closed at the end."""
        setup = self.setup
        try:
            for each in self.rounds():
                others = [folder for folder in setup.folders() if folder != each.folder]
                options = with_spending(setup.options, others)
                summary = await run_async(each.work(), setup.model, each.folder, options)
                self.pending += summary.pending
                self.message = self.message or summary.message
                self.take(each)
                if self.pending:
                    return
        finally:
            await setup.model.aclose()

    def take(self, each: Round) -> None:
        """Read the answers of a round from its folder."""
        with RunStore(each.folder) as store:
            for number, outcome, predicted, margin, reason, error in store.rows(_ANSWERS):
                answer = TIE if outcome == "tie" else predicted
                self.found[number, each.repeat] = answer, margin, error or reason

    def firsts(self) -> dict[int, str]:
        """Number of the order to its first answer, where it can be read."""
        return {n: a for (n, repeat), (a, *_) in self.found.items() if a and not repeat}

    def replied(self) -> list[int]:
        """Numbers of the orders that have a reply, whatever it says."""
        return [number for number, repeat in self.found if not repeat]

    def differ(self) -> bool:
        """Whether two orders gave two answers."""
        return len(set(self.firsts().values())) > 1

    def code(self, answer: str) -> float:
        """An answer as a number."""
        if not self.setup.labels:
            return float(answer)
        return float([*self.setup.labels, TIE].index(answer))

    def pairs(self) -> list[tuple[float, float]]:
        """Both answers of the orders asked twice."""
        firsts = self.firsts()
        return [
            (self.code(firsts[number]), self.code(answer))
            for (number, repeat), (answer, *_) in self.found.items()
            if repeat and answer and number in firsts
        ]

    @property
    def level(self) -> float:
        """What the p-value of one look must come down to."""
        return self.setup.error_rate / len(self.setup.looks())

    def unseen(self, firsts: Collection[int]) -> float:
        """The largest share of orders with another answer that these, all alike, leave likely."""
        if len(firsts) == self.setup.there_are:
            return 0.0
        return unseen_share(sum(is_random(self.setup.orders[number]) for number in firsts))

    def _clear(self) -> bool:
        """Whether this look settles it."""
        firsts = self.firsts()
        if self.differ():
            self.p_value = order_test(self.pairs(), numbers=not self.setup.labels)
            return self.p_value <= self.level
        return len(firsts) == self.asked and self.unseen(firsts) <= self.setup.tolerance
