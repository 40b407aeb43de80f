"""Contract: every valid answer of a run is attributed once; a stopped call goes on; what is left
out is counted; the numbers can be read offline."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.attribution.runs import small_run
from tests.running.fakes import say

from evenhand.attribution import (
    Contrast,
    Memory,
    Options,
    Outcome,
    attribute,
    attributions,
    contrast,
)
from evenhand.attribution._offsets import token_offsets
from evenhand.attribution._replayer import Replayer
from evenhand.attribution._work import Job
from evenhand.errors import EvenhandError, UsageError
from evenhand.results import Arrangement, arrangement, results

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
    replay = Replayer.replay

    def die_after_one(self: Replayer, job: Job) -> Outcome:
        if calls:
            raise KeyboardInterrupt
        calls.append(job.experiment_id)
        return replay(self, job)

    with monkeypatch.context() as patch:
        patch.setattr(Replayer, "replay", die_after_one)
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
    with pytest.raises(UsageError, match=r"begun with dtype float32, not bfloat16.*another --out"):
        attribute(finished, f"hf/{model_folder}", out=tmp_path, dtype="bfloat16")
    # The default is a format by name: on a CPU it is this one.
    assert attribute(finished, f"hf/{model_folder}", out=tmp_path, dtype="float32").replayed == 6


def test_a_wrong_name_leaves_nothing_behind(
    finished: Path, model_folder: Path, tmp_path: Path
) -> None:
    missing = tmp_path / "typo"
    with pytest.raises(UsageError, match="not a run folder"):
        attribute(missing, f"hf/{model_folder}")
    assert not missing.exists()
    with pytest.raises(UsageError, match="neither a folder"):
        attribute(finished, "hf/nothing", out=tmp_path / "a")
    assert attribute(finished, f"hf/{model_folder}", out=tmp_path / "a").replayed == 6


def test_longer_replays_are_left_out_and_counted(
    finished: Path, model_folder: Path, tmp_path: Path
) -> None:
    summary = attribute(
        finished, f"hf/{model_folder}", out=tmp_path, options=Options(max_tokens=300)
    )
    assert summary.replayed == 0
    assert summary.left_out["longer than 300 tokens"] == 6
    # Nothing could be done: that is a failure, though not one of the settings'.
    assert (summary.pending, summary.exit_code) == (0, 1)
    # What a small limit left out, a larger one takes up.
    again = attribute(
        finished, f"hf/{model_folder}", out=tmp_path, options=Options(max_tokens=10_000)
    )
    assert (again.replayed, again.exit_code) == (6, 0)
    assert attributions(finished, tmp_path)["reason"].null_count() == 6


def test_what_does_not_fit_is_refused_before_any_replay(
    finished: Path, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Python and Torch aside, which are large beside this model.
    monkeypatch.setattr("evenhand.attribution._shape.held_bytes", lambda: 0)
    monkeypatch.setattr("evenhand.attribution._forecast.free_bytes", lambda model: 2_000_000)
    with pytest.raises(UsageError, match=r"needs about .* GB.*up to [\d,]+ tokens fit"):
        attribute(finished, f"hf/{model_folder}", out=tmp_path, options=Options(Memory(), chunk=64))
    assert attributions(finished, tmp_path).is_empty()


def test_memory_that_runs_out_is_told_and_the_rest_is_kept(
    finished: Path, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    calls: list[int] = []

    def runs_out(*arguments: Any, **options: Any) -> Contrast:
        calls.append(1)
        if len(calls) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return contrast(*arguments, **options)

    monkeypatch.setattr("evenhand.attribution._replayer.contrast", runs_out)
    with pytest.raises(EvenhandError, match=r"out of memory with a replay of [\d,]+ tokens"):
        attribute(finished, f"hf/{model_folder}", out=tmp_path)
    assert attributions(finished, tmp_path).height == 2


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


def test_the_summary_says_whether_the_weights_are_those_that_answered(
    finished: Path, model_folder: Path, tmp_path: Path
) -> None:
    summary = attribute(finished, f"hf/{model_folder}", out=tmp_path)
    frame = attributions(finished, tmp_path)
    # S points from negative to positive.
    signs = [
        (score > 0) == (predicted == "positive")
        for score, predicted in frame.select("score", "predicted").iter_rows()
    ]
    assert frame["agrees"].to_list() == signs
    assert (summary.agreeing, summary.answered_by) == (sum(signs), "fake/model")


def test_records_without_labels_have_shares_and_no_direction(
    finished: Path, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def untold(run: Path, experiment_id: str) -> Arrangement:
        return replace(arrangement(run, experiment_id), instances=())

    monkeypatch.setattr("evenhand.attribution._run.arrangement", untold)
    assert attribute(finished, f"hf/{model_folder}", out=tmp_path).replayed == 6
    frame = attributions(finished, tmp_path)
    assert frame["majority"].to_list() == [[None] * 20] * 6
    assert frame["push"].to_list() == [[None] * 20] * 6
    assert frame["share"].list.mean().to_list() == pytest.approx([1.0] * 6, rel=1e-5)


def test_a_run_that_is_not_finished_says_so(model_folder: Path, tmp_path: Path) -> None:
    run = small_run(tmp_path / "r", seeds=(0,))
    one = results(run)["experiment_id"][0]
    # As a run leaves it that was killed before this answer came.
    with sqlite3.connect(run / "run.db") as db:
        for table in ("attempts", "outcomes"):
            db.execute(f"DELETE FROM {table} WHERE experiment_id = ?", (one,))
    summary = attribute(run, f"hf/{model_folder}")
    assert summary.replayed == 3
    assert summary.left_out == {"no answer yet: the run is unfinished": 1}


def test_one_record_that_cannot_be_read_does_not_stop_the_others(
    finished: Path, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = arrangement(finished, results(finished)["experiment_id"][0]).messages

    def fails_once(tokenizer: Any, text: str, ids: Any, messages: Any) -> list[tuple[int, int]]:
        if messages == target:
            raise UsageError("the tokenizer's tokens do not spell the prompt from character 7 on")
        return token_offsets(tokenizer, text, ids, messages)

    monkeypatch.setattr("evenhand.attribution._replay.token_offsets", fails_once)
    summary = attribute(finished, f"hf/{model_folder}", out=tmp_path)
    assert summary.replayed == 5
    assert [count for why, count in summary.left_out.items() if "do not spell" in why] == [1]


def test_another_tasks_longer_prompts_are_found(model_folder: Path, tmp_path: Path) -> None:
    # Whichever task has the longest prompt in tokens, it is not left to its characters.
    run = small_run(
        tmp_path / "r",
        tasks=("math", "sentiment"),
        counts=(10,),
        seeds=(0,),
        replies=[
            say('{"answer": "odd_number"}'),
            say('{"answer": "even_number"}'),
            say(),
            say('{"answer": "negative"}'),
        ],
    )
    told: list[int] = []
    attribute(run, f"hf/{model_folder}", on_forecast=lambda one, _: told.append(one.tokens))
    frame = attributions(run)
    assert frame["reason"].null_count() == frame.height
    assert told == [frame["tokens"].max()]
