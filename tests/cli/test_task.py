"""``evenhand task new`` writes a file that loads, and never over another one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import evenhand

from evenhand.tasks import load_task


def test_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert evenhand("task", "new", "refunds", "--labels", "refund,other") == 0
    assert capsys.readouterr().out == "refunds.toml\n"
    assert load_task(tmp_path / "refunds.toml").labels == ("refund", "other")
    assert evenhand("task", "new", "refunds") == 2
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--labels", "a,b,c"), "names 3"),
        (("--out", "task.txt"), "ends in .toml"),
        (("--out", "gone/task.toml"), "cannot write gone/task.toml: No such file"),
    ],
)
def test_faults(
    words: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert evenhand("task", "new", "mine", *words) == 2
    assert message in capsys.readouterr().err
