"""The user's records: from a list, a frame or a file, kept on disk and read back by place."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from evenhand.errors import UsageError
from evenhand.pools import shows_nothing, stream_table
from evenhand.prompts import fold

Places = npt.NDArray[np.int64]

HASH_BYTES = 32


@dataclass(frozen=True, slots=True)
class Row:
    """One record as it came.

    Attributes:
        place: Where it stands, for messages (``row 3 (line 5)``).
        text: Its text, as it is.
        id: The user's own id; None where there are none, and ``row:3`` stands for it.
        extra: Other columns that were asked for.
    """

    place: str
    text: str
    id: str | None = None
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
        self.unusable: dict[int, str] = {}
        """Place to why a record cannot be asked about at all."""
        starts, hashes, whole = [0], bytearray(), hashlib.sha256()
        ids: dict[str, str] = {}
        for number, row in enumerate(rows, start=1):
            data = row.text.encode("utf-8", "surrogatepass")
            reason = _unusable(row.text)
            if reason is not None:
                self.unusable[number - 1] = reason
            digest = hashlib.sha256(data).digest()
            hashes += digest
            whole.update(digest)
            self._texts.write(data)
            starts.append(starts[-1] + len(data))
            if row.id is not None:
                if not row.id.strip():
                    raise UsageError(
                        f"{source}: {row.place} has no id: fill it in, or name no id column"
                    )
                if row.id in ids:
                    raise UsageError(
                        f"{source}: {ids[row.id]} and {row.place} have the same id "
                        f"{_short(row.id)}: give every row one of its own, or name no id column"
                    )
                ids[row.id] = row.place
            for name, value in row.extra.items():
                column = self.extra.setdefault(name, {})
                if value.strip():
                    column[number - 1] = value.strip()
        if len(starts) == 1:
            raise UsageError(f"{source} has no rows: there is nothing to read")
        self._starts = np.array(starts, dtype=np.int64)
        self._hashes = bytes(hashes)
        self._ids = list(ids)
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
        return self._ids[place] if self._ids else f"row:{place + 1}"

    def text_sha256(self, place: int) -> str:
        """SHA-256 (hex) of the text as it came."""
        return self._hashes[HASH_BYTES * place : HASH_BYTES * (place + 1)].hex()

    def take_for(self, hashes: Sequence[str], unusable: Mapping[int, str]) -> None:
        """Take these records for others of which some texts have been changed since.

        Order and prompts follow from the digest, so replies can still be joined to the records.

        Args:
            hashes: SHA-256 (hex) of every text as it was.
            unusable: Of the records as they were.
        """
        self._hashes = b"".join(bytes.fromhex(each) for each in hashes)
        self.digest = hashlib.sha256(self._hashes).hexdigest()
        self.unusable = dict(unusable)

    def sizes(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Bytes of every text."""
        return np.diff(self._starts)

    def usable(self) -> Places:
        """Places of the records that can be asked about, in file order."""
        listed = np.ones(len(self), dtype=bool)
        listed[list(self.unusable)] = False
        return np.flatnonzero(listed).astype(np.int64)


def _unusable(text: str) -> str | None:
    if shows_nothing(text):
        return "the text is empty" if not text.strip() else "the text shows nothing"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "the text holds half of a surrogate pair, which cannot be sent"
    return None


def _short(word: str) -> str:
    return repr(word if len(word) <= 40 else word[:39] + "…")


@runtime_checkable
class _Lazy(Protocol):
    """A frame that is still to be computed."""

    def collect(self) -> object:
        """The frame."""
        ...


@runtime_checkable
class _Series(Protocol):
    """One column of a Polars or pandas frame."""

    def to_list(self) -> list[object]:
        """Its values."""
        ...

    def __iter__(self) -> Iterator[object]: ...


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
    if isinstance(records, _Lazy):
        records = records.collect()
    if hasattr(records, "columns") and hasattr(records, "__getitem__"):
        return Records(
            _from_frame(records, _needed(text, "a frame"), id_column, columns), "the frame"
        )
    if not isinstance(records, bytes) and isinstance(records, Sequence | np.ndarray | _Series):
        if columns or id_column:
            raise UsageError("a list of texts has no columns: give a frame or a file")
        return Records(_from_list(records), "the list")
    raise UsageError(
        f"records are a {type(records).__name__}: give a list of texts, a Polars or pandas frame, "
        "or a file"
    )


def _needed(text: str | None, what: str) -> str:
    if text is None:
        raise UsageError(f"{what} has columns: name the one with the texts (text, --text COLUMN)")
    return text


def _from_list(texts: Iterable[object]) -> Iterator[Row]:
    for number, value in enumerate(texts, start=1):
        text = value if isinstance(value, str) else "" if is_missing(value) else None
        if text is None:
            raise UsageError(f"record {number} is a {type(value).__name__}, not a text")
        yield Row(f"record {number}", text)


def _from_file(
    path: Path, text: str, id_column: str | None, columns: Sequence[str]
) -> Iterator[Row]:
    wanted = [text, *([] if id_column is None else [id_column]), *columns]
    for row in stream_table(path, wanted):
        yield Row(
            row.place,
            row.values[text],
            None if id_column is None else row.values[id_column],
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
        if names.count(name) > 1:
            raise UsageError(f"the frame has {names.count(name)} columns {name!r}: rename them")
    for number, values in enumerate(zip(*(frame[name] for name in wanted), strict=True), start=1):
        found = dict(
            zip(wanted, (_as_text(value, number, name) for value, name in
                         zip(values, wanted, strict=True)), strict=True)
        )  # fmt: skip
        yield Row(
            f"row {number}",
            found[text],
            None if id_column is None else found[id_column],
            {name: found[name] for name in columns},
        )


def _as_text(value: object, number: int, column: str) -> str:
    """A cell as text; a missing one is the empty text."""
    text = cell_text(value)
    if text is None:
        raise UsageError(
            f"row {number}: column {column!r} holds a {type(value).__name__}, not text"
        )
    return text


def cell_text(value: object) -> str | None:
    """A value as text, a missing one as the empty text; None for what is no text or number."""
    if isinstance(value, str):
        return value
    if is_missing(value):
        return ""
    return str(value) if isinstance(value, bool | int | float) else None


def is_missing(value: object) -> bool:
    """Whether a value stands for none: None, NaN, pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value
