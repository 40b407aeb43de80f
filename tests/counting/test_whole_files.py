"""Contract: what a count and an audit leave in their folder is whole or as it was before, also
where the disk is full or the process is killed in the middle of a file."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.counting.scripted import Scripted

from evenhand.audit import audit
from evenhand.counting import count, verify
from evenhand.errors import UsageError
from evenhand.running import RunOptions

TEXTS = [f"good {k}" for k in range(7)] + [f"bad {k}" for k in range(5)]
FILES = ("ledger.csv", "ledger.parquet", "certificate.json", "count.json")
QUIET = RunOptions(progress=False)
KILLED = """
import os, signal, sys
from pathlib import Path
import polars as pl
from tests.counting.test_whole_files import count_here

def half(frame, path):
    Path(path).write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)

pl.DataFrame.write_csv = half
count_here(Path(sys.argv[1]))
"""


def count_here(out: Path) -> Path:
    return count(
        TEXTS, ask="?", labels=["good", "bad"], model=Scripted(lambda text: text.split()[0]),
        out=out, options=QUIET,
    ).ledger  # fmt: skip


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A disk that is full in the middle of each file that is named here."""
    names: list[str] = []

    def wrap(owner: type, method: str) -> None:
        write = getattr(owner, method)

        def half(first: Any, *args: Any, **more: Any) -> Any:
            path = first if owner is Path else args[0]
            if any(name in Path(path).name for name in names):
                Path(path).write_bytes(b"half")
                raise OSError(28, "No space left on device")
            return write(first, *args, **more)

        monkeypatch.setattr(owner, method, half)

    wrap(Path, "write_text")
    wrap(pl.DataFrame, "write_csv")
    wrap(pl.DataFrame, "write_parquet")
    return names


@pytest.mark.parametrize("name", FILES)
def test_a_full_disk(name: str, full: list[str], tmp_path: Path) -> None:
    ledger = count_here(tmp_path)
    before = {each: (tmp_path / each).read_bytes() for each in FILES}
    full.append(name)
    with pytest.raises(UsageError, match=f"cannot write .*{name}: No space left"):
        count_here(tmp_path)
    assert {each: (tmp_path / each).read_bytes() for each in FILES} == before
    assert all(check.ok for check in verify(ledger, TEXTS))


def test_a_full_disk_under_an_audit(full: list[str], tmp_path: Path) -> None:
    def audited() -> None:
        key = {text: text.split()[0] for text in TEXTS}
        audit(TEXTS, ask="?", labels=["good", "bad"], model="reader/perfect", answer_key=key,
              out=tmp_path, orders=3, options=QUIET)  # fmt: skip

    audited()
    before = (tmp_path / "audit.json").read_bytes()
    full.append("audit.json")
    with pytest.raises(UsageError, match=r"cannot write .*audit\.json: No space left"):
        audited()
    assert (tmp_path / "audit.json").read_bytes() == before


def test_a_kill_in_the_middle_of_the_ledger(tmp_path: Path) -> None:
    ledger = count_here(tmp_path)
    before = ledger.read_bytes()
    root = Path(__file__).parents[2]
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)], cwd=root, check=False, capture_output=True
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert ledger.read_bytes() == before
    assert all(check.ok for check in verify(ledger, TEXTS))
    assert count_here(tmp_path).read_bytes() == before
