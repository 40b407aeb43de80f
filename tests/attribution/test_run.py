"""Contract: every valid answer of a run is attributed once; a stopped call goes on; what is left
out is counted; the numbers can be read offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.attribution.runs import small_run
from tests.running.fakes import say

from evenhand.attribution import Memory, Options, attribute, attributions
from evenhand.attribution import _run as room
from evenhand.errors import UsageError

TIE = say('{"answer": -1}')
NOTHING = say("I cannot tell.")
THOUGHTFUL = say('{"answer": "negative"}', reasoning="Hm.", reasoning_source="reasoning")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight experiments: five say positive, and one each a tie, nothing, and with reasoning."""
    out = tmp_path_factory.mktemp("runs") / "r"
    return small_run(out, replies=[say(), TIE, NOTHING, THOUGHTFUL, say(), say(), say(), say()])


def test_answers_are_attributed_and_the_rest_is_counted(
    finished: Path, model_folder: Path, tmp_path: Path
) -> None:
    summary = attribute(finished, f"hf/{model_folder}", out=tmp_path)
    assert summary.replayed == 6
    assert summary.left_out == {"a tie": 1, "no valid answer (parsing_issue)": 1}
    assert summary.exit_code == 0
    frame = attributions(finished, tmp_path)
    assert frame.height == 6
    assert frame["share"].list.len().to_list() == [20] * 6
    assert frame["share"].list.mean().to_list() == pytest.approx([1.0] * 6, rel=1e-5)
    assert frame["majority"].list.sum().to_list() == [12] * 6
    assert frame["score"].is_finite().all()
    difference = frame["second_log_probability"] - frame["first_log_probability"]
    assert frame["score"].to_list() == pytest.approx(difference.to_list(), abs=1e-5)
    stored = pl.read_parquet(tmp_path / "attribution.parquet")
    assert stored.equals(frame)


def test_a_stopped_call_goes_on_and_gives_the_same(
    finished: Path, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"hf/{model_folder}"
    whole = attribute(finished, name, out=tmp_path / "whole")
    first = attribute(finished, name, out=tmp_path / "parts", limit=2)
    assert (first.replayed, first.pending, first.exit_code) == (2, 4, 3)
    calls: list[str] = []
    from evenhand.attribution._work import replay

    def die_after_one(model: Any, tokenizer: Any, job: Any, options: Any) -> Any:
        if calls:
            raise KeyboardInterrupt
        calls.append(job.experiment_id)
        return replay(model, tokenizer, job, options)

    with monkeypatch.context() as patch:
        patch.setattr(room, "replay", die_after_one)
        with pytest.raises(KeyboardInterrupt):
            attribute(finished, name, out=tmp_path / "parts")
    done: list[int] = []
    last = attribute(
        finished, name, out=tmp_path / "parts", on_replay=lambda at, total: done.append(total)
    )
    assert done == [3, 3, 3]
    assert last.replayed == whole.replayed
    one, other = attributions(finished, whole.folder), attributions(finished, last.folder)
    assert one.drop("seconds").equals(other.drop("seconds"))


def test_another_model_or_format_is_refused(
    finished: Path, model_folder: Path, tmp_path: Path
) -> None:
    attribute(finished, f"hf/{model_folder}", out=tmp_path, limit=1)
    with pytest.raises(UsageError, match=r"begun with dtype .*another --out"):
        attribute(finished, f"hf/{model_folder}", out=tmp_path, dtype="bfloat16")


def test_longer_replays_are_left_out_and_counted(
    finished: Path, model_folder: Path, tmp_path: Path
) -> None:
    summary = attribute(
        finished, f"hf/{model_folder}", out=tmp_path, options=Options(max_tokens=300)
    )
    assert summary.replayed == 0
    assert summary.left_out["longer than 300 tokens"] == 6


def test_what_does_not_fit_is_refused_before_any_replay(
    finished: Path, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evenhand.attribution._forecast.free_bytes", lambda model: 2_500_000)
    with pytest.raises(UsageError, match=r"needs about .* GB.*up to [\d,]+ tokens fit"):
        attribute(finished, f"hf/{model_folder}", out=tmp_path, options=Options(Memory(), chunk=64))
    assert attributions(finished, tmp_path).is_empty()


def test_the_forecast_comes_first(finished: Path, model_folder: Path, tmp_path: Path) -> None:
    told: list[tuple[int, int, float]] = []
    attribute(
        finished,
        f"hf/{model_folder}",
        out=tmp_path,
        on_forecast=lambda one, replays: told.append((one.tokens, replays, one.seconds)),
        on_replay=lambda at, total: told.append((0, at, 0.0)),
    )
    longest = attributions(finished, tmp_path)["tokens"].max()
    assert told[0][:2] == (longest, 6)
    assert told[0][2] > 0
    assert len(told) == 7


def test_a_run_without_answers_or_replays_says_so(model_folder: Path, tmp_path: Path) -> None:
    run = small_run(tmp_path / "r", replies=[TIE], seeds=(0,))
    with pytest.raises(UsageError, match="no valid answer"):
        attribute(run, f"hf/{model_folder}")
    with pytest.raises(UsageError, match="evenhand attribute"):
        attributions(tmp_path / "r", tmp_path / "nowhere")
