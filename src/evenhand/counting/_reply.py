"""From the reply to a batch to one label for each id, and why an id got none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evenhand.counting._question import read_label
from evenhand.outcomes import visible_parts, was_cut, was_filtered

MOST_BROKEN = 200
"""A reply with more false starts of JSON than this is not read any further."""
_ID, _LABEL = "id", "label"


@dataclass(frozen=True, slots=True)
class BatchReply:
    """What a reply says.

    Attributes:
        labels: For each id of the batch, in order, its label or None.
        reasons: For each id, why it has none; None where it has one.
        unknown: Ids in the reply that the batch does not hold.
        outcome: ``labelled`` (at least one), ``unresolved``, ``refused`` or ``too long``.
    """

    labels: tuple[str | None, ...]
    reasons: tuple[str | None, ...]
    unknown: int = 0
    outcome: str = "labelled"


@dataclass(frozen=True, slots=True)
class _Object:
    """A JSON object with its keys as written, doubled ones included."""

    pairs: tuple[tuple[str, object], ...]


def read_reply(
    text: str, ids: Sequence[str], labels: Sequence[str], finish_reason: str | None = "stop"
) -> BatchReply:
    """Join a reply to the records by id.

    Read are: one JSON object of ids and labels, or a list (or lines) of objects with ``id`` and
    ``label``; the last such value of the reply counts, outside closed reasoning tags. An id that
    comes twice, even with the same label, or with something that is no label, gets none. A reply
    that was cut off gives none at all: what is left of it may be a draft.
    """
    if was_filtered(finish_reason):
        return _nothing(ids, "the provider's filter stopped the reply", "refused")
    if was_cut(finish_reason):
        return _nothing(ids, "the reply was cut off", "too long")
    pairs = _pairs(text, frozenset(ids))
    if pairs is None:
        return _nothing(ids, "the reply holds no JSON with an id of the batch", "unresolved")
    said: dict[str, list[object]] = {}
    for id_, value in pairs:
        said.setdefault(id_, []).append(value)
    found: list[str | None] = []
    reasons: list[str | None] = []
    for id_ in ids:
        values = said.get(id_, [])
        label = read_label(values[0], labels) if len(values) == 1 else None
        found.append(label)
        if label is not None:
            reasons.append(None)
        elif not values:
            reasons.append("its id is missing from the reply")
        elif len(values) > 1:
            reasons.append(f"its id comes {len(values)} times in the reply")
        else:
            reasons.append(f"the reply gives it {_shown(values[0])}, which is no label")
    done = any(label is not None for label in found)
    return BatchReply(
        tuple(found),
        tuple(reasons),
        unknown=len(said.keys() - set(ids)),
        outcome="labelled" if done else "unresolved",
    )


def _nothing(ids: Sequence[str], reason: str, outcome: str) -> BatchReply:
    return BatchReply((None,) * len(ids), (reason,) * len(ids), outcome=outcome)


def _pairs(text: str, ids: frozenset[str]) -> list[tuple[str, object]] | None:
    """Ids and values of the last JSON value that holds a known id; None if there is none.

    Objects of one record each that follow each other, as JSON Lines, are one value.
    """
    for part in reversed(visible_parts(text)):
        found: list[tuple[str, object]] | None = None
        single_before = False
        for value in _values(part):
            pairs, single = _read_value(value)
            if not any(id_ in ids for id_, _ in pairs):
                single_before = False
                continue
            if single and single_before and found is not None:
                found += pairs
            else:
                found = pairs
            single_before = single
        if found is not None:
            return found
    return None


def _read_value(value: object) -> tuple[list[tuple[str, object]], bool]:
    """Ids with values, and whether it is one record's object."""
    if isinstance(value, list):
        return [pair for each in value for pair in _read_value(each)[0]], False
    if not isinstance(value, _Object):
        return [], False
    keys = [key for key, _ in value.pairs]
    if sorted(keys) == [_ID, _LABEL]:
        named = dict(value.pairs)
        return [(str(named[_ID]), named[_LABEL])], True
    if len(value.pairs) == 1 and isinstance(value.pairs[0][1], _Object | list):
        return _read_value(value.pairs[0][1])
    return list(value.pairs), False


def _values(text: str) -> Iterator[object]:
    """The outermost JSON objects and arrays of a text, in order."""
    decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: _Object(tuple(pairs)))
    at = broken = 0
    while broken < MOST_BROKEN:
        starts = [start for start in (text.find("{", at), text.find("[", at)) if start >= 0]
        if not starts:
            return
        start = min(starts)
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at, broken = start + 1, broken + 1
            continue
        yield value


def _shown(value: object) -> str:
    word = value if isinstance(value, str) else "something"
    return repr(word if len(word) <= 40 else word[:37] + "...")
