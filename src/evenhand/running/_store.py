"""The run store: ``run.db``, the only live state of a run."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from evenhand import __version__
from evenhand.design import AXES, Experiment
from evenhand.errors import EvenhandError, UsageError
from evenhand.pools import Instance
from evenhand.prompts import Message
from evenhand.running import _reasoning_budgets, _unsettled
from evenhand.running._connect import (
    connect_reader,
    connect_writer,
    flush,
    place_of,
    refuse_foreign,
    remove,
    unusable,
)
from evenhand.running._records import AttemptRecord, Totals
from evenhand.running._rows import (
    attempt_columns,
    dump,
    experiment_of,
    now,
    pack_prompt,
    shorten,
    unpack_prompt,
)
from evenhand.running._schema import FORMAT, TABLES
from evenhand.running._totals import read_totals
from evenhand.running._workload import Snapshot

DATABASE_NAME = "run.db"

_CURRENT = """
    SELECT experiments.* FROM experiments WHERE NOT EXISTS (
        SELECT 1 FROM experiments AS later WHERE later.rerun_of = experiments.id
    )
"""
"""Experiments that no rerun replaces."""


class RunStore:
    """Reads one run folder, or writes it.

    Each write is a transaction that no end of the process can undo once it returns; :meth:`flush`
    makes it outlast a power cut too.

    Args:
        folder: The run folder.
        write: Open for writing, and make the folder if it is not there. The caller holds the
            folder's lock.

    As a context manager it turns a fault of the database into an error that names the remedy.

    Raises:
        UsageError: If the folder holds no run, or ``run.db`` is something else.
        EvenhandError: If ``run.db`` is damaged.
    """

    def __init__(self, folder: Path, *, write: bool = False) -> None:
        self.folder = folder
        self.path = folder / DATABASE_NAME
        if not write and not self.path.is_file():
            raise UsageError(f"{folder} is not a run folder: it has no {DATABASE_NAME}")
        refuse_foreign(self.path)
        self._unborn = write and not self.path.exists()
        try:
            self._db = connect_writer(self.path) if write else connect_reader(self.path)
        except sqlite3.Error as error:
            raise unusable(self.path, error) from error
        self._place = place_of(self.path)
        self._db.row_factory = sqlite3.Row
        try:
            if not write and not self.started:
                raise UsageError(f"{folder}: its run has not stored a plan yet: start it again")
            self._check_format()
        except BaseException as error:
            self._db.close()
            if isinstance(error, sqlite3.Error):
                raise unusable(self.path, error) from error
            raise

    def _check_format(self) -> None:
        if self.started:
            found = self.meta("format")
            if found != str(FORMAT):
                raise UsageError(
                    f"{self.path} was written by evenhand {self.meta('evenhand')} in format "
                    f"{found}; this version reads format {FORMAT}: use that version"
                )

    def flush(self) -> None:
        """Wait until the disk holds everything that was written. Any thread may call it."""
        flush(self.path, self._place)

    def close(self) -> None:
        """Close the database; a clean close folds the write-ahead log into it.

        A new store that got no plan leaves no file.
        """
        try:
            empty = self._unborn and not self.started
        except sqlite3.Error:
            empty = False
        self._db.close()
        if empty:
            remove(self.path)

    def __enter__(self) -> RunStore:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
        if isinstance(error, sqlite3.Error):
            raise unusable(self.path, error) from error

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            self._db.execute("BEGIN IMMEDIATE")
            yield self._db
            self._db.execute("COMMIT")
        except BaseException as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError):
                raise EvenhandError(
                    f"cannot write {self.path}: {error}. What was stored before is kept: "
                    "see to the disk, then run the same command again"
                ) from error
            raise

    @property
    def started(self) -> bool:
        """Whether a plan has been stored."""
        found = self._db.execute(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'meta'"
        ).fetchone()
        return bool(found[0])

    def start(
        self,
        snapshot: Snapshot,
        planned: Iterable[tuple[Experiment, str]],
        settings: Mapping[str, Any],
    ) -> None:
        """Store plan, settings and everything prompts are made from, all or nothing.

        Args:
            snapshot: Tasks, pools, the instances used.
            planned: Every experiment with its planned hash.
            settings: What, if changed, would change what is sent; JSON values.
        """
        with self._transaction() as db:
            for statement in TABLES.split(";"):
                db.execute(statement)
            meta = {
                "format": str(FORMAT),
                "evenhand": __version__,
                "started_at": now(),
                "kind": snapshot.kind,
            }
            db.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
            db.executemany(
                "INSERT INTO settings VALUES (?, ?)",
                [(name, dump(value)) for name, value in settings.items()],
            )
            db.executemany(
                "INSERT INTO tasks VALUES (?, ?, ?)",
                [
                    (name, dump(json.loads(text)["labels"]), text)
                    for name, text in snapshot.tasks.items()
                ],
            )
            db.executemany(
                "INSERT INTO pools VALUES (?, ?, ?)",
                [(task, name, dump(dict(p))) for task, (name, p) in snapshot.pools.items()],
            )
            db.executemany(
                "INSERT INTO instances VALUES (?, ?, ?, ?, ?)",
                ((task, i.id, i.text, i.label, i.answer) for task, i in snapshot.instances),
            )
            self._insert(db, ((experiment, sha, None) for experiment, sha in planned), 0)
            db.executemany(
                "INSERT INTO prompts VALUES (?, ?, ?)",
                ((key, *pack_prompt(messages, dealt)) for key, messages, dealt in snapshot.prompts),
            )

    def add_reruns(self, reruns: Sequence[tuple[Experiment, str, str]]) -> None:
        """Add experiments that replace others: (experiment, planned hash, id replaced)."""
        with self._transaction() as db:
            (last,) = db.execute("SELECT max(position) FROM experiments").fetchone()
            self._insert(db, reruns, last + 1)
            db.executemany(
                "INSERT INTO prompts SELECT ?, messages, instances FROM prompts "
                "WHERE experiment_id = ?",
                [(experiment.id, replaced) for experiment, _, replaced in reruns],
            )

    @staticmethod
    def _insert(
        db: sqlite3.Connection,
        rows: Iterable[tuple[Experiment, str, str | None]],
        start: int,
    ) -> None:
        marks = ", ".join("?" * (len(AXES) + 4))
        db.executemany(
            f"INSERT INTO experiments (id, position, {', '.join(AXES)}, planned_sha256, rerun_of) "
            f"VALUES ({marks})",
            (
                (e.id, at, *(getattr(e, axis) for axis in AXES), sha, replaced)
                for at, (e, sha, replaced) in enumerate(rows, start)
            ),
        )

    def meta(self, key: str) -> str:
        """One fact about the folder: ``format``, ``evenhand``, ``started_at``, ``kind``."""
        row = self._db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise EvenhandError(f"{self.path} has no {key!r}: it is damaged")
        return str(row[0])

    def note_reasoning_budgets(self, budgets: Mapping[int, int]) -> None:
        """Note which output budgets give reasoning how many tokens of its own."""
        with self._transaction() as db:
            _reasoning_budgets.note(db, budgets)

    def reasoning_budgets(self) -> dict[int, int]:
        """Output budget to reasoning tokens within it; without those that are shared."""
        return _reasoning_budgets.noted(self._db)

    def settings(self) -> dict[str, Any]:
        """The settings as stored."""
        rows = self._db.execute("SELECT name, value FROM settings")
        return {name: json.loads(value) for name, value in rows}

    def tasks(self) -> dict[str, str]:
        """Task name to its definition (JSON)."""
        return dict(tuple(row) for row in self._db.execute("SELECT name, definition FROM tasks"))

    def labels(self) -> dict[str, tuple[str, str]]:
        """Task name to its two labels, first and second."""
        rows = self._db.execute("SELECT name, labels FROM tasks")
        return {name: tuple(json.loads(labels)) for name, labels in rows}

    def pools(self) -> dict[str, tuple[str, dict[str, str]]]:
        """Task name to pool name and provenance."""
        rows = self._db.execute("SELECT task, name, provenance FROM pools")
        return {task: (name, json.loads(provenance)) for task, name, provenance in rows}

    def instances(self, task: str) -> tuple[Instance, ...]:
        """The instances of a task that the plan uses."""
        query = "SELECT id, text, label, answer FROM instances WHERE task = ? ORDER BY rowid"
        rows = self._db.execute(query, (task,))
        return tuple(Instance(*row) for row in rows)

    def stored_prompt(self, experiment_id: str) -> tuple[tuple[Message, ...], tuple[Instance, ...]]:
        """Messages and instances of a ready-made prompt."""
        query = "SELECT messages, instances FROM prompts WHERE experiment_id = ?"
        row = self._only(query, experiment_id)
        return unpack_prompt(row[0], row[1])

    def planned(self) -> list[tuple[Experiment, str]]:
        """The plan as it was first stored, in order, with the planned hashes."""
        query = "SELECT * FROM experiments WHERE rerun_of IS NULL ORDER BY position"
        rows = self._db.execute(query)
        return [(experiment_of(row), row["planned_sha256"]) for row in rows]

    def planned_sha256(self, experiment_id: str) -> str:
        """The planned hash of one experiment."""
        query = "SELECT planned_sha256 FROM experiments WHERE id = ?"
        return str(self._only(query, experiment_id)[0])

    def experiment(self, experiment_id: str) -> Experiment:
        """One experiment.

        Raises:
            UsageError: If the folder has none of this id.
        """
        return experiment_of(self._only("SELECT * FROM experiments WHERE id = ?", experiment_id))

    def _only(self, query: str, experiment_id: str) -> sqlite3.Row:
        row: sqlite3.Row | None = self._db.execute(query, (experiment_id,)).fetchone()
        if row is None:
            raise UsageError(f"{self.folder} has no experiment {experiment_id!r}")
        return row

    def all_experiments(self) -> tuple[Experiment, ...]:
        """Every experiment, reruns and what they replace included."""
        rows = self._db.execute("SELECT * FROM experiments ORDER BY position")
        return tuple(experiment_of(row) for row in rows)

    def pending(self) -> tuple[Experiment, ...]:
        """Experiments without an outcome, originals that a rerun replaced excluded."""
        query = f"{_CURRENT} AND id NOT IN (SELECT experiment_id FROM outcomes) ORDER BY position"
        rows = self._db.execute(query)
        return tuple(experiment_of(row) for row in rows)

    def with_outcome(self, outcome: str) -> tuple[Experiment, ...]:
        """Experiments whose outcome is this one, originals that a rerun replaced excluded."""
        rows = self._db.execute(
            f"{_CURRENT} AND id IN (SELECT experiment_id FROM outcomes WHERE outcome = ?) "
            "ORDER BY position",
            (outcome,),
        )
        return tuple(experiment_of(row) for row in rows)

    def rerun_ids(self) -> frozenset[str]:
        """Experiments that replace another."""
        rows = self._db.execute("SELECT id FROM experiments WHERE rerun_of IS NOT NULL")
        return frozenset(str(row[0]) for row in rows)

    def save(self, record: AttemptRecord, *, decides: bool) -> None:
        """Store one finished call; with ``decides``, the experiment's outcome with it."""
        columns = attempt_columns(record)
        marks = ", ".join("?" * len(columns))
        with self._transaction() as db:
            db.execute(
                f"INSERT INTO attempts ({', '.join(columns)}) VALUES ({marks})",
                tuple(columns.values()),
            )
            if decides:
                db.execute(
                    "INSERT INTO outcomes VALUES (?, ?, ?)",
                    (record.experiment_id, record.attempt, record.outcome),
                )
            if record.settles is not None:
                _unsettled.settle(db, record.settles)

    def begin_call(self, worst_usd: float) -> int:
        """Note a call before it begins, at its worst case; returns its number."""
        with self._transaction() as db:
            return _unsettled.begin(db, worst_usd)

    def forget_call(self, call: int) -> None:
        """Forget a noted call that cost nothing."""
        with self._transaction() as db:
            _unsettled.settle(db, call)

    def attempts_made(self) -> dict[str, int]:
        """Experiment id to finished attempts, of experiments without an outcome.

        An attempt whose first stage alone is done is not finished.
        """
        rows = self._db.execute(
            "SELECT experiment_id, max(attempt) FROM attempts "
            "WHERE (stage = 2 OR outcome != 'instruction') "
            "AND experiment_id NOT IN (SELECT experiment_id FROM outcomes) GROUP BY 1"
        )
        return dict(tuple(row) for row in rows)

    def instruction(self, experiment_id: str, attempt: int) -> str | None:
        """What stage one of an attempt wrote, if it is done and wrote something."""
        row = self._db.execute(
            "SELECT text FROM attempts WHERE experiment_id = ? AND attempt = ? AND stage = 1 "
            "AND outcome = 'instruction'",
            (experiment_id, attempt),
        ).fetchone()
        return None if row is None else str(row[0])

    def any_instruction(self, task: str, n: int, variant: str, output_budget: int) -> str | None:
        """The first instruction that any experiment of these coordinates got."""
        row = self._db.execute(
            "SELECT text FROM attempts JOIN experiments ON experiments.id = experiment_id "
            "WHERE stage = 1 AND outcome = 'instruction' AND task = ? AND n = ? AND variant = ? "
            "AND output_budget = ? ORDER BY attempts.rowid LIMIT 1",
            (task, n, variant, output_budget),
        ).fetchone()
        return None if row is None else str(row[0])

    def fault(self, experiment_id: str, error: Exception, retry_after: float | None) -> None:
        """Log a call that got no answer."""
        with self._transaction() as db:
            db.execute(
                "INSERT INTO faults VALUES (?, ?, ?, ?, ?)",
                (now(), experiment_id, type(error).__name__, shorten(str(error)), retry_after),
            )

    def totals(self) -> Totals:
        """Counts, tokens and money so far."""
        return read_totals(self._db, _CURRENT)

    def rows(self, query: str, values: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Rows of a reading query, for tables made from the store."""
        return self._db.execute(query, values).fetchall()
