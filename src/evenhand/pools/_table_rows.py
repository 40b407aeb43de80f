"""The rows of a table file, every value as text, with the place of each row."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import UsageError
from evenhand.pools._json_lines import json_lines, read_bytes


@dataclass(frozen=True, slots=True)
class TableRow:
    """One record.

    Attributes:
        number: Its number among the records, from 1.
        place: The same in words, with the line of a text file (``row 3 (line 5)``).
        values: The wanted columns, as text.
    """

    number: int
    place: str
    values: Mapping[str, str]


def read_table(path: Path, columns: Sequence[str]) -> list[TableRow]:
    """Read the named columns of a table.

    Labels such as ``NA``, ``1`` or ``TRUE`` stay the text that they are. A number or truth value
    of JSON Lines or Parquet becomes text as JSON writes it; a missing value is the empty text.

    Raises:
        UsageError: If the file's kind is unknown, it is damaged, or a column is missing or
            holds something that is not text, a number or a truth value.
    """
    for suffixes, read in _READERS:
        if path.name.lower().endswith(suffixes):
            return list(read(path, columns))
    known = ", ".join(suffix for suffixes, _ in _READERS for suffix in suffixes)
    raise UsageError(f"{path}: cannot tell what kind of table this is: save it as one of {known}")


def _csv_rows(path: Path, columns: Sequence[str]) -> Iterator[TableRow]:
    text = _decoded(path)
    return _delimited(path, text, _delimiter(text, columns), columns)


def _tsv_rows(path: Path, columns: Sequence[str]) -> Iterator[TableRow]:
    return _delimited(path, _decoded(path), "\t", columns)


def _decoded(path: Path) -> str:
    content = read_bytes(path)
    utf16 = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return content.decode("utf-16" if utf16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UsageError(
            f"{path}, line {line}: not UTF-8 text ({error.reason}): save it as CSV UTF-8"
        ) from error


def _delimiter(text: str, columns: Sequence[str]) -> str:
    """The delimiter under which the header names most of the columns; a comma when none does."""

    def named(delimiter: str) -> tuple[int, int]:
        header = next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), [])
        return sum(column in header for column in columns), len(header)

    return max(",;\t", key=named)


def _delimited(path: Path, text: str, delimiter: str, columns: Sequence[str]) -> Iterator[TableRow]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    number, line = 0, 1
    try:
        for fields in reader:
            first_line, line = line, reader.line_num + 1
            if not fields:
                continue
            if not header:
                header = fields
                _check_header(path, header, columns)
                continue
            number += 1
            place = f"row {number} (line {first_line})"
            if len(fields) != len(header):
                raise UsageError(
                    f"{path}, {place}: {len(fields)} fields and the header has {len(header)}: "
                    "put quotes around a text that holds the delimiter or a line break"
                )
            record = dict(zip(header, fields, strict=True))
            yield TableRow(number, place, {column: record[column] for column in columns})
    except csv.Error as error:
        raise UsageError(
            f"{path}, from line {line}: not readable as CSV ({error}): is a quote left open?"
        ) from error
    if not header:
        raise UsageError(f"{path} is empty: the first line must name the columns")


def _check_header(path: Path, header: Sequence[str], columns: Sequence[str]) -> None:
    for column in columns:
        if column not in header:
            raise UsageError(_no_column(path, column, header))
        if header.count(column) > 1:
            raise UsageError(f"{path}: {header.count(column)} columns are called {column!r}")


def _json_rows(path: Path, columns: Sequence[str]) -> Iterator[TableRow]:
    rows = json_lines(read_bytes(path), path)
    for number, (line, record) in enumerate(rows, start=1):
        place = f"row {number} (line {line})"
        for column in columns:
            if column not in record:
                raise UsageError(f"{place} of {_no_column(path, column, list(record))}")
        values = {column: _as_text(record[column], path, place, column) for column in columns}
        yield TableRow(number, place, values)


def _parquet_rows(path: Path, columns: Sequence[str]) -> Iterator[TableRow]:
    import polars as pl

    try:
        names = list(pl.read_parquet_schema(path))
        for column in columns:
            if column not in names:
                raise UsageError(_no_column(path, column, names))
        frame = pl.read_parquet(path, columns=list(dict.fromkeys(columns)))
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UsageError(f"{path}: not a readable Parquet file ({error})") from error
    for number, record in enumerate(frame.iter_rows(named=True), start=1):
        place = f"row {number}"
        values = {column: _as_text(record[column], path, place, column) for column in columns}
        yield TableRow(number, place, values)


def _as_text(value: object, path: Path, place: str, column: str) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    raise UsageError(f"{path}, {place}: column {column!r} holds a {type(value).__name__}, not text")


def _no_column(path: Path, column: str, columns: Sequence[str]) -> str:
    return (
        f"{path}: no column {column!r}; the columns there are: "
        f"{', '.join(map(repr, columns)) or 'none'}"
    )


_Reader = Callable[[Path, Sequence[str]], Iterator[TableRow]]
_READERS: tuple[tuple[tuple[str, ...], _Reader], ...] = (
    ((".csv",), _csv_rows),
    ((".tsv",), _tsv_rows),
    ((".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"), _json_rows),
    ((".parquet",), _parquet_rows),
)
