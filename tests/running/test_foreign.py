"""Contract: another program's database is never written to, a refused plan leaves nothing, and a
damaged run.db is told by its folder and the remedy."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.running.fakes import FakeModel, say

from evenhand.errors import EvenhandError, UsageError
from evenhand.results import attempts, export, pending, results
from evenhand.running import RunOptions, RunStore, Workload, plan, run

QUIET = RunOptions(progress=False)


def small(n: int = 20) -> Workload:
    return plan(
        "core", tasks="sentiment", n=n, set_seeds=0, patterns="majority-first", per_label=40
    )


def foreign(folder: Path, *statements: str) -> Path:
    folder.mkdir()
    with sqlite3.connect(folder / "run.db") as db:
        for statement in statements:
            db.execute(statement)
    db.close()
    return folder


@pytest.mark.parametrize(
    ("statements", "named"),
    [
        (("CREATE TABLE t (a)",), "database with t"),
        (("CREATE TABLE meta (key, value)",), "only some of a run's tables"),
        (("PRAGMA journal_mode = WAL", "CREATE TABLE t (a)"), "database with t"),
    ],
)
def test_a_foreign_database_is_refused_and_left_alone(
    tmp_path: Path, statements: tuple[str, ...], named: str
) -> None:
    folder = foreign(tmp_path / "run", *statements)
    before = (folder / "run.db").read_bytes()
    model = FakeModel()
    for use in (lambda: run(small(), model, folder, QUIET), lambda: results(folder)):
        with pytest.raises(UsageError, match=named):
            use()
    assert model.asked == []
    assert [path.name for path in folder.iterdir()] == ["run.db"]
    assert (folder / "run.db").read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run.db").write_bytes(b"not a database, " * 100)
    with pytest.raises(UsageError, match=r"run.db cannot be used as a run store"):
        run(small(), FakeModel(), tmp_path, QUIET)
    assert [path.name for path in tmp_path.iterdir()] == ["run.db"]


def test_a_database_without_tables_is_a_run_that_has_not_begun(tmp_path: Path) -> None:
    (tmp_path / "run.db").touch()
    assert run(small(), FakeModel(), tmp_path, QUIET).pending == 0


def test_a_refused_plan_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no run yet"):
        run(small(), FakeModel(), tmp_path / "run", RunOptions(progress=False, rerun="overlong"))
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_got_no_plan_leaves_no_database(tmp_path: Path) -> None:
    with RunStore(tmp_path, write=True):
        pass
    assert list(tmp_path.iterdir()) == []


def test_nothing_overlong_is_nothing_to_rerun(tmp_path: Path) -> None:
    run(small(), FakeModel(), tmp_path, QUIET)
    with pytest.raises(UsageError, match=r"nothing to rerun: no experiment of .* overlong"):
        run(small(), FakeModel(), tmp_path, RunOptions(progress=False, rerun="overlong"))


USES: list[Callable[[Path], object]] = [
    results,
    attempts,
    pending,
    export,
    lambda folder: run(small(), FakeModel(), folder, QUIET),
]


def test_a_damaged_run_is_told_by_folder_and_remedy(tmp_path: Path) -> None:
    run(small(), FakeModel(lambda *_: say("x" * 9_000)), tmp_path, QUIET)
    file = tmp_path / "run.db"
    whole = file.read_bytes()
    told = []
    # Every page but the first, which holds the list of tables, is lost in turn.
    for start in range(4096, len(whole), 4096):
        file.write_bytes(whole[:start] + b"\xa5" * 4096 + whole[start + 4096 :])
        for use in USES:
            try:
                use(tmp_path)
            except EvenhandError as error:
                told.append(str(error))
    assert len(told) > 10
    assert all(str(file) in text and f"move {tmp_path} away" in text for text in told)
