"""Replays on disk: one row each, written as soon as it is computed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType

import numpy as np

from evenhand.attribution._work import Outcome
from evenhand.errors import UsageError
from evenhand.running._connect import connect_reader, unusable

DATABASE = "attribution.db"
FORMAT = 2
"""Kept in SQLite's ``user_version``; a store of another format is not read."""
_TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE replays (
    experiment_id TEXT PRIMARY KEY,
    reason TEXT,
    score REAL,
    first_log_probability REAL,
    second_log_probability REAL,
    tokens INTEGER,
    straddling INTEGER,
    over INTEGER,
    seconds REAL NOT NULL,
    majority BLOB NOT NULL,
    share BLOB NOT NULL,
    push BLOB NOT NULL
);
"""
"""``share`` and ``push`` are float32, little endian, not-a-number where there is none; ``majority``
is one byte an instance: 0, 1, or 255 where its label is unknown. ``over`` is the ``--max-tokens``
that left a replay out."""
_UNKNOWN = 255


class ReplayStore:
    """The replays of one run by one model.

    As a context manager it turns a fault of the database into an error that names the remedy.
    """

    def __init__(self, folder: Path, *, write: bool = False) -> None:
        """Open, or begin where ``write``.

        Raises:
            UsageError: If there is nothing to read, or another version wrote it.
            EvenhandError: If the file cannot be read or written.
        """
        self.path = folder / DATABASE
        if not write and not holds_replays(folder):
            raise UsageError(
                f"no attribution in {folder}: run evenhand attribute RUN --model hf/MODEL first"
            )
        try:
            # Autocommit: each statement below is a transaction of its own.
            connected = sqlite3.connect(self.path, isolation_level=None) if write else None
            self._db = connected or connect_reader(self.path)
        except sqlite3.Error as error:
            raise unusable(self.path, error) from error
        try:
            if write and not self._db.execute("SELECT name FROM sqlite_master").fetchone():
                self._db.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {FORMAT}; COMMIT;")
            [found] = self._db.execute("PRAGMA user_version").fetchone()
            if found != FORMAT:
                raise UsageError(
                    f"{self.path} was written by another version of evenhand: use that version, "
                    "or choose another --out"
                )
        except BaseException as error:
            self._db.close()
            if isinstance(error, sqlite3.Error):
                raise unusable(self.path, error) from error
            raise

    def __enter__(self) -> ReplayStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._db.close()
        if isinstance(error, sqlite3.Error):
            raise unusable(self.path, error) from error

    def settings(self) -> dict[str, object]:
        """What decides the numbers: run, model, number format, definition."""
        rows = self._db.execute("SELECT name, value FROM settings").fetchall()
        return {name: json.loads(value) for name, value in rows}

    def agree(self, settings: Mapping[str, object]) -> None:
        """Note settings, or check them against those that the store's replays were made with.

        While nothing has been attributed, others take their place: a wrong name costs no folder.

        Raises:
            UsageError: If they differ.
        """
        known = self.settings()
        differing = [name for name in settings if known.get(name, settings[name]) != settings[name]]
        begun = self._db.execute("SELECT 1 FROM replays WHERE reason IS NULL LIMIT 1").fetchone()
        if differing and begun:
            name = differing[0]
            raise UsageError(
                f"{self.path} was begun with {name} {known[name]}, not {settings[name]}: "
                "use that, or choose another --out"
            )
        self._db.execute("BEGIN")
        if differing:
            self._db.execute("DELETE FROM replays")
        self._db.executemany(
            "INSERT OR REPLACE INTO settings VALUES (?, ?)",
            [(name, json.dumps(value)) for name, value in settings.items()],
        )
        self._db.execute("COMMIT")

    def done(self, max_tokens: int | None = None) -> frozenset[str]:
        """Experiments that have been replayed, or found not to be replayable.

        Args:
            max_tokens: Longest replay that is wanted now, or None for any length. What a smaller
                limit left out and this one does not is still to be done.
        """
        rows = self._db.execute(
            "SELECT experiment_id FROM replays "
            "WHERE over IS NULL OR (? IS NOT NULL AND tokens > ?)",
            (max_tokens, max_tokens),
        ).fetchall()
        return frozenset(row[0] for row in rows)

    def save(self, outcome: Outcome) -> None:
        """Write one replay, durably, before the next begins."""
        first, second = outcome.log_probabilities or (None, None)
        majority = [_UNKNOWN if one is None else int(one) for one in outcome.majority]
        self._db.execute(
            "INSERT OR REPLACE INTO replays VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                outcome.experiment_id,
                outcome.reason,
                outcome.score,
                first,
                second,
                outcome.tokens,
                outcome.straddling,
                outcome.over,
                outcome.seconds,
                np.asarray(majority, dtype=np.uint8).tobytes(),
                _floats(outcome.share),
                _floats(outcome.push),
            ),
        )

    def outcomes(self) -> Iterator[Outcome]:
        """Every replay, in the order in which they were written."""
        rows = self._db.execute("SELECT * FROM replays ORDER BY rowid").fetchall()
        for row in rows:
            pair = None if row[3] is None else (row[3], row[4])
            yield Outcome(
                experiment_id=row[0],
                reason=row[1],
                score=row[2],
                log_probabilities=pair,
                tokens=row[5],
                straddling=row[6],
                over=row[7],
                seconds=row[8],
                majority=tuple(None if one == _UNKNOWN else bool(one) for one in row[9]),
                share=_values(row[10]),
                push=_values(row[11]),
            )


def holds_replays(folder: Path) -> bool:
    """Whether a folder has a store of replays, readable or not; an empty file is none."""
    path = folder / DATABASE
    return path.is_file() and path.stat().st_size > 0


def _floats(values: tuple[float | None, ...]) -> bytes:
    filled = [np.nan if value is None else value for value in values]
    return np.asarray(filled, dtype="<f4").tobytes()


def _values(raw: bytes) -> tuple[float | None, ...]:
    found = np.frombuffer(raw, dtype="<f4").tolist()
    return tuple(None if value != value else value for value in found)
