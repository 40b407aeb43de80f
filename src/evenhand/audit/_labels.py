"""Labels that are known of the records, for the patterns and for simulated readers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence

from evenhand.counting import Records, read_label
from evenhand.errors import UsageError

Gold = str | Iterable[object] | None


def read_labels(gold: Gold, rows: Records, words: Sequence[str]) -> dict[int, str] | None:
    """Place (from 0) to label, of the records that have one; None where no labels are named.

    Args:
        gold: The name of a column of the records, or a list (or a frame's column) with a label for
            every record.
        rows: All records.
        words: The question's labels; empty where any label will do.

    Raises:
        UsageError: If a label is not one of the question's, or a list has another length.
    """
    if gold is None:
        return None
    if isinstance(gold, str):
        origin, listed = f"{rows.source}, column {gold!r}", rows.extra.get(gold, {})
    else:
        origin, listed = "gold", _from_list(gold, len(rows))
    found = {}
    for place, word in listed.items():
        label = read_label(word, words) if words else word
        if label is None:
            raise UsageError(
                f"{origin}: row {place + 1} is {word!r}, which is none of {', '.join(words)}: "
                "correct it, or leave gold out (--gold)"
            )
        found[place] = label
    return found


def gold_words(gold: Gold, known: Mapping[int, str] | None) -> str:
    """What tells two audits with different labels apart: the column, or a hash of the list."""
    if gold is None or isinstance(gold, str):
        return gold or ""
    listed = json.dumps(sorted((known or {}).items()), ensure_ascii=False)
    return hashlib.sha256(listed.encode()).hexdigest()


def _from_list(gold: Iterable[object], records: int) -> dict[int, str]:
    if isinstance(gold, bytes | Mapping) or not isinstance(gold, Iterable):
        raise UsageError(
            f"gold is a {type(gold).__name__}: give the name of a column, or a list with a label "
            "for every record"
        )
    values = list(gold)
    if len(values) != records:
        raise UsageError(
            f"gold lists {len(values):,} labels for {records:,} records: give one for every record"
        )
    found = {}
    for place, value in enumerate(values):
        # None, NaN (which is not equal to itself) and pandas' NA are cells without a label.
        if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
            continue
        if str(value).strip():
            found[place] = str(value).strip()
    return found
