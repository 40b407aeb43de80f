"""Replays on disk: one row each, written as soon as it is computed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from evenhand.attribution._work import Outcome
from evenhand.errors import UsageError

DATABASE = "attribution.db"
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
    seconds REAL NOT NULL,
    majority BLOB NOT NULL,
    share BLOB NOT NULL,
    push BLOB NOT NULL
);
"""
"""``share`` and ``push`` are float32, little endian, not-a-number where there is none; ``majority``
is one byte an instance."""


class ReplayStore:
    """The replays of one run by one model."""

    def __init__(self, folder: Path, *, write: bool = False) -> None:
        """Open, or begin where ``write``.

        Raises:
            UsageError: If there is nothing to read, or the file cannot be used.
        """
        self.path = folder / DATABASE
        if not write and not self.path.is_file():
            raise UsageError(
                f"no attribution in {folder}: run evenhand attribute RUN --model hf/MODEL first"
            )
        try:
            # Autocommit: each statement below is a transaction of its own.
            self._db = sqlite3.connect(self.path, isolation_level=None)
            if write and not self._db.execute("SELECT name FROM sqlite_master").fetchone():
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.executescript(f"BEGIN; {_TABLES} COMMIT;")
        except sqlite3.Error as error:
            raise UsageError(f"cannot use {self.path}: {error}") from error

    def __enter__(self) -> ReplayStore:
        return self

    def __exit__(self, *exception: object) -> None:
        self._db.close()

    def settings(self) -> dict[str, object]:
        """What decides the numbers: run, model, number format, definition."""
        rows = self._db.execute("SELECT name, value FROM settings")
        return {name: json.loads(value) for name, value in rows}

    def agree(self, settings: Mapping[str, object]) -> None:
        """Note the settings in a new store, or check them against the ones it was begun with.

        Raises:
            UsageError: If they differ.
        """
        known = self.settings()
        if not known:
            self._db.execute("BEGIN")
            self._db.executemany(
                "INSERT INTO settings VALUES (?, ?)",
                [(name, json.dumps(value)) for name, value in settings.items()],
            )
            self._db.execute("COMMIT")
            return
        for name, value in settings.items():
            if known.get(name) != value:
                raise UsageError(
                    f"{self.path} was begun with {name} {known.get(name)}, not {value}: "
                    "use that, or choose another --out"
                )

    def done(self) -> frozenset[str]:
        """Experiments that have been replayed, or found not to be replayable."""
        return frozenset(row[0] for row in self._db.execute("SELECT experiment_id FROM replays"))

    def save(self, outcome: Outcome) -> None:
        """Write one replay, durably, before the next begins."""
        first, second = outcome.log_probabilities or (None, None)
        self._db.execute(
            "INSERT OR REPLACE INTO replays VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                outcome.experiment_id,
                outcome.reason,
                outcome.score,
                first,
                second,
                outcome.tokens,
                outcome.straddling,
                outcome.seconds,
                np.asarray(outcome.majority, dtype=np.uint8).tobytes(),
                _floats(outcome.share),
                _floats(outcome.push),
            ),
        )

    def outcomes(self) -> Iterator[Outcome]:
        """Every replay, in the order in which they were written."""
        for row in self._db.execute("SELECT * FROM replays ORDER BY rowid"):
            pair = None if row[3] is None else (row[3], row[4])
            yield Outcome(
                experiment_id=row[0],
                reason=row[1],
                score=row[2],
                log_probabilities=pair,
                tokens=row[5],
                straddling=row[6],
                seconds=row[7],
                majority=tuple(bool(one) for one in row[8]),
                share=_values(row[9]),
                push=_values(row[10]),
            )


def _floats(values: tuple[float | None, ...]) -> bytes:
    filled = [np.nan if value is None else value for value in values]
    return np.asarray(filled, dtype="<f4").tobytes()


def _values(raw: bytes) -> tuple[float | None, ...]:
    found = np.frombuffer(raw, dtype="<f4").tolist()
    return tuple(None if value != value else value for value in found)
