"""Hand-checked labels: a column of the same table, a file with row numbers, or a mapping."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from evenhand.counting._named import named
from evenhand.counting._question import Question, read_label
from evenhand.counting._records import Records, cell_text
from evenhand.errors import UsageError
from evenhand.pools import stream_table

GOLD_SUFFIXES = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
Gold = str | Path | Mapping[int, str] | Iterable[object] | None


def gold_column(gold: Gold) -> str | None:
    """The column that ``gold`` names, unless it is a file or a mapping."""
    if isinstance(gold, str) and not gold.lower().endswith(GOLD_SUFFIXES):
        return gold
    return None


def read_gold(gold: Gold, records: Records, question: Question) -> dict[int, str]:
    """Place (from 0) to hand label, of the records that have one.

    Args:
        gold: The name of a column of the records; a file with columns ``row`` (numbered from 1)
            and ``label``; a mapping of row number to label; a list as long as the records, with
            None where nothing was checked; or None.
        records: All records.
        question: Whose labels.

    Raises:
        UsageError: If a label is not one of the question's, or there is no such row.
    """
    if gold is None:
        return {}
    column = gold_column(gold)
    if column is not None:
        found = {place + 1: word for place, word in records.extra.get(column, {}).items()}
        origin = f"{records.source}, column {column!r}"
    elif isinstance(gold, Mapping):
        found, origin = dict(gold), "the hand labels"
    elif not isinstance(gold, str | Path):
        found, origin = _from_list(gold, len(records)), "the hand labels"
    else:
        path = Path(gold)
        if not path.is_file():
            raise UsageError(
                f"no file {path}: {named('gold')} takes a column of the table, or a file"
            )
        found, origin = _from_file(path), path.name
    labels: dict[int, str] = {}
    for row, word in found.items():
        if not 1 <= row <= len(records):
            raise UsageError(f"{origin}: there is no row {row}: rows are 1 to {len(records):,}")
        label = read_label(word, question.labels)
        if label is None:
            raise UsageError(
                f"{origin}: row {row} is {word!r}, which is none of "
                f"{', '.join(question.labels)}: correct it or leave it empty"
            )
        labels[row - 1] = label
    if not labels:
        raise UsageError(f"{origin}: no row has a hand label")
    return labels


def _from_list(gold: object, records: int) -> dict[int, str]:
    if isinstance(gold, bytes) or not isinstance(gold, Iterable):
        raise UsageError(
            f"{named('gold')} is a {type(gold).__name__}: give a column, a file, a mapping of row "
            "number to label, or a list as long as the records, with None for the unchecked"
        )
    values = list(gold)
    if len(values) != records:
        raise UsageError(
            f"{named('gold')} lists {len(values):,} labels for {records:,} records: give one for "
            "each, None for those that were not checked"
        )
    words = {row: cell_text(value) for row, value in enumerate(values, start=1)}
    strange = next((row for row, word in words.items() if word is None), None)
    if strange is not None:
        raise UsageError(
            f"{named('gold')}: entry {strange} is a {type(values[strange - 1]).__name__}, no label"
        )
    return {row: word.strip() for row, word in words.items() if word and word.strip()}


def _from_file(path: Path) -> dict[int, str]:
    found: dict[int, str] = {}
    for each in stream_table(path, ["row", "label"]):
        word = each.values["row"].strip()
        if not (word.isascii() and word.isdecimal()):
            raise UsageError(f"{path}, {each.place}: row {word!r} is not a row number")
        if int(word) in found:
            raise UsageError(f"{path}, {each.place}: row {word} comes twice")
        found[int(word)] = each.values["label"].strip()
    return {row: label for row, label in found.items() if label}
