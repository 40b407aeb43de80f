"""What a count will still take: all of it, or, in a folder that was begun, what is left."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from evenhand.counting._assemble import (
    BATCHES,
    Again,
    Prefix,
    Setup,
    again_work,
    alone_folder,
    alone_work,
    read_again,
    read_batches,
    read_round,
    repeat_folder,
    stopping_rule,
)
from evenhand.counting._forecast import Forecast, forecast, if_needed, together
from evenhand.counting._rounds import replies
from evenhand.counting._tally import Tally
from evenhand.counting._work import BatchWork
from evenhand.models import Model
from evenhand.running import RunOptions

ALONE_SAMPLE = 20
"""Records whose own prompts are counted to say what all of them alone would take."""
OUTPUT_A_RECORD = 12
"""Output tokens that an id with its label is expected to take; a model that thinks takes more."""


def ahead(
    setup: Setup,
    model: Model,
    options: RunOptions,
    out: Path,
    until_sure: float | None,
    again: Again | None = None,
) -> Forecast:
    """The batches, the share that is labelled twice, and at worst every open record alone.

    Args:
        setup: What is asked.
        model: Whom.
        options: How.
        out: The count's folder.
        until_sure: As asked for; where that has been reached, no more batches are read.
        again: Which records without a label are asked once more.
    """
    expected = OUTPUT_A_RECORD * setup.batch
    rounds: list[Forecast] = []
    work = setup.batches()
    tally = read_batches(setup, work, out)
    usable = setup.usable
    asked = usable[tally.round[usable] >= 0]
    finished = len(asked) == len(usable) or _is_sure(setup, work, out, until_sure)
    again_from = usable
    if not finished:
        rounds.append(forecast(work, model, options, expected, out / BATCHES))
        without = usable[tally.labels[usable] < 0]
        if setup.batch > 1:
            some = without[:ALONE_SAMPLE]
            alone = forecast(setup.work(some, 1, "alone"), model, options, OUTPUT_A_RECORD)
            rounds.append(if_needed(alone, len(without) / len(some)))
    else:
        again_from = asked
        read: list[tuple[BatchWork, Path]] = [(work, out / BATCHES)]
        left = alone_work(setup, tally)
        if left is not None:
            read.append((left, alone_folder(out, left)))
            rounds.append(forecast(left, model, options, OUTPUT_A_RECORD, read[-1][1]))
            read_round(tally, read)
        if not sum(each.calls for each in rounds):
            again_from = np.flatnonzero(tally.labels >= 0).astype(np.int64)
            rounds += _further(setup, model, options, out, tally, read, again)
    twice = setup.again(again_from) if setup.repeat_share and again_from.size else None
    if twice is not None:
        rounds.append(forecast(twice, model, options, expected, repeat_folder(out, twice)))
    return together(rounds)


def _further(
    setup: Setup,
    model: Model,
    options: RunOptions,
    out: Path,
    tally: Tally,
    read: list[tuple[BatchWork, Path]],
    again: Again | None,
) -> list[Forecast]:
    """Rounds over records without a label: what is left of the last, or else the next one."""
    before = len(read)
    number = read_again(setup, tally, read, out)
    found = [
        forecast(work, model, options, OUTPUT_A_RECORD, folder) for work, folder in read[before:]
    ]
    work = None if again is None else again_work(setup, tally, number, again)
    if work is not None and not sum(each.calls for each in found):
        found.append(forecast(work, model, options, OUTPUT_A_RECORD))
    return found


def _is_sure(setup: Setup, work: BatchWork, out: Path, until_sure: float | None) -> bool:
    rule = stopping_rule(setup, until_sure)
    if rule is None:
        return False
    prefix = Prefix(rule, setup.question.labels)
    for stored in replies(out / BATCHES, work):
        prefix.take(stored.number, stored.reply)
    return rule.winner is not None
