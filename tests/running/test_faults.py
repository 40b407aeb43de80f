"""Contract: what the engine makes of every fault and reply that a real server has been seen to
send, through the HTTP adapter: failures of the server are tried again and are no attempts, a full
context ends the experiment, a refusal ends the run, and replies become outcomes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fake_server import (
    ACCESS_FAULTS,
    OVERFLOW_FAULTS,
    PARAMETER_FAULTS,
    REPLIES,
    TRANSIENT_FAULTS,
    FakeServer,
    Play,
    answer,
)

from evenhand.models import AccessRefusedError, ParameterRefusedError, open_model
from evenhand.results import attempts, results
from evenhand.running import RunOptions, RunSummary, Workload, plan, run

OUTCOMES = {
    "ok": "correct",
    "length-empty": "overlong",
    "length-fragment": "overlong",
    "content-list-empty": "overlong",
    "reasoning-only": "overlong",
    "think-open": "overlong",
    "think-closed": "correct",
    "content-filter": "parsing_issue",
    "refusal": "parsing_issue",
    "unparseable": "parsing_issue",
    "off-list": "parsing_issue",
    "tie": "tie",
}


@pytest.fixture(scope="module")
def workload() -> Workload:
    """One experiment."""
    return plan(
        "core",
        tasks="sentiment",
        n=20,
        set_seeds=0,
        patterns="majority-first",
        majority_labels="positive",
        per_label=50,
    )


def ask(workload: Workload, server: FakeServer, out: Path, **more: float) -> RunSummary:
    """Run against the server."""
    options = RunOptions(progress=False, **{"backoff_s": 0.01, **more})  # type: ignore[arg-type]
    return run(workload, open_model(f"openai-compatible/fake@{server.url}"), out, options)


@pytest.mark.parametrize("fault", sorted(TRANSIENT_FAULTS.keys() - {"hang", "429-retry-after"}))
def test_failures_of_the_server_are_tried_again(
    fault: str, workload: Workload, tmp_path: Path
) -> None:
    plays = [TRANSIENT_FAULTS[fault], TRANSIENT_FAULTS[fault], answer()]
    with FakeServer(plays) as server:
        summary = ask(workload, server, tmp_path)
        assert len(server.seen) == 3
    assert (summary.outcomes, summary.faults, summary.calls) == ({"correct": 1}, 2, 1)
    assert attempts(tmp_path)["attempt"].to_list() == [1]


def test_retry_after_is_waited_for(workload: Workload, tmp_path: Path) -> None:
    with FakeServer([TRANSIENT_FAULTS["429-retry-after"], answer()]) as server:
        assert ask(workload, server, tmp_path).done == 1
        first, second = server.seen
    assert second.started - first.started >= 1.0


def test_a_server_that_stays_down_leaves_everything_pending(
    workload: Workload, tmp_path: Path
) -> None:
    with FakeServer(TRANSIENT_FAULTS["503"]) as server:
        summary = ask(workload, server, tmp_path, give_up_after_s=0.2)
    assert (summary.stop, summary.pending, summary.exit_code) == ("gave_up", 1, 3)
    assert results(tmp_path).height == 0
    with FakeServer() as server:
        assert ask(workload, server, tmp_path).exit_code == 0


def test_no_server_at_all(workload: Workload, tmp_path: Path) -> None:
    with FakeServer() as server:
        pass
    summary = ask(workload, server, tmp_path, give_up_after_s=0.2)
    assert (summary.stop, summary.pending) == ("gave_up", 1)


@pytest.mark.parametrize("fault", sorted(OVERFLOW_FAULTS))
def test_a_full_context_is_an_invalid_input(fault: str, workload: Workload, tmp_path: Path) -> None:
    with FakeServer(OVERFLOW_FAULTS[fault]) as server:
        summary = ask(workload, server, tmp_path)
        assert len(server.seen) == 1
    assert summary.outcomes == {"invalid_input": 1}
    error = attempts(tmp_path)["error"].item()
    assert 0 < len(error) <= 600


@pytest.mark.parametrize("fault", sorted({**PARAMETER_FAULTS, **ACCESS_FAULTS}))
def test_a_refusal_ends_the_run(fault: str, workload: Workload, tmp_path: Path) -> None:
    kind = ParameterRefusedError if fault in PARAMETER_FAULTS else AccessRefusedError
    with FakeServer({**PARAMETER_FAULTS, **ACCESS_FAULTS}[fault]) as server:
        with pytest.raises(kind):
            ask(workload, server, tmp_path)
        assert len(server.seen) == 1
    with FakeServer() as server:
        assert ask(workload, server, tmp_path).done == 1


@pytest.mark.parametrize(("reply", "outcome"), sorted(OUTCOMES.items()))
def test_replies_become_outcomes(
    reply: str, outcome: str, workload: Workload, tmp_path: Path
) -> None:
    with FakeServer(REPLIES[reply]) as server:
        ask(workload, server, tmp_path)
        assert len(server.seen) == (1 if outcome in {"correct", "tie"} else 3)
    row = results(tmp_path).row(0, named=True)
    assert row["outcome"] == outcome
    if outcome == "parsing_issue":
        assert attempts(tmp_path)["reason"].null_count() == 0


def test_every_reply_of_the_fake_server_is_looked_at() -> None:
    assert OUTCOMES.keys() | {"capped-stop"} == REPLIES.keys()


def test_a_reply_without_an_answer_that_used_the_cap_is_overlong(
    workload: Workload, tmp_path: Path
) -> None:
    usage = {"prompt_tokens": 20, "completion_tokens": 20_000}
    with FakeServer(answer("Instance 1: positive", usage=usage)) as server:
        ask(workload, server, tmp_path)
    assert results(tmp_path)["outcome"].item() == "overlong"


def test_the_key_is_written_nowhere(
    workload: Workload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = "sk-planted-0123456789"
    monkeypatch.setenv("EVENHAND_API_KEY", key)
    careless = Play(status=503, body=f'{{"error":{{"message":"bad key {key}"}}}}'.encode())
    with FakeServer([careless, answer(f"{key} and no answer"), answer()], key=key) as server:
        ask(workload, server, tmp_path / "run")
    with FakeServer(key="another") as server, pytest.raises(AccessRefusedError) as raised:
        ask(workload, server, tmp_path / "refused")
    assert key not in str(raised.value)
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert key.encode() not in file.read_bytes(), file
