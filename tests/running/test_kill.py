"""Contract: killed twenty times at random moments, a run of 270 experiments ends with every
experiment there once, and the server sees no call again whose attempt was stored; at most the
calls in flight at a kill are lost."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tests.fake_server import FakeServer, answer

from evenhand.results import attempts, results

PROGRAM = Path(__file__).with_name("run_here.py")
CONCURRENCY = 4
KILLS = 20
TIE = '{"answer": -1}'  # valid for every task


@contextmanager
def running(url: str, folder: Path, seeds: int = 3) -> Iterator[subprocess.Popen[str]]:
    """The program, killed at the end if it still runs."""
    command = [sys.executable, str(PROGRAM), url, str(folder), str(seeds)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def stored(folder: Path) -> set[str]:
    """Prompts whose attempts the folder holds."""
    if not (folder / "run.db").exists():
        return set()
    with closing(sqlite3.connect(folder / "run.db")) as db:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
        if "attempts" not in tables:
            return set()
        return {sha for (sha,) in db.execute("SELECT prompt_sha256 FROM attempts")}


def test_twenty_kills(tmp_path: Path) -> None:
    dice = random.Random(20)
    folder = tmp_path / "run"
    with FakeServer(lambda seen: answer(TIE, latency_s=dice.uniform(0.005, 0.03))) as server:
        lost = 0
        for kill in range(KILLS):
            before, seen_before = stored(folder), len(server.seen)
            with running(server.url, folder) as process:
                # Every third kill falls anywhere in the start-up; the others among the calls.
                deadline = time.monotonic() + (dice.uniform(0, 1.0) if kill % 3 == 0 else 60)
                while time.monotonic() < deadline and len(server.seen) == seen_before:
                    time.sleep(0.002)
                time.sleep(dice.uniform(0, 0.1))
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
            asked = [seen.messages_sha256 for seen in server.seen[seen_before:]]
            assert not before & set(asked), "a stored call was made again"
            assert len(asked) == len(set(asked))
            lost += len(set(asked) - stored(folder))
            assert len(set(asked) - stored(folder)) <= CONCURRENCY
        with running(server.url, folder) as process:
            output, errors = process.communicate(timeout=60)
        assert (process.returncode, output.strip()) == (0, "done"), errors
        assert len(server.seen) == 270 + lost
    assert results(folder)["experiment_id"].n_unique() == results(folder).height == 270
    assert set(Counter(attempts(folder)["experiment_id"]).values()) == {1}


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    with (
        FakeServer(answer(TIE, latency_s=0.5)) as server,
        running(server.url, tmp_path, 1) as first,
    ):
        while not server.seen:
            time.sleep(0.005)
        with running(server.url, tmp_path, 1) as second:
            _, errors = second.communicate(timeout=60)
        assert second.returncode != 0
        assert f"in use by another evenhand process (process {first.pid})" in errors
        assert first.poll() is None


def test_one_interrupt_lets_the_calls_in_flight_come_home(tmp_path: Path) -> None:
    with FakeServer(answer(TIE, latency_s=0.3)) as server:
        with running(server.url, tmp_path, 1) as process:
            while len(server.seen) < CONCURRENCY:
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=30)
        assert process.returncode == 3, errors
        assert "stopped by request" in output
        assert all(seen.finished for seen in server.seen)
        assert len(stored(tmp_path)) == len(server.seen) < 90


def test_two_interrupts_stop_now(tmp_path: Path) -> None:
    with FakeServer(answer(TIE, latency_s=30.0)) as server:
        with running(server.url, tmp_path, 1) as process:
            while len(server.seen) < CONCURRENCY:
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
            time.sleep(0.3)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=20)
        assert process.returncode == 3, errors
        assert "stopped by request" in output
    assert stored(tmp_path) == set()
