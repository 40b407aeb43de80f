"""A planted key is in nothing that a run writes: database, log, export, report, terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import evenhand
from tests.fake_server import FakeServer, Play, Seen, answer, error

KEY = "sk-planted-0123456789abcdefghij"


def careless(seen: Seen) -> Play:
    """A server that repeats the key in errors, in replies and in reasoning."""
    held = seen.headers["authorization"]
    if seen.index in (0, 5):
        return error(429, f"{held} is too fast", headers={"Retry-After": "0"})
    text = f'You are {held}. {{"answer": "positive"}}'
    return answer(text, reasoning=f"The key is {KEY}", provider="Somewhere")


def test_nothing_that_a_run_writes_holds_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVENHAND_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    grid = ["core", "--tasks", "sentiment", "--n", "20", "--set-seeds", "0"]
    with FakeServer(careless, key=KEY) as server:
        model = f"openai-compatible/x@{server.url}"
        assert evenhand("run", *grid, "--model", model, "--out", "run") == 0
        assert len(server.seen) > 18
    assert evenhand("export", "run") == 0
    assert evenhand("report", "run") == 0

    with FakeServer(lambda seen: error(401, seen.headers["authorization"]), key=KEY) as server:
        model = f"openai-compatible/x@{server.url}"
        assert evenhand("run", *grid, "--model", model, "--out", "refused") == 1

    shown = capfd.readouterr()
    assert "openai-compatible/x (401)" in shown.err
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "run.db" for path in written)
    assert any(path.suffix == ".html" for path in written)
    for path in written:
        assert KEY.encode() not in path.read_bytes(), path
    assert KEY not in shown.out + shown.err
