"""Contract: a ledger that was touched, or records that were, do not verify."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.counting.scripted import Scripted

from evenhand.counting import count, read_ledger, verify
from evenhand.errors import UsageError
from evenhand.running import RunOptions

TEXTS = [f"good {k}" for k in range(7)] + [f"bad {k}" for k in range(5)]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    table = tmp_path / "rows.csv"
    pl.DataFrame({"body": TEXTS}).write_csv(table)
    return count(
        table, ask="Good or bad?", labels=["good", "bad"], model=Scripted(lambda t: t.split()[0]),
        text="body", out=tmp_path / "out", batch=5, options=RunOptions(progress=False),
    ).ledger  # fmt: skip


def failed(ledger: Path) -> list[str]:
    if not ledger.is_file():
        ledger = ledger.with_suffix(".parquet")
    return [check.what for check in verify(ledger) if check.ok is False]


def test_untouched(ledger: Path) -> None:
    assert failed(ledger) == []
    assert [check.what for check in verify(ledger)][-1] == (
        "rows made again from the raw replies: 12 of 12"
    )


def swap_a_label(ledger: Path) -> None:
    ledger.write_text(ledger.read_text().replace("row:12,bad", "row:12,good"))


def drop_a_row(ledger: Path) -> None:
    lines = ledger.read_text().splitlines(keepends=True)
    ledger.write_text("".join(lines[:-1]))


def change_a_text(ledger: Path) -> None:
    table = ledger.parent.parent / "rows.csv"
    table.write_text(table.read_text().replace("good 3", "good 33"))


def forge(ledger: Path, change: Callable[[Path], None], **content: object) -> None:
    """Ledger, Parquet and certificate are changed to agree; the raw replies are not."""
    before = hashlib.sha256(ledger.read_bytes()).hexdigest()
    change(ledger)
    after = hashlib.sha256(ledger.read_bytes()).hexdigest()
    assert after != before
    certificate = ledger.parent / "certificate.json"
    certificate.write_text(
        json.dumps(json.loads(certificate.read_text().replace(before, after)) | content)
    )
    ledger.with_suffix(".parquet").unlink()


def forge_everything(ledger: Path) -> None:
    forge(ledger, swap_a_label, counts={"good": 8, "bad": 4})


def forge_a_place(ledger: Path) -> None:
    def change(path: Path) -> None:
        frame = read_ledger(path)
        second = pl.col("row") == 2
        frame.with_columns(pl.col("position") + second.cast(pl.Int64)).write_csv(path)

    forge(ledger, change)


def forge_an_id(ledger: Path) -> None:
    def change(path: Path) -> None:
        path.write_text(path.read_text().replace("row:2,", "row:02,"))

    forge(ledger, change)


def lose_the_csv(ledger: Path) -> None:
    ledger.unlink()


@pytest.mark.parametrize(
    ("touch", "what"),
    [
        (swap_a_label, "the ledger's SHA-256 is the certificate's"),
        (drop_a_row, "the ledger's SHA-256 is the certificate's"),
        (change_a_text, "every text is the one that was labelled"),
        (forge_everything, "rows made again from the raw replies: 11 of 12"),
        (forge_a_place, "rows made again from the raw replies: 11 of 12"),
        (forge_an_id, "every id is the record's"),
        (lose_the_csv, "the ledger's SHA-256 is the certificate's"),
    ],
)
def test_touched(ledger: Path, touch: Callable[[Path], None], what: str) -> None:
    touch(ledger)
    assert what in failed(ledger)


def test_a_moved_table_and_a_list_are_named(ledger: Path) -> None:
    table = ledger.parent.parent / "rows.csv"
    moved = table.rename(table.with_name("moved.csv"))
    assert [check.ok for check in verify(ledger)][-1] is None
    for records in (moved, TEXTS, pl.DataFrame({"body": TEXTS})):
        assert all(check.ok for check in verify(ledger, records))


def test_without_the_raw_replies_the_rest_is_checked(ledger: Path) -> None:
    (ledger.parent / "batches" / "run.db").unlink()
    assert [check.ok for check in verify(ledger)].count(None) == 1
    swap_a_label(ledger)
    assert "the ledger's SHA-256 is the certificate's" in failed(ledger)


@pytest.mark.parametrize(
    ("name", "value"),
    [("records", "twelve"), ("labels", "good"), ("labels", [1, 2]), ("batch", 0), ("counts", None)],
)
def test_a_damaged_certificate_is_said(ledger: Path, name: str, value: object) -> None:
    path = ledger.parent / "certificate.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    with pytest.raises(UsageError, match=f"certificate.json is no coverage certificate.*{name}"):
        verify(ledger)


def test_own_ids_are_checked(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    pl.DataFrame({"body": TEXTS, "key": [f"k{at}" for at in range(12)]}).write_csv(table)
    found = count(
        table, ask="Good or bad?", labels=["good", "bad"], model=Scripted(lambda t: t.split()[0]),
        text="body", id_column="key", out=tmp_path / "out", options=RunOptions(progress=False),
    )  # fmt: skip
    assert failed(found.ledger) == []
    table.write_text(table.read_text().replace("k3", "k33"))
    assert failed(found.ledger) == ["every id is the record's"]
