"""Contract: what ``evenhand count`` prints beside the count, and how it ends."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import Cli

ASK = ("--ask", "Good or bad?", "--labels", "good,bad")


def counted(cli: Cli, table: Path, out: Path) -> Path:
    args = ("count", str(table), "--text", "body", *ASK, "--gold", "kind", "--out", str(out))
    code, _, stderr = cli(*args, "--model", "reader/perfect")
    assert code == 0, stderr
    return out / "ledger.csv"


def test_what_cannot_be_checked_is_not_verified(cli: Cli, table: Path, tmp_path: Path) -> None:
    ledger = counted(cli, table, tmp_path / "out")
    moved = table.rename(tmp_path / "moved.csv")
    code, stdout, stderr = cli("count", "--verify", str(ledger))
    assert code == 3
    assert "not checked the texts: " in stdout
    assert "where it has moved, name it: evenhand count MOVED --verify" in stderr
    assert cli("count", str(moved), "--verify", str(ledger))[0] == 0
    code, _, stderr = cli("count", str(tmp_path / "none.csv"), "--verify", str(ledger))
    assert (code, "no file" in stderr) == (2, True)


def test_changed_rows_are_named(cli: Cli, table: Path, tmp_path: Path) -> None:
    ledger = counted(cli, table, tmp_path / "out")
    table.write_text(table.read_text().replace("good thing 1,", "good thing one,"))
    code, stdout, stderr = cli("count", "--verify", str(ledger))
    assert code == 1
    assert "NO          every text is the one that was labelled, but for row 2\n" in stdout
    assert "yes         rows made again from the raw replies: 60 of 60\n" in stdout
    assert "but for row 2" in stderr
