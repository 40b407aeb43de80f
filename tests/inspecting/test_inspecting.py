"""The probe inside Inspect: the same prompts, the same outcomes, and a log that imports."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from evenhand.errors import UsageError
from evenhand.inspecting import read_inspect_log
from evenhand.models import Generation, GenerationSettings, TokenCount, Usage
from evenhand.prompts import Message, messages_sha256
from evenhand.results import RESULTS_SCHEMA, results
from evenhand.running import RunOptions, plan, run

pytest.importorskip("inspect_ai", reason="needs the extra inspect")

import inspect_ai
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)

from evenhand.inspecting import _registry

# Four experiments: one task, one set seed, one majority label.
SMALL: dict[str, Any] = {
    "tasks": ("sentiment",),
    "n": (20,),
    "set_seeds": (0,),
    "majority_labels": ("positive",),
    "patterns": ("majority-first", "majority-last", "majority-edges", "majority-middle"),
}
Reply = tuple[str, StopReason]


def reply_to(prompt: str, turn: int) -> Reply:
    """By the prompt's first instance, so that both engines see the same; the first turn fails."""
    kind = int(messages_sha256([Message("user", prompt)])[:6], 16) % 4
    if kind == 0:
        return '{"answer": "positive"}', "stop"
    if kind == 1:
        return ("no idea", "stop") if turn == 0 else ('{"answer": "negative"}', "stop")
    if kind == 2:
        return '{"answer": "posi', "max_tokens"
    return '<think>positive</think>{"answer": "-1"}', "stop"


class Scripted:
    """The same replies as a model of this package."""

    @property
    def name(self) -> str:
        return "scripted/x"

    @property
    def context_window(self) -> int | None:
        return None

    @property
    def max_concurrency(self) -> int | None:
        return 1

    def __init__(self) -> None:
        self.turns: dict[str, int] = {}

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        prompt = messages[-1].content
        turn = self.turns.get(prompt, 0)
        self.turns[prompt] = turn + 1
        text, stop = reply_to(prompt, turn)
        finish = "length" if stop == "max_tokens" else stop
        return Generation(text, finish, usage=Usage(100, None, 10, None))

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        return TokenCount(100, exact=True)

    async def aclose(self) -> None:
        return None


def output(text: str, stop: StopReason = "stop") -> ModelOutput:
    choice = ChatCompletionChoice(message=ChatMessageAssistant(content=text), stop_reason=stop)
    usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)
    return ModelOutput(model="mock", choices=[choice], usage=usage)


def evaluate(
    folder: Path, task: inspect_ai.Task, reply: Callable[..., ModelOutput]
) -> tuple[EvalLog, Path]:
    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    (log,) = inspect_ai.eval(
        task, model=model, log_dir=str(folder), display="none", score_display=False, epochs=1
    )
    assert log.status == "success", log.error
    return log, Path(log.location.removeprefix("file://"))


def scripted() -> Callable[..., ModelOutput]:
    turns: dict[str, int] = {}

    def reply(messages: list[Any], *_: Any) -> ModelOutput:
        prompt = messages[-1].text
        turn = turns.get(prompt, 0)
        turns[prompt] = turn + 1
        return output(*reply_to(prompt, turn))

    return reply


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> tuple[EvalLog, Path]:
    return evaluate(tmp_path_factory.mktemp("logs"), _registry.core(**SMALL), scripted())


def test_one_sample_an_experiment_with_its_exact_messages() -> None:
    workload = plan("core", **SMALL)
    samples: list[Sample] = list(_registry.core(**SMALL).dataset)
    assert [sample.id for sample in samples] == [e.id for e in workload.experiments]
    for sample, experiment in zip(samples, workload.experiments, strict=True):
        assert not isinstance(sample.input, str)
        sent = [(message.role, message.text) for message in sample.input]
        assert sent == [(m.role, m.content) for m in workload.prompt(experiment).messages]
        assert sample.target == "positive"


def test_the_same_text_comes_to_the_same_row_as_in_a_run(
    evaluated: tuple[EvalLog, Path], tmp_path: Path
) -> None:
    imported = read_inspect_log(evaluated[1])
    run(plan("core", **SMALL), Scripted(), tmp_path / "run", RunOptions(progress=False))
    own = results(tmp_path / "run")
    assert dict(imported.schema) == dict(RESULTS_SCHEMA)
    differing = {"model", "latency_s", "cost_usd", "parameters_sha256"}
    columns = [name for name in RESULTS_SCHEMA if name not in differing]
    assert (
        imported.select(columns)
        .sort("experiment_id")
        .equals(own.select(columns).sort("experiment_id"))
    )
    assert imported["outcome"].n_unique() > 1
    assert imported["attempts"].max() == 3
    assert imported["model"].unique().to_list() == ["inspect/mockllm/model"]


def test_metrics(evaluated: tuple[EvalLog, Path]) -> None:
    log, path = evaluated
    frame = read_inspect_log(path)
    assert log.results is not None
    found = {
        name: metric.value for score in log.results.scores for name, metric in score.metrics.items()
    }
    valid = frame.filter(pl.col("valid"))
    assert found["evenhand/accuracy"] == pytest.approx(valid["correct"].mean())
    assert found["evenhand/invalid_rate"] == pytest.approx(
        frame.filter(~pl.col("valid")).height / frame.height
    )
    assert {"majority-first", "majority-middle", "gap"} <= set(found)


def test_a_full_context_is_an_invalid_input_after_one_attempt(tmp_path: Path) -> None:
    calls: list[int] = []

    def reply(*_: Any) -> ModelOutput:
        calls.append(1)
        full = output("prompt is too long", "model_length")
        full.usage = ModelUsage(input_tokens=100, output_tokens=0, total_tokens=100)
        return full

    task = _registry.core(**SMALL | {"patterns": ("majority-first",)})
    frame = read_inspect_log(evaluate(tmp_path, task, reply)[1])
    assert frame["outcome"].to_list() == ["invalid_input"]
    assert frame["attempts"].to_list() == [1]
    assert len(calls) == 1


def test_the_self_variant_is_two_calls(tmp_path: Path) -> None:
    seen: list[str] = []

    def reply(messages: list[Any], *_: Any) -> ModelOutput:
        seen.append(messages[-1].text)
        return output("Count them one by one.") if len(seen) == 1 else output('{"answer": "-1"}')

    axes = SMALL | {"patterns": ("majority-first",), "variants": ("self",)}
    frame = read_inspect_log(evaluate(tmp_path, _registry.core(**axes), reply)[1])
    workload = plan("core", **axes)
    (experiment,) = workload.experiments
    final = workload.prompt(experiment, "Count them one by one.").messages
    first = workload.first_stage(experiment)
    assert first is not None
    assert seen == [first[-1].content, final[-1].content]
    assert frame["outcome"].to_list() == ["tie"]
    assert frame["prompt_sha256"].to_list() == [messages_sha256(final)]
    assert frame["input_tokens"].to_list() == [200]


@pytest.mark.parametrize(("given", "count"), [("sentiment,wsd", 2), (["sentiment"], 1)])
def test_axes_as_a_command_line_gives_them(given: Any, count: int) -> None:
    task = _registry.core(tasks=given, n=20, set_seeds=0, patterns="majority-first")
    assert len(task.dataset) == 2 * count


def test_an_axis_that_is_wrong_is_said() -> None:
    with pytest.raises(UsageError, match="unknown"):
        _registry.core(tasks="sentimant")


def test_a_log_of_another_task_is_refused(tmp_path: Path) -> None:
    other = inspect_ai.Task(dataset=[Sample(input="hi", target="x")], name="other")
    _, path = evaluate(tmp_path, other, lambda *_: output("x"))
    with pytest.raises(UsageError, match="only logs of evenhand"):
        read_inspect_log(path)


def test_a_file_that_is_no_log(tmp_path: Path) -> None:
    broken = tmp_path / "x.eval"
    broken.write_bytes(b"nothing")
    with pytest.raises(UsageError, match="not a log"):
        read_inspect_log(broken)
    with pytest.raises(UsageError, match="no log at"):
        read_inspect_log(tmp_path / "none.eval")


def test_the_command(
    evaluated: tuple[EvalLog, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    import typer

    from evenhand.cli import _import

    app = typer.Typer()
    app.callback()(lambda: None)
    _import.register(app)
    target = tmp_path / "core.parquet"
    monkeypatch.setattr(
        sys, "argv", ["evenhand", "import", str(evaluated[1]), "--out", str(target), "--json"]
    )
    with pytest.raises(SystemExit) as caught:
        app()
    assert not caught.value.code
    told = json.loads(capsys.readouterr().out)
    assert told["experiments"] == len(evaluated[0].samples or ())
    assert results(target).equals(read_inspect_log(evaluated[1]))
