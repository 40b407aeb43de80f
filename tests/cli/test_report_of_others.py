"""Contract: the folder of a count or an audit, or a run folder in it, is not reported as an
experiment: the message names its own page, or the command that writes one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import evenhand
from tests.running.fakes import FakeModel, say

from evenhand.audit import audit
from evenhand.counting import count
from evenhand.models import TransientError
from evenhand.running import RunOptions

TEXTS = [f"remark {k}" for k in range(12)]
LABELS = ("good", "bad")
QUIET = RunOptions(progress=False)


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    """A count."""
    folder = tmp_path / "counted"
    key = {text: LABELS[at % 3 == 0] for at, text in enumerate(TEXTS)}
    count(
        TEXTS, ask="Which?", labels=LABELS, model="reader/perfect", answer_key=key, out=folder,
        options=QUIET,
    )  # fmt: skip
    return folder


@pytest.fixture
def audited(tmp_path: Path) -> Path:
    """An audit."""
    folder = tmp_path / "audited"
    model = FakeModel(lambda *_: say('{"answer": "good"}'))
    audit(TEXTS, ask="Which?", labels=LABELS, model=model, out=folder, options=QUIET)
    return folder


def test_a_count(counted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The page is the command's; in Python there may be none."""
    told = f"evenhand: {counted} is of evenhand count, which has a report of its own: "
    assert evenhand("report", counted) == 2
    there_is_none = "there is none yet: the same evenhand count command goes on and writes "
    assert capsys.readouterr().err == f"{told}{there_is_none}{counted / 'report.html'}\n"
    (counted / "report.html").touch()
    assert evenhand("report", counted) == 2
    open_it = f"open {counted / 'report.html'}, which the same evenhand count command writes anew\n"
    assert capsys.readouterr().err == told + open_it


def test_an_audit(audited: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evenhand("report", audited) == 2
    assert f"{audited} is of evenhand audit, which has a report" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["report", "coverage"])
def test_the_run_folders_within(
    command: str, counted: Path, audited: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for folder in (counted / "batches", audited / "orders-1-4"):
        assert evenhand(command, folder) == 2
        assert str(folder.parent / "report.html") in capsys.readouterr().err


def test_one_that_was_cut_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No answer came: there is neither a result nor a page."""
    quick = RunOptions(progress=False, backoff_s=0.001, give_up_after_s=0.01)
    model = FakeModel(lambda *_: TransientError("down"))
    audit(TEXTS, ask="Which?", labels=LABELS, model=model, out=tmp_path, options=quick)
    (tmp_path / "audit.json").unlink()
    assert evenhand("report", tmp_path) == 2
    assert "the same evenhand audit command goes on and writes" in capsys.readouterr().err
