"""Connections to ``run.db``."""

from __future__ import annotations

import sqlite3
from pathlib import Path


def connect_writer(path: Path) -> sqlite3.Connection:
    """Open for writing; what a transaction wrote is on disk when it returns."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        db.execute("PRAGMA busy_timeout = 10000")
        db.execute("PRAGMA journal_mode = WAL")
        # FULL, not WAL's usual NORMAL: a reply that was paid for survives a power cut too.
        db.execute("PRAGMA synchronous = FULL")
    except BaseException:
        db.close()
        raise
    return db


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
