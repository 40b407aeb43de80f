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
    assert [check.what for check in verify(ledger)][-3:] == [
        "the certificate says what the run folder says",
        "rows made again from the raw replies: 12 of 12",
        "count.json says what the rows come to",
    ]
    assert all(check.ok for check in verify(ledger))


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
        (change_a_text, "every text is the one that was labelled, but for row 4"),
        (forge_everything, "rows made again from the raw replies: 11 of 12, but for row 12"),
        (forge_a_place, "rows made again from the raw replies: 11 of 12, but for row 2"),
        (forge_an_id, "every id is the record's, but for row 2"),
        (lose_the_csv, "the ledger's SHA-256 is the certificate's"),
    ],
)
def test_touched(ledger: Path, touch: Callable[[Path], None], what: str) -> None:
    touch(ledger)
    assert what in failed(ledger)


def test_a_moved_table_and_a_list_are_named(ledger: Path) -> None:
    table = ledger.parent.parent / "rows.csv"
    moved = table.rename(table.with_name("moved.csv"))
    unchecked = [check.what for check in verify(ledger) if check.ok is None]
    assert unchecked == [
        f"the texts: {table} is not there; where it has moved, name it: evenhand count MOVED "
        f"--verify {ledger}"
    ]
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
        text="body", id="key", out=tmp_path / "out", options=RunOptions(progress=False),
    )  # fmt: skip
    assert failed(found.ledger) == []
    table.write_text(table.read_text().replace("k3", "k33"))
    assert failed(found.ledger) == ["every id is the record's, but for row 4"]


def test_all_changed_rows_are_told_and_the_replies_are_still_read(ledger: Path) -> None:
    """Eight of twelve texts are changed, one of them to nothing at all: the labels hold."""
    changed = [text if at in (0, 1, 2, 3) else f"{text}!" for at, text in enumerate(TEXTS)]
    changed[5] = " "
    found = {check.what: check.ok for check in verify(ledger, changed)}
    assert found["every text is the one that was labelled, but for rows 5, 6, 7, 8, 9 and 3 more"] \
        is False  # fmt: skip
    assert found["rows made again from the raw replies: 12 of 12"] is True
    assert [what for what, ok in found.items() if not ok] == list(found)[5:6]
    swap_a_label(ledger)
    again = [check.what for check in verify(ledger, changed) if check.ok is False]
    assert "rows made again from the raw replies: 11 of 12, but for row 12" in again


def test_a_record_more_is_said(ledger: Path) -> None:
    found = [check.what for check in verify(ledger, [*TEXTS, "good 7"]) if check.ok is False]
    assert found == [
        "every text is the one that was labelled: there are 13 records, and the ledger has 12 rows"
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("model", "openai/better"),
        ("ask", "Nice or nasty?"),
        ("batch", 4),
        ("forced", True),
        ("output_budget", 9),
        ("records_sha256", "0" * 64),
    ],
)
def test_a_certificate_that_says_something_else(ledger: Path, name: str, value: object) -> None:
    path = ledger.parent / "certificate.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    assert f"the certificate says what the run folder says, but for {name}" in failed(ledger)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("majority", "bad"),
        ("verdict", "undecided"),
        ("sentence", "The majority is bad."),
        ("margin", "it holds"),
        ("calls", 1),
        ("labels", []),
        ("model", "openai/better"),
    ],
)
def test_a_count_that_says_something_else(ledger: Path, name: str, value: object) -> None:
    path = ledger.parent / "count.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    assert failed(ledger) == [f"count.json says what the rows come to, but for {name}"]


def test_a_damaged_count_is_said(ledger: Path) -> None:
    (ledger.parent / "count.json").write_text("{")
    with pytest.raises(UsageError, match=r"count\.json is damaged"):
        verify(ledger)


def test_what_came_from_a_frame_says_how_it_can_be_checked(tmp_path: Path) -> None:
    frame = pl.DataFrame({"body": TEXTS})
    found = count(
        frame, ask="Good or bad?", labels=["good", "bad"], model=Scripted(lambda t: t.split()[0]),
        text="body", out=tmp_path / "out", options=RunOptions(progress=False),
    )  # fmt: skip
    (words,) = [check.what for check in verify(found.ledger) if check.ok is None]
    assert 'frame.write_csv("records.csv")' in words
    assert f"evenhand count records.csv --text body --verify {found.ledger}" in words
    frame.write_csv(tmp_path / "records.csv")
    assert all(check.ok for check in verify(found.ledger, tmp_path / "records.csv", text="body"))


def test_every_kind_of_evidence_is_decided_again(tmp_path: Path) -> None:
    """Hand labels, second labels and an early stop are in the verdict that is made again."""
    frame = pl.DataFrame(
        {"body": ["good"] * 300 + ["bad"] * 60, "hand": ["good"] * 50 + [""] * 310}
    )
    found = count(
        frame, ask="Good or bad?", labels=["good", "bad"], model=Scripted(lambda t: t.split()[0]),
        text="body", gold="hand", out=tmp_path, batch=10, until_sure=0.99, repeat=2,
        options=RunOptions(progress=False, concurrency=1),
    )  # fmt: skip
    assert found.sure_after is not None
    assert found.correction is not None
    assert found.agreement is not None
    assert "inside the model's error" in found.sentence
    assert all(check.ok for check in verify(found.ledger, frame))
