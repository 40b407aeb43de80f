"""From the run folders of a count to its tally, offline."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from evenhand.counting._alpha import StoppingRule
from evenhand.counting._plan import output_budget, reading_order
from evenhand.counting._question import Question
from evenhand.counting._records import Places, Records
from evenhand.counting._reply import BatchReply
from evenhand.counting._rounds import enter, replies
from evenhand.counting._tally import STATUSES, Tally, empty_tally
from evenhand.counting._work import BatchWork

BATCHES, ALONE, AGAIN, REPEAT = "batches", "alone", "again", "repeat"
ROUNDS = (BATCHES, f"{ALONE}-*", f"{AGAIN}-*", f"{REPEAT}-*")
"""The run folders of a count."""


Again = Literal["unresolved", "unlabelled"]
AGAIN_WORDS: tuple[Again, ...] = ("unresolved", "unlabelled")
"""Which records a further round asks."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What decides every prompt of a count."""

    question: Question
    records: Records
    batch: int
    seed: int
    forced: bool
    budget: int | None
    repeat_share: float

    @property
    def usable(self) -> Places:
        """Places of the records that can be asked about."""
        return self.records.usable()

    def work(self, places: Places, batch: int, purpose: str) -> BatchWork:
        """A round over some places, in that order."""
        budget = self.budget or output_budget(batch)
        return BatchWork(
            self.question, self.records, places, batch, purpose, budget, forced=self.forced
        )

    def batches(self) -> BatchWork:
        """The first round: every record, in random order."""
        return self.work(self.ordered(), self.batch, "count")

    def ordered(self) -> Places:
        """The usable records in random order."""
        return reading_order(self.records, self.usable, self.seed, "count order")

    def again(self, labelled: Places) -> BatchWork | None:
        """A random share of the labelled records in another order, for a second label."""
        size = max(1, round(self.repeat_share * len(labelled)))
        chosen = reading_order(self.records, labelled, self.seed, "repeat choice")[:size]
        order = reading_order(self.records, chosen, self.seed, "repeat order")
        return self.work(order, self.batch, "repeat") if order.size else None


def first_tally(setup: Setup) -> Tally:
    """A tally in which only the records that cannot be asked about are entered."""
    tally = empty_tally(len(setup.records))
    for place, reason in setup.records.unusable.items():
        tally.status[place] = STATUSES.index("unresolved")
        tally.reasons[place] = reason
    return tally


def alone_work(setup: Setup, tally: Tally) -> BatchWork | None:
    """The second round: each record that was asked and got no label, on its own."""
    if setup.batch == 1:
        return None
    places = np.flatnonzero((tally.round == 0) & (tally.labels < 0)).astype(np.int64)
    return setup.work(places, 1, "alone") if places.size else None


def read_batches(setup: Setup, work: BatchWork | None, out: Path) -> Tally:
    """The tally after the first round."""
    tally = first_tally(setup)
    if work is not None:
        for stored in replies(out / BATCHES, work):
            enter(tally, work, stored, 0)
    return tally


def alone_folder(out: Path, work: BatchWork) -> Path:
    """Where the second round over just these records lies."""
    return _folder_of(out, ALONE, work)


def again_work(setup: Setup, tally: Tally, number: int, which: Again) -> BatchWork | None:
    """A further round: records that were asked and have no label, each on its own once more.

    Args:
        setup: What is asked.
        tally: After the rounds before.
        number: Of this round, from 1.
        which: ``unresolved``, or ``unlabelled``: the refused and the too long ones as well.
    """
    without = (tally.round >= 0) & (tally.labels < 0)
    if which == "unresolved":
        without &= tally.status == STATUSES.index("unresolved")
    places = np.flatnonzero(without).astype(np.int64)
    return setup.work(places, 1, f"{AGAIN}-{number}") if places.size else None


def again_folder(out: Path, work: BatchWork) -> Path:
    """Where a further round over just these records lies."""
    return _folder_of(out, work.purpose, work)


def begun_again(
    setup: Setup, tally: Tally, out: Path, number: int
) -> tuple[BatchWork, Path] | None:
    """The further round of this number, if the folder has it."""
    for which in AGAIN_WORDS:
        work = again_work(setup, tally, number, which)
        if work is not None and (again_folder(out, work) / "run.db").is_file():
            return work, again_folder(out, work)
    return None


def read_again(setup: Setup, tally: Tally, rounds: list[tuple[BatchWork, Path]], out: Path) -> int:
    """Enter the further rounds that the folder has, and add them to ``rounds``.

    Returns:
        The number of the next one.
    """
    number = 1
    while (found := begun_again(setup, tally, out, number)) is not None:
        rounds.append(found)
        read_round(tally, rounds)
        number += 1
    return number


def read_round(tally: Tally, rounds: Sequence[tuple[BatchWork, Path]]) -> None:
    """Enter the last of the rounds."""
    work, folder = rounds[-1]
    for stored in replies(folder, work):
        enter(tally, work, stored, len(rounds) - 1)


def repeat_folder(out: Path, work: BatchWork) -> Path:
    """Where the second labels of just these records lie."""
    return _folder_of(out, REPEAT, work)


def _folder_of(out: Path, name: str, work: BatchWork) -> Path:
    """Other records, after more was read or another share was asked for, get another folder."""
    return out / f"{name}-{hashlib.sha256(work.places.tobytes()).hexdigest()[:8]}"


def stopping_rule(setup: Setup, until_sure: float | None) -> StoppingRule | None:
    """The rule that ends the first round early; None where everything is read."""
    usable = len(setup.usable)
    if until_sure is None or not usable:
        return None
    labels = len(setup.question.labels)
    return StoppingRule(labels, usable, 1 - until_sure, len(setup.records) - usable)


class Prefix:
    """Feeds the stopping rule in the random order, whatever the order of the replies.

    Replies may come back in an order that depends on what they say; a rule fed in that order would
    not be a random sample. So a batch waits until all before it are there.
    """

    def __init__(self, rule: StoppingRule, labels: tuple[str, ...]) -> None:
        self.rule = rule
        self._codes = {label: code for code, label in enumerate(labels)} | {None: -1}
        self._waiting: dict[int, BatchReply] = {}
        self._next = 0

    def take(self, number: int, reply: BatchReply) -> None:
        """Take a finished batch."""
        self._waiting[number] = reply
        while self._next in self._waiting:
            labels = self._waiting.pop(self._next).labels
            codes = np.asarray([self._codes[label] for label in labels], dtype=np.int16)
            self.rule.feed(codes)
            self._next += 1
