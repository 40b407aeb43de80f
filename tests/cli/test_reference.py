"""Contract: ``evenhand reference`` prints the calculation, or JSON with the same numbers."""

from __future__ import annotations

import json

import pytest
from tests.cli.command import evenhand


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert evenhand("reference", "--n", "2000", "--p", "0.55", "--q", "0.9") == 0
    shown = capsys.readouterr().out
    for words in ("1,080 expected", "SD 13.4", "6.0 SD", "1.355e-09", "2.111e-09", "0.7862"):
        assert words in shown


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert evenhand("reference", "--q", "0.95", "--q-minority", "0.6", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["expected"] == pytest.approx(1405)
    assert found["reliability"] == 0.999
    assert found["q_needed"] == pytest.approx(0.6431, abs=1e-4)


def test_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert evenhand("reference", "--n", "21") == 2
    assert "use n = 20 or 40" in capsys.readouterr().err
