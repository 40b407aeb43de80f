"""The user's records: from a list, a frame or a file, kept on disk and read back by place."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np

from evenhand.errors import UsageError
from evenhand.pools import stream_table
from evenhand.prompts import fold

HASH_BYTES = 32


@dataclass(frozen=True, slots=True)
class Row:
    """One record as it came.

    Attributes:
        place: Where it stands, for messages (``row 3 (line 5)``).
        text: Its text, as it is.
        id: The user's own id, or ``row:3``.
        extra: Other columns that were asked for.
    """

    place: str
    text: str
    id: str
    extra: Mapping[str, str] = field(default_factory=dict)


class Records:
    """Records in file order. Texts lie in a temporary file; memory holds 50 bytes or so a record.

    Args:
        rows: The records.
        source: What they came from, for messages and the certificate.
    """

    def __init__(self, rows: Iterable[Row], source: str) -> None:
        self.source = source
        self.extra: dict[str, dict[int, str]] = {}
        self._texts: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as we do
        starts, hashes, whole = [0], bytearray(), hashlib.sha256()
        self._ids: list[str] | None = None
        ids: list[str] = []
        for number, row in enumerate(rows, start=1):
            data = row.text.encode("utf-8", "surrogatepass")
            digest = hashlib.sha256(data).digest()
            hashes += digest
            whole.update(digest)
            self._texts.write(data)
            starts.append(starts[-1] + len(data))
            if row.id != f"row:{number}" or ids:
                if not ids:
                    ids = [f"row:{k}" for k in range(1, number)]
                ids.append(row.id)
            for name, value in row.extra.items():
                column = self.extra.setdefault(name, {})
                if value.strip():
                    column[number - 1] = value.strip()
        if len(starts) == 1:
            raise UsageError(f"{source} has no rows: there is nothing to read")
        self._starts = np.array(starts, dtype=np.int64)
        self._hashes = bytes(hashes)
        self._ids = ids or None
        self.digest = whole.hexdigest()
        """SHA-256 over the SHA-256 of every text, in order."""

    def __len__(self) -> int:
        return len(self._starts) - 1

    def text(self, place: int) -> str:
        """The text of the record at ``place`` (from 0), as it came."""
        start, end = int(self._starts[place]), int(self._starts[place + 1])
        self._texts.seek(start)
        return self._texts.read(end - start).decode("utf-8", "surrogatepass")

    def line(self, place: int) -> str:
        """The text as a prompt shows it: trimmed, on one line."""
        return fold(self.text(place))

    def id(self, place: int) -> str:
        """The record's id."""
        return f"row:{place + 1}" if self._ids is None else self._ids[place]

    def text_sha256(self, place: int) -> str:
        """SHA-256 (hex) of the text as it came."""
        return self._hashes[HASH_BYTES * place : HASH_BYTES * (place + 1)].hex()

    def sizes(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Bytes of every text."""
        return np.diff(self._starts)

    def unusable(self, place: int) -> str | None:
        """Why a record cannot be asked about at all; None where it can."""
        text = self.text(place)
        if not text.strip():
            return "the text is empty"
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            return "the text holds half of a surrogate pair, which cannot be sent"
        return None


def open_records(
    records: object,
    *,
    text: str | None = None,
    id_column: str | None = None,
    columns: Sequence[str] = (),
) -> Records:
    """Records from a path, a list of texts, or a Polars or pandas frame.

    Args:
        records: A CSV, TSV, JSON Lines or Parquet file; texts; or a frame.
        text: The column of the texts, for files and frames.
        id_column: A column of the user's own ids.
        columns: Other columns to keep (gold labels).

    Raises:
        UsageError: If there are no records, or a column, a file or a value is not as it should
            be; names file and row.
    """
    if isinstance(records, str | Path):
        path = Path(records)
        if not path.is_file():
            raise UsageError(f"no file {path}: give a .csv, .tsv, .jsonl or .parquet file")
        return Records(_from_file(path, _needed(text, path.name), id_column, columns), path.name)
    if hasattr(records, "columns") and hasattr(records, "__getitem__"):
        return Records(
            _from_frame(records, _needed(text, "a frame"), id_column, columns), "the frame"
        )
    if isinstance(records, Sequence):
        if columns or id_column:
            raise UsageError("a list of texts has no columns: give a frame or a file")
        return Records(_from_list(records), "the list")
    raise UsageError(
        f"records are a {type(records).__name__}: give a list of texts, a Polars or pandas frame, "
        "or a file"
    )


def _needed(text: str | None, what: str) -> str:
    if text is None:
        raise UsageError(f"{what} has columns: name the one with the texts (--text COLUMN)")
    return text


def _from_list(texts: Sequence[object]) -> Iterator[Row]:
    for number, value in enumerate(texts, start=1):
        if not isinstance(value, str):
            raise UsageError(f"record {number} is a {type(value).__name__}, not a text")
        yield Row(f"record {number}", value, f"row:{number}")


def _from_file(
    path: Path, text: str, id_column: str | None, columns: Sequence[str]
) -> Iterator[Row]:
    wanted = [text, *([] if id_column is None else [id_column]), *columns]
    for row in stream_table(path, wanted):
        yield Row(
            row.place,
            row.values[text],
            f"row:{row.number}" if id_column is None else row.values[id_column],
            {name: row.values[name] for name in columns},
        )


def _from_frame(
    frame: Any, text: str, id_column: str | None, columns: Sequence[str]
) -> Iterator[Row]:
    names = [str(name) for name in frame.columns]
    wanted = [text, *([] if id_column is None else [id_column]), *columns]
    for name in wanted:
        if name not in names:
            raise UsageError(f"the frame has no column {name!r}; it has {', '.join(names)}")
    for number, values in enumerate(zip(*(frame[name] for name in wanted), strict=True), start=1):
        found = dict(
            zip(wanted, (_as_text(value, number, name) for value, name in
                         zip(values, wanted, strict=True)), strict=True)
        )  # fmt: skip
        yield Row(
            f"row {number}",
            found[text],
            f"row:{number}" if id_column is None else found[id_column],
            {name: found[name] for name in columns},
        )


def _as_text(value: object, number: int, column: str) -> str:
    """A cell as text; a missing one (None, NaN, pandas' NA) is the empty text."""
    if isinstance(value, str):
        return value
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return ""
    if isinstance(value, bool | int | float):
        return str(value)
    raise UsageError(f"row {number}: column {column!r} holds a {type(value).__name__}, not text")
