"""Connections to ``run.db``."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path


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


def flush(path: Path) -> None:
    """Have the disk hold what transactions wrote, so that a power cut loses none of it.

    SQLite keeps its locks on other files, so opening and closing the log here disturbs none.
    """
    log = path.with_name(f"{path.name}-wal")
    try:
        with log.open("r+b") as file:
            os.fsync(file.fileno())
    except FileNotFoundError:
        return


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
