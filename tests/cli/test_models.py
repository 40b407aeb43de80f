"""``evenhand models``: the list, and one tiny call that says what came back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import evenhand
from tests.fake_server import FakeServer, answer, error


def test_the_list_says_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    assert evenhand("models") == 0
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if line.startswith("openrouter/openai/gpt-oss-120b"))
    assert row.split() == ["openrouter/openai/gpt-oss-120b", "131,072", *["unknown"] * 3, "shared"]
    assert any("split: 20 for the answer" in line for line in lines)


def test_the_list_as_json_with_a_users_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[models.'openai-compatible/m']\nprice = { input = 1, output = 2 }\n")
    assert evenhand("models", "--json", "--models", str(file)) == 0
    listing = json.loads(capsys.readouterr().out)
    mine = next(row for row in listing["models"] if row["name"] == "openai-compatible/m")
    assert mine["price"] == {"input": 1, "cached_input": None, "output": 2}
    assert mine["window"] is None
    assert listing["providers"]["openrouter"]["key_variables"] == ["OPENROUTER_API_KEY"]


def test_a_check_says_what_came_back(capsys: pytest.CaptureFixture[str]) -> None:
    usage = {
        "prompt_tokens": 40,
        "completion_tokens": 12,
        "total_tokens": 52,
        "completion_tokens_details": {"reasoning_tokens": 5},
        "cost": 0.00012,
    }
    play = answer(
        '{"answer": "seven"}', reasoning="Seven is a number.", usage=usage, provider="Somewhere"
    )
    with FakeServer(play) as server:
        name = f"openai-compatible/x@{server.url}"
        assert evenhand("models", "check", name) == 0
        shown = capsys.readouterr().out
        assert evenhand("models", "check", name, "--json", "--budget", "99") == 0
        found = json.loads(capsys.readouterr().out)
        assert len(server.seen) == 2
        assert server.seen[1].body["max_tokens"] == 99
    for fact in ("as expected", "18 characters in reasoning", "Somewhere", "stop", "40 in"):
        assert fact in shown
    assert found["usage"]["reasoning_tokens"] == 5
    assert found["answered"] is True
    assert found["cost_usd"] == 0.00012


def test_a_refused_key_is_one_line_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(error(401, "no")) as server:
        assert evenhand("models", "check", f"openai-compatible/x@{server.url}") == 1
    told = capsys.readouterr().err
    assert told.startswith("evenhand: openai-compatible/x (401)")
    assert told.count("\n") == 1


def test_a_reader_has_nothing_to_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert evenhand("models", "check", "reader/perfect") == 2
    assert "simulated" in capsys.readouterr().err
