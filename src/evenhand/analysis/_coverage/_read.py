"""Everything that one trace says about which instances were read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.analysis._coverage._mentions import Mention, find_mentions, named_ids, ranged_ids
from evenhand.analysis._coverage._numbers import mentioned_ids
from evenhand.analysis._coverage._stated import stated_labels
from evenhand.analysis._coverage._stopping import stopping_point


@dataclass(frozen=True, slots=True)
class TraceReading:
    """One trace, measured.

    Attributes:
        n: Number of instances.
        mentioned: Ids by the paper's measure.
        named: Ids by the strict measure.
        ranged: Ids that a range covers.
        stated: The label stated beside an id.
        stopped_at: The stopping point, by the strict measure.
        mentions: Every strict mention with its place in the text.
    """

    n: int
    mentioned: frozenset[int]
    named: frozenset[int]
    ranged: frozenset[int]
    stated: dict[int, str]
    stopped_at: int
    mentions: tuple[Mention, ...]


def read_trace(text: str | None, n: int, labels: Sequence[str] = ()) -> TraceReading:
    """Measure one trace.

    Args:
        text: The trace, or None.
        n: Number of instances.
        labels: The two labels; without them ``stated`` is empty.
    """
    mentions = find_mentions(text, n)
    named = named_ids(mentions)
    return TraceReading(
        n=n,
        mentioned=frozenset(mentioned_ids(text, n)),
        named=frozenset(named),
        ranged=frozenset(ranged_ids(mentions)),
        stated=stated_labels(text, mentions, labels) if text and labels else {},
        stopped_at=stopping_point(named, n),
        mentions=tuple(mentions),
    )
