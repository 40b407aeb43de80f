"""The rounds of one count, run one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from evenhand.counting._assemble import (
    BATCHES,
    ROUNDS,
    Again,
    Prefix,
    Setup,
    again_folder,
    again_work,
    alone_folder,
    alone_work,
    begun_again,
    read_batches,
    read_round,
    repeat_folder,
    stopping_rule,
)
from evenhand.counting._reply import BatchReply
from evenhand.counting._rounds import replies
from evenhand.counting._spending import run_folders, with_spending
from evenhand.counting._tally import Tally
from evenhand.counting._work import BatchWork
from evenhand.models import Model
from evenhand.running import RunOptions, run_async


class Counter:
    """Runs the rounds of one count, and holds what they found.

    Args:
        setup: What is asked.
        model: Whom; it is closed at the end.
        out: The count's folder.
        options: How.
        until_sure: Stop once the majority is certain to this degree; None reads everything.
        gold: Place to hand label.
        again: Which records without a label to ask once more.

    Attributes:
        tally: Every record's label, once :meth:`run` has ended.
        rounds: The rounds that the tally comes from, with their run folders.
        pairs: First and second label, as numbers, of the records labelled twice.
        pending: Batches without an answer.
        message: Why calls ended early, if they did.
        rule: The stopping rule; None where everything is read.
    """

    def __init__(
        self,
        setup: Setup,
        model: Model,
        out: Path,
        options: RunOptions,
        until_sure: float | None,
        gold: Mapping[int, str],
        again: Again | None = None,
    ) -> None:
        self.setup = setup
        self.model = model
        self.out = out
        self.options = options
        self.until_sure = until_sure
        self.gold = gold
        self.again = again
        self.labels = setup.question.labels
        self.rounds: list[tuple[BatchWork, Path]] = []
        self.pairs: list[tuple[int, int]] = []
        self.pending = 0
        self.message: str | None = None
        self.tally: Tally
        self.rule = stopping_rule(setup, until_sure)

    async def run(self) -> None:
        """All rounds; the model is closed at the end."""
        try:
            await self._all()
        finally:
            await self.model.aclose()

    async def _all(self) -> None:
        work = self.setup.batches() if len(self.setup.usable) else None
        if work is not None:
            await self._first(work)
        self.tally = read_batches(self.setup, work, self.out)
        if self.pending:
            return
        alone = alone_work(self.setup, self.tally)
        if alone is not None:
            folder = alone_folder(self.out, alone)
            await self._round(alone, folder)
            read_round(self.tally, self.rounds)
        labelled = np.flatnonzero(self.tally.labels >= 0).astype(np.int64)
        if not self.pending:
            await self._again()
        again = self.setup.again(labelled) if self.setup.repeat_share else None
        if again is not None and not self.pending:
            folder = repeat_folder(self.out, again)
            await self._round(again, folder)
            self._compare(again, folder)

    async def _again(self) -> None:
        """Rounds over records without a label: those begun before, and one more where asked for.

        A round that was broken off is the one that is asked for.
        """
        number, wanted = 1, self.again
        while (found := begun_again(self.setup, self.tally, self.out, number)) is not None:
            work, folder = found
            if sum(1 for _ in replies(folder, work)) < len(work.experiments):
                wanted = None
            await self._round(work, folder)
            read_round(self.tally, self.rounds)
            if self.pending:
                return
            number += 1
        work_ = None if wanted is None else again_work(self.setup, self.tally, number, wanted)
        if work_ is not None:
            await self._round(work_, again_folder(self.out, work_))
            read_round(self.tally, self.rounds)

    async def _first(self, work: BatchWork) -> None:
        folder = self.out / BATCHES
        if self.rule is None:
            await self._round(work, folder)
            return
        rule, prefix = self.rule, Prefix(self.rule, self.labels)
        for stored in replies(folder, work):
            prefix.take(stored.number, stored.reply)

        def hear(number: int, reply: BatchReply) -> str | None:
            prefix.take(number, reply)
            return None if rule.winner is None else f"sure after {rule.called_after:,} records"

        if rule.winner is None:
            await self._round(work.listening(hear), folder)
        else:
            self.rounds.append((work, folder))

    async def _round(self, work: BatchWork, folder: Path) -> None:
        """Run one round; what others of this count have cost counts towards the limit."""
        others = [each for each in self.folders() if each != folder]
        options = with_spending(self.options, others)
        summary = await run_async(work, self.model, folder, options)
        self.rounds.append((work, folder))
        if summary.stop != "decided":
            self.pending += summary.pending
            self.message = self.message or summary.message

    def folders(self) -> list[Path]:
        """Every run folder of this count, those of earlier rounds over other records included."""
        return run_folders(self.out, ROUNDS)

    def _compare(self, again: BatchWork, folder: Path) -> None:
        number = {label: code for code, label in enumerate(self.labels)}
        for stored in replies(folder, again):
            for place, label in zip(
                again.members(stored.number).tolist(), stored.reply.labels, strict=True
            ):
                if label is not None and self.tally.labels[place] >= 0:
                    self.pairs.append((int(self.tally.labels[place]), number[label]))
