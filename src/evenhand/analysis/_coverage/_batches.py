"""Work on a table with long texts, shared between processes where that pays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

import polars as pl

from evenhand.errors import EvenhandError, UsageError

ROWS = 25
WORTH_PROCESSES = 4_000_000
"""Characters of traces: below, starting a process takes longer than reading them."""

Work = Callable[[pl.DataFrame, Sequence[Sequence[str]]], pl.DataFrame]


def in_batches(
    work: Work, table: pl.DataFrame, beside: Sequence[Sequence[str]], processes: int
) -> list[pl.DataFrame]:
    """``work`` on successive rows of a table, results in the table's order.

    Args:
        work: A function of a module: from some rows and what stands beside them to a frame.
        table: Has a text column ``reasoning``.
        beside: Something for each row.
        processes: The most to use, this one alone if the texts are short.

    Raises:
        UsageError: If ``processes`` is not positive.
        EvenhandError: If a process was killed, most likely for its memory.
    """
    if processes < 1:
        raise UsageError(f"processes = {processes}: use one at least")
    starts = range(0, table.height, ROWS)
    tables = (table.slice(start, ROWS) for start in starts)
    parts = (beside[start : start + ROWS] for start in starts)
    characters = int(table["reasoning"].str.len_bytes().sum())
    count = min(processes, len(starts))
    if count < 2 or characters < WORTH_PROCESSES:
        return [work(some, part) for some, part in zip(tables, parts, strict=True)]
    # Forked processes would inherit polars' locks in whatever state they are: start afresh.
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        try:
            return list(pool.map(work, tables, parts))
        except BrokenProcessPool as error:
            raise EvenhandError(
                f"one of {count} processes that read the traces was ended from outside, perhaps "
                "for want of memory: try fewer"
            ) from error
