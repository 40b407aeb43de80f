"""How many records go into a batch, in which order, and with how much room to answer."""

from __future__ import annotations

import numpy as np

from evenhand._rank import first_ranked, rank_part
from evenhand.counting._named import named
from evenhand.counting._records import Places, Records
from evenhand.errors import UsageError

MOST_RECORDS = 40
BATCH_BYTES = 8_000
ROOM, ROOM_A_RECORD = 4_000, 40
ALONE_ROOM = ROOM + ROOM_A_RECORD


def choose_batch(records: Records, batch: int | None, *, forced: bool) -> int:
    """Records a batch.

    The rule when none is given: as many records of mean length as fit into 8,000 bytes, about
    2,000 tokens, at least 1 and at most 40. Short batches keep each record's judgement clean;
    from 40 on the instructions are a small part of the prompt. A forced choice takes one.

    Raises:
        UsageError: For a batch below 1, or above 1 with a forced choice.
    """
    if forced:
        if batch not in (None, 1):
            raise UsageError(
                f"{named('batch')} is {batch}: a forced choice compares the labels of one record "
                "at a time"
            )
        return 1
    if batch is not None:
        if batch < 1:
            raise UsageError(f"{named('batch')} is {batch}: a batch holds at least one record")
        return batch
    mean = max(float(records.sizes().mean()), 1.0)
    return max(1, min(MOST_RECORDS, int(BATCH_BYTES / mean)))


def reading_order(records: Records, places: Places, seed: int, purpose: str) -> Places:
    """The places in random order, by hash rank of the seed, the records and the place."""
    listed = places.tolist()
    parts = [rank_part(place) for place in listed]
    ranked = first_ranked(len(listed), purpose, seed, records.digest, last=parts)
    return places[np.asarray(ranked, dtype=np.int64)]


def output_budget(batch: int) -> int:
    """Output tokens allowed a batch: 4,000 to think, and 40 for each record."""
    return ROOM + ROOM_A_RECORD * batch
