"""Contract: over HTTP, no fault of a server makes a wrong total: what failed is asked again, what
came back half or odd labels nothing, and a count that is killed goes on where it was."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.fake_server import REPLIES, TRANSIENT_FAULTS, FakeServer, Play, Seen, answer

from evenhand.counting import Count, count, read_ledger, verify
from evenhand.models import open_model
from evenhand.models._reader._batch import batch_records
from evenhand.prompts import Message
from evenhand.running import RunOptions

TEXTS = [f"good {k}" for k in range(14)] + [f"bad {k}" for k in range(11)]
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def label(seen: Seen) -> Play:
    """Label every record of a batch by its first word."""
    records = batch_records([Message("user", seen.prompt)])
    return answer(json.dumps({id_: text.split()[0] for id_, text in records}), usage=USAGE)


def first(fault: Play, times: int = 1) -> Callable[[Seen], Play]:
    return lambda seen: fault if seen.index < times else label(seen)


def ask(server: FakeServer, out: Path, **more: float) -> Count:
    options = RunOptions(progress=False, max_attempts=2, concurrency=1, backoff_s=0.01, **more)  # type: ignore[arg-type]
    model = open_model(f"openai-compatible/fake@{server.url}")
    return count(TEXTS, ask="Good or bad?", labels=["good", "bad"], model=model, out=out, batch=10,
                 options=options)  # fmt: skip


@pytest.mark.parametrize("fault", sorted(TRANSIENT_FAULTS.keys() - {"hang", "429-retry-after"}))
def test_failures_are_asked_again(fault: str, tmp_path: Path) -> None:
    with FakeServer(first(TRANSIENT_FAULTS[fault], 2)) as server:
        found = ask(server, tmp_path)
        assert len(server.seen) == 5
    assert (found.counts, found.calls) == ({"good": 14, "bad": 11}, 3)
    assert all(check.ok for check in verify(found.ledger, TEXTS))


@pytest.mark.parametrize("reply", sorted(REPLIES))
def test_a_reply_without_labels_is_asked_again_and_then_one_by_one(
    reply: str, tmp_path: Path
) -> None:
    """Two attempts at the first batch are wasted; its ten records are then asked alone."""
    with FakeServer(first(REPLIES[reply], 2)) as server:
        found = ask(server, tmp_path)
        assert len(server.seen) == 2 + 2 + 10
    assert found.counts == {"good": 14, "bad": 11}
    asked_alone = read_ledger(found.ledger)["reply"].str.starts_with("alone-")
    assert asked_alone.sum() == 10


def test_a_server_that_is_down_leaves_it_undecided(tmp_path: Path) -> None:
    with FakeServer(first(TRANSIENT_FAULTS["503"], 10**6)) as server:
        found = ask(server, tmp_path, give_up_after_s=0.2)
    assert (found.majority, found.pending, found.exit_code) == (None, 3, 3)
    assert found.statuses["unread"] == 25
    with FakeServer(label) as server:
        assert ask(server, tmp_path).counts == {"good": 14, "bad": 11}


def test_a_count_that_was_killed_goes_on(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    pl.DataFrame({"body": TEXTS * 4}).write_csv(table)
    out = tmp_path / "out"
    with FakeServer(lambda seen: _later(label(seen))) as server:
        words = [
            "count", str(table), "--text", "body", "--ask", "?", "--labels", "good,bad",
            "--model", f"openai-compatible/fake@{server.url}", "--batch", "5", "--out", str(out),
            "--concurrency", "2",
        ]  # fmt: skip
        command = [sys.executable, "-m", "evenhand", *words]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while len(server.seen) < 8 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert not (out / "ledger.csv").exists()
        before = len(server.seen)
        assert 8 <= before < 20
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        # At most the two calls in flight were lost.
        assert 20 <= len(server.seen) <= 22
    assert done.stdout.startswith("The majority is good (good 56, bad 44).\n")
    assert all(check.ok for check in verify(out / "ledger.csv"))


def _later(play: Play) -> Play:
    return Play(completion=play.completion, latency_s=0.05)
