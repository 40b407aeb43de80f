"""Contract: the progress line of a count and of an audit says what happened in their own words;
nothing is called correct where no right answer is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.counting.scripted import Scripted

from evenhand.audit import audit
from evenhand.counting import count
from evenhand.running import RunOptions, _progress

TEXTS = ["good a", "good b", "bad c"]
LOUD = RunOptions(max_attempts=1)


@pytest.fixture(autouse=True)
def at_every_change(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line for every change, not every half minute."""
    monkeypatch.setattr(_progress, "PLAIN_INTERVAL_S", 0.0)


def test_a_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def reply(said: dict[str, str]) -> str:
        return json.dumps(said) if "good a" not in model.prompts[-1] else "what?"

    model = Scripted(lambda text: text.split()[0], reply)
    count(TEXTS, ask="?", labels=["good", "bad"], model=model, out=tmp_path, batch=1, options=LOUD)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("3/3 done | 2 labelled | 1 unreadable | 300 in, 30 out")


def test_an_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = {text: text.split()[0] for text in TEXTS}
    audit(TEXTS, ask="?", labels=["good", "bad"], model="reader/perfect", answer_key=key,
          out=tmp_path, orders=3, options=LOUD)  # fmt: skip
    said = capsys.readouterr().err
    assert "3/3 done | 3 answered | " in said
    assert "correct" not in said
