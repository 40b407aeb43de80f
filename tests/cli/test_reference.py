"""Contract: ``evenhand reference`` prints the calculation, or JSON with the same numbers."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from evenhand.cli._app import build_app
from evenhand.errors import UsageError


def invoke(*arguments: str) -> str:
    result = CliRunner().invoke(build_app(), ["reference", *arguments])
    if isinstance(result.exception, Exception):
        raise result.exception
    return result.stdout


def test_text() -> None:
    shown = invoke("--n", "2000", "--p", "0.55", "--q", "0.9")
    for words in ("1,080 expected", "SD 13.4", "6.0 SD", "1.355e-09", "2.111e-09", "0.7862"):
        assert words in shown


def test_json() -> None:
    found = json.loads(invoke("--q", "0.95", "--q-minority", "0.6", "--json"))
    assert found["expected"] == pytest.approx(1405)
    assert found["reliability"] == 0.999
    assert found["q_needed"] == pytest.approx(0.6431, abs=1e-4)


def test_bad_input() -> None:
    with pytest.raises(UsageError, match="use n = 20 or 40"):
        invoke("--n", "21")
