"""The rows of a table file, every value as text, with the place of each row.

Rows are streamed: a file of any size is read in bounded memory.
"""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import UsageError
from evenhand.pools._json_lines import stream_json_lines

LONGEST_FIELD = 2**31 - 1
_SLICE = 10_000


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
    """The rows of :func:`stream_table` as a list."""
    return list(stream_table(path, columns))


def stream_table(path: Path, columns: Sequence[str]) -> Iterator[TableRow]:
    """Read the named columns of a table, row by row.

    Labels such as ``NA``, ``1`` or ``TRUE`` stay the text that they are. A number or truth value
    of JSON Lines or Parquet becomes text as JSON writes it; a missing value is the empty text.

    Raises:
        UsageError: If the file's kind is unknown, it is damaged, or a column is missing or
            holds something that is not text, a number or a truth value.
    """
    for suffixes, read in _READERS:
        if path.name.lower().endswith(suffixes):
            return read(path, columns)
    known = ", ".join(suffix for suffixes, _ in _READERS for suffix in suffixes)
    raise UsageError(f"{path}: cannot tell what kind of table this is: save it as one of {known}")


def _csv_rows(path: Path, columns: Sequence[str]) -> Iterator[TableRow]:
    return _delimited(path, _delimiter(path, columns), columns)


def _tsv_rows(path: Path, columns: Sequence[str]) -> Iterator[TableRow]:
    return _delimited(path, "\t", columns)


@contextmanager
def _text_lines(path: Path) -> Iterator[Iterator[str]]:
    """The file's lines, decoded; long fields allowed while they are read."""
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        with path.open("rb") as file:
            start = file.read(2)
        utf16 = start in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
        with path.open(encoding="utf-16" if utf16 else "utf-8-sig", newline="") as text:
            yield text
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path}, line {_undecodable_line(path)}: not UTF-8 text ({error.reason}): "
            "save it as CSV UTF-8"
        ) from error
    finally:
        csv.field_size_limit(before)


def _undecodable_line(path: Path) -> int:
    """The first line that is not UTF-8; no byte of a longer character is a line feed."""
    number = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return number


def _delimiter(path: Path, columns: Sequence[str]) -> str:
    """The delimiter under which the header names most of the columns; a comma when none does."""

    def named(delimiter: str) -> tuple[int, int]:
        with _text_lines(path) as lines:
            header = next(csv.reader(lines, delimiter=delimiter), [])
        return sum(column in header for column in columns), len(header)

    return max(",;\t", key=named)


def _delimited(path: Path, delimiter: str, columns: Sequence[str]) -> Iterator[TableRow]:
    header: list[str] = []
    number, line, blank = 0, 1, list[int]()
    try:
        with _text_lines(path) as lines:
            reader = csv.reader(lines, delimiter=delimiter, strict=True)
            for fields in reader:
                first_line, line = line, reader.line_num + 1
                if not fields:
                    # Among rows of one column this is an empty field; at the end it is nothing.
                    blank += [first_line] if len(header) == 1 else []
                    continue
                if not header:
                    header = fields
                    _check_header(path, header, columns)
                    continue
                for empty in blank:
                    number += 1
                    yield TableRow(number, f"row {number} (line {empty})", {header[0]: ""})
                blank.clear()
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
    for number, (line, record) in enumerate(stream_json_lines(path), start=1):
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
        scan = pl.scan_parquet(path).select(list(dict.fromkeys(columns)))
        rows = scan.select(pl.len()).collect().item()
        for start in range(0, rows, _SLICE):
            frame = scan.slice(start, _SLICE).collect()
            for number, record in enumerate(frame.iter_rows(named=True), start=start + 1):
                place = f"row {number}"
                values = {name: _as_text(record[name], path, place, name) for name in columns}
                yield TableRow(number, place, values)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UsageError(f"{path}: not a readable Parquet file ({error})") from error


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
        f"{', '.join(map(repr, columns)) or 'none'}: say which one is meant (--text-column with "
        "--pool, --text with count and audit)"
    )


_Reader = Callable[[Path, Sequence[str]], Iterator[TableRow]]
_READERS: tuple[tuple[tuple[str, ...], _Reader], ...] = (
    ((".csv",), _csv_rows),
    ((".tsv",), _tsv_rows),
    ((".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"), _json_rows),
    ((".parquet",), _parquet_rows),
)
