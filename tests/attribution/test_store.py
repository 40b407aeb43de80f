"""Contract: a store keeps what was replayed, with what settings; it says which file is wrong, and
what a wrong name or a small limit left behind costs nothing."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from evenhand.attribution import Outcome
from evenhand.attribution._store import DATABASE, ReplayStore, holds_replays
from evenhand.errors import EvenhandError, UsageError

DONE = Outcome(
    "a",
    (True, None, False),
    score=1.5,
    log_probabilities=(-2.0, -0.5),
    tokens=40,
    straddling=1,
    share=(0.5, None, 1.5),
    push=(0.1, None, -0.2),
)
REFUSED = Outcome("b", (), "the reply does not spell the label")
LONG = Outcome("c", (), "longer than 30 tokens", tokens=50, over=30)


def test_what_was_saved_is_read_again(tmp_path: Path) -> None:
    with ReplayStore(tmp_path, write=True) as store:
        store.save(DONE)
        store.save(LONG)
    with ReplayStore(tmp_path) as store:
        first, second = store.outcomes()
    assert (first.majority, first.log_probabilities) == (DONE.majority, DONE.log_probabilities)
    assert first.share == pytest.approx(DONE.share)
    assert second == LONG


def test_a_larger_limit_takes_up_what_a_smaller_one_left_out(tmp_path: Path) -> None:
    with ReplayStore(tmp_path, write=True) as store:
        for outcome in (DONE, REFUSED, LONG):
            store.save(outcome)
        assert store.done(30) == {"a", "b", "c"}
        assert store.done(49) == {"a", "b", "c"}
        assert store.done(50) == {"a", "b"}
        assert store.done() == {"a", "b"}


def test_settings_hold_once_something_is_attributed(tmp_path: Path) -> None:
    with ReplayStore(tmp_path, write=True) as store:
        store.agree({"model": "wrong"})
        store.save(REFUSED)
        # What the wrong model could not replay, the right one may.
        store.agree({"model": "right"})
        assert store.done() == frozenset()
        store.save(DONE)
        store.agree({"model": "right", "dtype": "float32"})
        assert store.settings() == {"model": "right", "dtype": "float32"}
        with pytest.raises(UsageError, match=r"begun with model right, not wrong.*another --out"):
            store.agree({"model": "wrong"})


def test_an_empty_file_is_no_store(tmp_path: Path) -> None:
    (tmp_path / DATABASE).touch()
    assert not holds_replays(tmp_path)
    with pytest.raises(UsageError, match="no attribution in"):
        ReplayStore(tmp_path)
    with ReplayStore(tmp_path, write=True) as store:
        assert store.done() == frozenset()


def test_another_versions_store_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / DATABASE) as db:
        db.execute("CREATE TABLE replays (something)")
    for write in (False, True):
        with pytest.raises(UsageError, match=r"attribution\.db was written by another version"):
            ReplayStore(tmp_path, write=write)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    with ReplayStore(tmp_path, write=True) as store:
        for number in range(200):
            store.save(Outcome(f"e{number}", (True,) * 500, share=(1.0,) * 500, push=(1.0,) * 500))
    path = tmp_path / DATABASE
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"not a database" * 100):
        path.write_bytes(damaged)
        with (
            pytest.raises(EvenhandError, match=r"attribution\.db cannot be read or written"),
            ReplayStore(tmp_path) as store,
        ):
            list(store.outcomes())


def test_a_finished_store_is_one_file(tmp_path: Path) -> None:
    with ReplayStore(tmp_path, write=True) as store:
        store.save(DONE)
    assert [path.name for path in tmp_path.iterdir()] == [DATABASE]
