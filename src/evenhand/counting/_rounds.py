"""The rounds of a count: their replies, read back from the run store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from evenhand.counting._reply import BatchReply
from evenhand.counting._tally import STATUSES, Tally
from evenhand.counting._work import BatchWork
from evenhand.running import RunStore

_REPLIES = """
    SELECT e.set_seed, o.attempt, a.text, a.finish_reason, a.forced_label, a.margin
    FROM outcomes AS o
    JOIN experiments AS e ON e.id = o.experiment_id
    JOIN attempts AS a ON a.experiment_id = e.id AND a.attempt = o.attempt AND a.stage = 2
    ORDER BY e.position LIMIT ? OFFSET ?
"""
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class StoredReply:
    """The reply that decided a batch."""

    number: int
    attempt: int
    reply: BatchReply
    margin: float | None


def replies(folder: Path, work: BatchWork) -> Iterator[StoredReply]:
    """The finished batches of a round, in the order of asking; nothing if it has not begun."""
    if not (folder / "run.db").is_file():
        return
    with RunStore(folder) as store:
        start = 0
        while rows := store.rows(_REPLIES, (_AT_ONCE, start)):
            start += len(rows)
            for number, attempt, text, finish, forced, margin in rows:
                yield StoredReply(number, attempt, work.read(number, text, finish, forced), margin)


def enter(tally: Tally, work: BatchWork, stored: StoredReply, round_: int) -> None:
    """Enter a batch's labels; a record that has one keeps it."""
    code = {label: at for at, label in enumerate(work.question.labels)}
    failed = STATUSES.index(
        "unresolved" if stored.reply.outcome == "labelled" else stored.reply.outcome
    )
    members = work.members(stored.number).tolist()
    for position, place in enumerate(members, start=1):
        label, reason = stored.reply.labels[position - 1], stored.reply.reasons[position - 1]
        if tally.labels[place] >= 0:
            continue
        tally.round[place], tally.batch[place] = round_, stored.number
        tally.position[place], tally.attempt[place] = position, stored.attempt
        if label is None:
            tally.status[place] = failed
            tally.reasons[place] = reason or "no label"
        else:
            tally.labels[place], tally.status[place] = code[label], 0
            tally.reasons.pop(place, None)
            if stored.margin is not None:
                tally.margin[place] = stored.margin


def in_a_loop(work: Callable[[], Coroutine[None, None, None]]) -> None:
    """Run a coroutine function to its end, also from inside a running loop (notebooks)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work())
        return
    with ThreadPoolExecutor(max_workers=1) as pool:
        pool.submit(lambda: asyncio.run(work())).result()
