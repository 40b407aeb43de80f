"""A user's own table as a pool: CSV, TSV, JSON Lines or Parquet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand._word import as_word
from evenhand.errors import UsageError
from evenhand.pools._build import PerLabel
from evenhand.pools._instance import Instance, Pool
from evenhand.pools._pool_file import is_pool_file, read_pool
from evenhand.pools._sample import sampled_pool
from evenhand.pools._table_rows import TableRow, read_table
from evenhand.pools._text import one_line, shows_nothing
from evenhand.tasks import Task

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class TableSource:
    """A table, and which of its columns are meant.

    Attributes:
        path: ``.csv`` (comma, semicolon or tab), ``.tsv``, ``.jsonl`` / ``.ndjson`` (also with
            ``.gz``) or ``.parquet``; text files are UTF-8, or UTF-16 with its byte order mark.
            A pool that ``evenhand filter`` wrote is read as it is, whatever the columns.
        text_column: The column of the texts.
        label_column: The column of the gold labels; every value is taken as text.
        id_column: The column of unique ids; None numbers the rows from 1, as ``row:1``.
    """

    path: Path
    text_column: str = "text"
    label_column: str = "label"
    id_column: str | None = None


def table_pool(task: Task, table: TableSource, per_label: PerLabel = None) -> Pool:
    """The pool of a table; every row is an instance, rows with the same text included.

    Args:
        task: The task whose two labels the table carries.
        table: The table.
        per_label: Instances of each label to keep, by hash rank; None or ``"all"`` keeps all.

    Raises:
        UsageError: If the file, a column, a text, a label or an id is not as it should be;
            names file and rows, and what to do.
    """
    if not table.path.is_file():
        raise UsageError(f"no table {table.path}: give a .csv, .tsv, .jsonl or .parquet file")
    pool = read_pool(table.path, task) if is_pool_file(table.path) else _from_rows(task, table)
    return sampled_pool(pool, task.labels, per_label) if isinstance(per_label, int) else pool


def _from_rows(task: Task, table: TableSource) -> Pool:
    wanted = [table.text_column, table.label_column]
    if table.id_column is not None:
        wanted.append(table.id_column)
    rows = read_table(table.path, wanted)
    if not rows:
        raise UsageError(f"{table.path} has no rows")
    instances = _instances(task, table, rows)
    counts = Counter(instance.label for instance in instances)
    return Pool(
        task=task.name,
        name=as_word(table.path.name),
        instances=instances,
        provenance={
            "source": f"table {table.path.name}, text in {table.text_column!r}, "
            f"label in {table.label_column!r}",
            "rows": f"{len(rows):,}",
            "cleaning": "trimmed, line breaks folded; rows with the same text all kept",
            "eligible": "; ".join(f"{label}: {counts[label]:,}" for label in task.labels),
            "sample": "all rows",
        },
    )


def _instances(task: Task, table: TableSource, rows: Sequence[TableRow]) -> tuple[Instance, ...]:
    path = table.path
    texts = [one_line(row.values[table.text_column]) for row in rows]
    labels = [row.values[table.label_column].strip() for row in rows]
    empty = [row for row, text in zip(rows, texts, strict=True) if shows_nothing(text)]
    if empty:
        raise UsageError(
            f"{path}: column {table.text_column!r} is empty, or shows nothing, in "
            f"{_places(empty)}: "
            "fill in the text or take the rows out"
        )
    _check_labels(task, table, rows, labels)
    if table.id_column is None:
        ids = [f"row:{row.number}" for row in rows]
    else:
        ids = [row.values[table.id_column].strip() for row in rows]
        times = Counter(ids)
        wrong = [row for row, id_ in zip(rows, ids, strict=True) if not id_ or times[id_] > 1]
        if wrong:
            raise UsageError(
                f"{path}: column {table.id_column!r} is empty or not unique in {_places(wrong)}: "
                "give every row an id of its own, or name no id column"
            )
    return tuple(
        Instance(id_, text, label) for id_, text, label in zip(ids, texts, labels, strict=True)
    )


def _check_labels(
    task: Task, table: TableSource, rows: Sequence[TableRow], labels: Sequence[str]
) -> None:
    path, column = table.path, table.label_column
    found = sorted(set(labels))
    unknown = [row for row, label in zip(rows, labels, strict=True) if label not in task.labels]
    known = " and ".join(map(repr, task.labels))
    if unknown:
        label = unknown[0].values[column].strip()
        remedy = "correct the rows, or the labels in the task file"
        if len(found) > 2:
            remedy = (
                f"the column holds {len(found):,} labels, and one against all others is not "
                "supported: correct those rows, or leave them out"
            )
        raise UsageError(
            f"{path}: column {column!r} is {label!r} in {_places(unknown)}, and task {task.name} "
            f"knows {known}: {remedy}"
        )
    for label in task.labels:
        if label not in found:
            raise UsageError(
                f"{path}: no row of column {column!r} is {label!r}: an instance set needs both "
                "labels of the task"
            )


def _places(rows: Sequence[TableRow]) -> str:
    shown = ", ".join(row.place for row in rows[:_SHOWN])
    more = f" and {len(rows) - _SHOWN:,} more" if len(rows) > _SHOWN else ""
    return shown + more
