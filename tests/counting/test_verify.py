"""Contract: a ledger that was touched, or records that were, do not verify."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.counting.scripted import Scripted

from evenhand.counting import count, verify
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
    return [check.what for check in verify(ledger) if check.ok is False]


def test_untouched(ledger: Path) -> None:
    assert failed(ledger) == []
    assert [check.what for check in verify(ledger)][-1] == (
        "labels read again from the raw replies: 12 of 12"
    )


def swap_a_label(ledger: Path) -> None:
    ledger.write_text(ledger.read_text().replace("row:12,bad", "row:12,good"))


def drop_a_row(ledger: Path) -> None:
    lines = ledger.read_text().splitlines(keepends=True)
    ledger.write_text("".join(lines[:-1]))


def change_a_text(ledger: Path) -> None:
    table = ledger.parent.parent / "rows.csv"
    table.write_text(table.read_text().replace("good 3", "good 33"))


def forge_everything(ledger: Path) -> None:
    """Ledger, Parquet and certificate are changed to agree; the raw replies are not."""
    import hashlib
    import json

    before = hashlib.sha256(ledger.read_bytes()).hexdigest()
    swap_a_label(ledger)
    after = hashlib.sha256(ledger.read_bytes()).hexdigest()
    certificate = ledger.parent / "certificate.json"
    content = json.loads(certificate.read_text().replace(before, after))
    content["counts"] = {"good": 8, "bad": 4}
    certificate.write_text(json.dumps(content))
    ledger.with_suffix(".parquet").unlink()


@pytest.mark.parametrize(
    ("touch", "what"),
    [
        (swap_a_label, "the ledger's SHA-256 is the certificate's"),
        (drop_a_row, "the ledger's SHA-256 is the certificate's"),
        (change_a_text, "every text is the one that was labelled"),
        (forge_everything, "labels read again from the raw replies: 11 of 12"),
    ],
)
def test_touched(ledger: Path, touch: Callable[[Path], None], what: str) -> None:
    touch(ledger)
    assert what in failed(ledger)
