"""Connections to ``run.db``."""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path

from evenhand.errors import EvenhandError, UsageError
from evenhand.running._schema import TABLES

_OURS = frozenset(re.findall(r"CREATE TABLE (\w+)", TABLES))


def refuse_foreign(path: Path) -> None:
    """Refuse a file that is no run store, without writing to it or beside it.

    No file, and a database without tables, are stores that have not begun.

    Raises:
        UsageError: If it is another program's database, or none.
    """
    if not path.exists():
        return
    try:
        logged = path.with_name(f"{path.name}-wal").exists()
        db = connect_reader(path) if logged else _connect_uri(path, "mode=ro&immutable=1")
        try:
            rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        finally:
            db.close()
    except sqlite3.Error as error:
        raise UsageError(
            f"{path} cannot be used as a run store ({error}): move it away, "
            "or choose another folder"
        ) from error
    tables = {str(name) for (name,) in rows}
    if tables and not tables >= _OURS:
        named = ", ".join(sorted(tables - _OURS)[:3]) or "only some of a run's tables"
        raise UsageError(
            f"{path} is not a run store of evenhand: it is a database with {named}: "
            "move it away, or choose another folder"
        )


def unusable(path: Path, error: sqlite3.Error) -> EvenhandError:
    """What a fault of an open store comes to, in words."""
    return EvenhandError(
        f"{path} cannot be read or written ({error}). If the disk is full, make room and run the "
        f"same command again; else the file is damaged: put back a copy of it, or move "
        f"{path.parent} away and run again from the start"
    )


def connect_writer(path: Path) -> sqlite3.Connection:
    """Open for writing.

    A transaction is with the system when it returns: no end of this process, ``kill -9`` included,
    loses it. Waiting for the disk each time would stall every call in flight, so :func:`flush`
    does that, now and then.
    """
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA busy_timeout = 10000")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        db.close()
        raise
    return db


def flush(path: Path, place: tuple[int, int] | None) -> None:
    """Have the disk hold what transactions wrote, so that a power cut loses none of it.

    SQLite keeps its locks on other files, so opening and closing the log here disturbs none.

    Args:
        path: The database.
        place: Of the database, by :func:`place_of`, when it was opened.

    Raises:
        EvenhandError: If the disk fails, or the database was moved or deleted under its run.
    """
    if place_of(path) != place:
        raise EvenhandError(
            f"{path} was moved, replaced or deleted while its run was writing it: no further call "
            "is made. If it was moved, run the same command with the new --out"
        )
    log = path.with_name(f"{path.name}-wal")
    try:
        with log.open("r+b") as file:
            os.fsync(file.fileno())
    except FileNotFoundError:
        return
    except OSError as error:
        raise EvenhandError(
            f"the disk does not take what {log} holds ({error.strerror}): see to it, then run the "
            "same command again"
        ) from error


def place_of(path: Path) -> tuple[int, int] | None:
    """What file stands at a path; None when there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def remove(path: Path) -> None:
    """Remove a closed database with its log."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)


def connect_reader(path: Path) -> sqlite3.Connection:
    """Open without writing; a folder that cannot be written at all has no live writer either."""
    try:
        return _connect_uri(path, "mode=ro")
    except sqlite3.OperationalError:
        return _connect_uri(path, "mode=ro&immutable=1")


def _connect_uri(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"{path.resolve().as_uri()}?{mode}"
    db = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA busy_timeout = 10000")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        db.close()
        raise
    return db
