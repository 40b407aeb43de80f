"""Reading JSON Lines, gzip or plain, with the file and row in every complaint."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from evenhand.errors import UsageError

JsonRow = dict[str, object]


def read_bytes(path: Path) -> bytes:
    """The file's bytes.

    Raises:
        UsageError: If it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def json_lines(content: bytes, origin: Path) -> Iterator[tuple[int, JsonRow]]:
    """The objects of a JSON Lines file with their line numbers, counted from 1; blank lines pass.

    Args:
        content: The file's bytes, gzip or plain UTF-8 (a byte order mark is allowed).
        origin: The file's name, for messages.

    Raises:
        UsageError: If the gzip stream is damaged or cut off, or a line is not a JSON object.
    """
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise UsageError(
                f"{origin}: the gzip file is damaged or cut off ({error}): get it again"
            ) from error
    return _records(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), origin)


def stream_json_lines(path: Path) -> Iterator[tuple[int, JsonRow]]:
    """The same of a file, read line by line.

    Raises:
        UsageError: As :func:`json_lines`, or if the file cannot be read.
    """
    try:
        with path.open("rb") as plain:
            zipped = plain.read(2) == b"\x1f\x8b"
            plain.seek(0)
            with gzip.open(plain) if zipped else plain as lines:
                yield from _records(_without_mark(lines), path)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise UsageError(
            f"{path}: the gzip file is damaged or cut off ({error}): get it again"
        ) from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or error}") from error


def _without_mark(lines: Iterable[bytes]) -> Iterator[bytes]:
    for number, line in enumerate(lines):
        yield line if number else line.removeprefix(b"\xef\xbb\xbf")


def _records(lines: Iterable[bytes], origin: Path) -> Iterator[tuple[int, JsonRow]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=_each_once)
            if b"\\ud" in line.lower():
                json.dumps(record, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{origin}, line {number}: half a surrogate pair "
                f"(\\u{ord(error.object[error.start]):04x}), which is no character: take it out, "
                "or write the whole pair"
            ) from error
        except UnicodeDecodeError as error:
            raise UsageError(
                f"{origin}, line {number}: not UTF-8 text ({error.reason}): save it as UTF-8"
            ) from error
        except json.JSONDecodeError as error:
            raise UsageError(
                f"{origin}, line {number}: not valid JSON ({error.msg} at character "
                f"{error.pos + 1}): correct the line, or get the file again"
            ) from error
        except _TwiceError as error:
            raise UsageError(
                f"{origin}, line {number}: two fields are called {error.args[0]!r}: keep one"
            ) from error
        except (ValueError, RecursionError) as error:
            # Python reads neither a number of thousands of digits nor brackets thousands deep.
            raise UsageError(
                f"{origin}, line {number}: JSON that cannot be read ({error}): correct the line"
            ) from error
        if not isinstance(record, dict):
            raise UsageError(
                f"{origin}, line {number}: not a JSON object with named columns: "
                'write one record a line, as {"column": value, ...}'
            )
        yield number, record


class _TwiceError(Exception):
    """A JSON object names a field twice; its argument is the field."""


def _each_once(pairs: list[tuple[str, object]]) -> JsonRow:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(next(name for name in names if names.count(name) > 1))
    return record
