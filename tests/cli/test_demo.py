"""Contract: a demo that was stopped reports what is finished, says what is pending and that the
same command goes on, and ends with exit code 3; then it goes on, and ends with 0."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.cli.command import evenhand
from tests.running.fakes import FakeModel, say

from evenhand.models import ForcedChoice, Generation, GenerationSettings
from evenhand.prompts import Message

RUNS = 4
FORCED = 54
"""Quick: three sets, each label in the majority once, six orders and three random ones."""


class Models:
    """Stands for every model of the demo; presses Ctrl-C during one call of all of theirs."""

    def __init__(self, pressed_at: int | None = None) -> None:
        self.pressed_at = pressed_at
        self.calls = 0

    def __call__(self, name: str, **more: object) -> FakeModel:
        return _Asked(name=name, max_concurrency=1, models=self)


@dataclass
class _Asked(FakeModel):
    models: Models = field(default_factory=Models)

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """One label whatever is asked."""
        self.models.calls += 1
        if self.models.calls == self.models.pressed_at:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0.05)
        forced = settings.answer_mode == "forced"
        return say(forced=ForcedChoice("positive", 0.5, 0.9) if forced else None)


@pytest.mark.parametrize(
    ("pressed_at", "begun", "left"),
    [(FORCED, 1, 0), (FORCED + 10, 2, FORCED - 10)],
    ids=["in a run's last call", "in its second run"],
)
def test_stopped(
    pressed_at: int,
    begun: int,
    left: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("evenhand.models.open_model", Models(pressed_at))
    words = ("demo", "--quick", "--out", tmp_path)
    assert evenhand(*words) == 3
    shown = capsys.readouterr()
    assert f"{begun} of {RUNS} runs begun: stopped by request" in shown.err
    told = f"{left} of {FORCED} experiments are pending and left out; the same evenhand demo"
    assert (told in shown.err) == (left > 0)
    assert f"report: {tmp_path / 'quick' / 'report.html'}" in shown.out

    rest = Models()
    monkeypatch.setattr("evenhand.models.open_model", rest)
    assert evenhand(*words) == 0
    assert rest.calls == 3 * FORCED + 4 - pressed_at
    assert "pending" not in capsys.readouterr().err
