"""The filter asks each model once for each instance, and keeps what all of them answer right."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from evenhand.errors import EvenhandError, UsageError
from evenhand.models import (
    Generation,
    GenerationSettings,
    Model,
    TokenCount,
    TransientError,
    open_model,
)
from evenhand.pools import Instance, Pool, load_pool, read_pool
from evenhand.prompts import Message, fold, render
from evenhand.running import FilterResult, RunOptions, filter_pool
from evenhand.tasks import Task, load_task

MATH = load_task("math")
OPTIONS = RunOptions(progress=False, backoff_s=0.001)
PROBLEMS = Pool(
    "math",
    "sums",
    tuple(
        Instance(f"s:{k}", f"What is {k} times 1000?\nThink.", "even_number", 1000 * k)
        if k < 4
        else Instance(f"s:{k}", f"What is {k} plus 0?", "odd_number" if k % 2 else "even_number", k)
        for k in range(1, 8)
    ),
)


@dataclass(slots=True)
class Scripted:
    """Answers by a function of the instance's text, and counts what it is asked."""

    name: str
    reply: Callable[[str], str]
    asked: list[str] = field(default_factory=list)
    fails_after: int | None = None
    context_window: int | None = None
    max_concurrency: int | None = None

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        if self.fails_after is not None and len(self.asked) >= self.fails_after:
            raise TransientError("down")
        text = messages[-1].content.rpartition("Instance 1: ")[2]
        self.asked.append(text)
        return Generation(text=self.reply(text))

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        return TokenCount(1, exact=True)

    async def aclose(self) -> None:
        """Nothing to free."""


BY_TEXT = {fold(instance.text): instance for instance in PROBLEMS.instances}


def in_words(text: str) -> str:
    """Right, in every form that the number grammar knows; wrong on 5, silent on 6."""
    answer = BY_TEXT[text].answer
    assert answer is not None
    forms = (f"It is **{answer:,}**.", f'{{"answer": "${answer:,}.00"}}', f"{answer:,}.")
    return {5: '{"answer": 7}', 6: "I cannot say."}.get(answer, forms[answer % 3])


def by_parity(text: str) -> str:
    """Knows the parity and nothing else: wrong for the filter, save on 2000 and 7."""
    answer = BY_TEXT[text].answer
    return json.dumps({"answer": 2000 if answer is not None and answer % 2 == 0 else 7})


def run_filter(out: Path, *models: Scripted) -> FilterResult:
    return filter_pool(MATH, PROBLEMS, models, out, output_budget=100, options=OPTIONS)


def test_exact_numbers_decide_not_parity(tmp_path: Path) -> None:
    result = run_filter(tmp_path, Scripted("m/words", in_words), Scripted("m/parity", by_parity))
    assert result.agreement is not None
    assert result.agreement.correct == {"m/words": 5, "m/parity": 2}
    assert result.agreement.unanswered == {"m/words": 1, "m/parity": 0}
    assert result.pool is not None
    assert [i.id for i in result.pool.instances] == ["s:2", "s:7"]
    assert result.path == tmp_path / "math.pool.parquet"
    assert read_pool(result.path, MATH) == result.pool
    assert load_pool(MATH, data=tmp_path).name == "sums-filtered"
    assert result.pool.provenance["filter_settings"] == (
        "temperature 0, up to 3 attempts, 100 output tokens"
    )


def test_nothing_is_asked_twice_and_invalid_answers_get_three_attempts(tmp_path: Path) -> None:
    first, second = Scripted("m/words", in_words), Scripted("m/parity", by_parity)
    before = run_filter(tmp_path, first, second)
    assert (len(first.asked), len(second.asked)) == (7 + 2, 7)
    content = (tmp_path / "math.pool.parquet").read_bytes()
    again = Scripted("m/words", in_words)
    after = run_filter(tmp_path, again, Scripted("m/parity", by_parity))
    assert again.asked == []
    assert after.agreement == before.agreement
    assert (tmp_path / "math.pool.parquet").read_bytes() == content
    third = Scripted("m/third", in_words)
    run_filter(tmp_path, Scripted("m/words", in_words), third)
    assert len(third.asked) == 9


def test_an_unfinished_filter_writes_no_pool_and_goes_on(tmp_path: Path) -> None:
    impatient = RunOptions(
        progress=False, backoff_s=0.001, give_up_after_s=0.01, concurrency=1, max_attempts=1
    )
    stuck = Scripted("m/words", in_words, fails_after=3)
    result = filter_pool(MATH, PROBLEMS, [stuck], tmp_path, options=impatient)
    assert (result.agreement, result.pool, result.path) == (None, None, None)
    assert result.summaries["m/words"].pending == 4
    assert not (tmp_path / "math.pool.parquet").exists()
    more = Scripted("m/words", in_words)
    assert filter_pool(MATH, PROBLEMS, [more], tmp_path, options=impatient).pool is not None
    assert len(more.asked) == 4
    assert not set(more.asked) & set(stuck.asked)


@pytest.mark.parametrize("name", ["math", "wsd"])
def test_two_readers_agree_as_their_errors_say(name: str, tmp_path: Path) -> None:
    """What each reader gets right is asked for on its own, through another prompt.

    The rates, 0.9 and 0.8, are independent: both right in 0.72. The bound on 300 instances is
    four standard deviations, 4 * sqrt(300 * 0.72 * 0.28).
    """
    task = load_task(name)
    pool = load_pool(task, per_label=150)
    key = {fold(instance.text): instance.label for instance in pool.instances}
    specs = ("reader/noisy-0.9", "reader/noisy-0.8")
    right = [
        {i.id for i in pool.instances if _is_right(task, i, open_model(s, answer_key=key))}
        for s in specs
    ]
    readers = [open_model(spec, answer_key=key) for spec in specs]
    result = filter_pool(task, pool, readers, tmp_path, options=OPTIONS)
    found = result.agreement
    assert found is not None
    assert found.instances == 300
    assert found.correct == {spec: len(ids) for spec, ids in zip(specs, right, strict=True)}
    assert found.all_correct == len(right[0] & right[1]) == pytest.approx(216, abs=31)
    assert found.all_wrong == 300 - len(right[0] | right[1])
    assert found.only == dict(
        zip(specs, (len(right[0] - right[1]), len(right[1] - right[0])), strict=True)
    )
    assert result.pool is not None
    assert {i.id for i in result.pool.instances} == right[0] & right[1]


def _is_right(task: Task, instance: Instance, reader: Model) -> bool:
    """Whether a reader labels an instance right, asked in the standard prompt."""
    messages = render(task, [instance]).messages
    settings = GenerationSettings(labels=task.labels)
    reply = asyncio.run(reader.generate(messages, settings))
    return reply.text == json.dumps({"answer": instance.label})


def test_faults(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least one model"):
        run_filter(tmp_path)
    with pytest.raises(UsageError, match="named twice"):
        run_filter(tmp_path, Scripted("m/a", in_words), Scripted("m/a", in_words))
    forced = RunOptions(answer_mode="forced")
    with pytest.raises(UsageError, match="use answer mode generate"):
        filter_pool(MATH, PROBLEMS, [Scripted("m/a", in_words)], tmp_path, options=forced)
    bare = Pool("math", "bare", (Instance("x", "y", "odd_number"),))
    with pytest.raises(UsageError, match="1 instances of pool bare have none, such as x"):
        filter_pool(MATH, bare, [Scripted("m/a", in_words)], tmp_path)


def test_another_pool_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    run_filter(tmp_path, Scripted("m/words", in_words))
    fewer = Pool("math", "sums", PROBLEMS.instances[:-1])
    with pytest.raises(EvenhandError, match="was begun with other settings"):
        filter_pool(
            MATH,
            fewer,
            [Scripted("m/words", in_words)],
            tmp_path,
            output_budget=100,
            options=OPTIONS,
        )
