"""Any Inspect provider is a model: same generation, same error classes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.fake_server import FAULTS, REPLIES, FakeServer, answer

from evenhand.errors import UsageError
from evenhand.models import (
    AccessRefusedError,
    ContextOverflowError,
    Generation,
    GenerationSettings,
    Model,
    ModelError,
    ParameterRefusedError,
    TransientError,
    Usage,
    open_model,
)
from evenhand.prompts import Message

pytest.importorskip("inspect_ai", reason="needs the extra inspect")

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
    StopReason,
    get_model,
)

from evenhand.models._inspect import InspectModel

PROMPT = (Message("system", "Be brief."), Message("user", "hello"))
ANSWER = '{"answer": "PER"}'


def output(content: Any = ANSWER, stop: StopReason = "stop", **usage: Any) -> ModelOutput:
    counted = {"input_tokens": 30, "output_tokens": 5, "total_tokens": 35} | usage
    choice = ChatCompletionChoice(message=ChatMessageAssistant(content=content), stop_reason=stop)
    return ModelOutput(model="mock", choices=[choice], usage=ModelUsage(**counted))


def ask(reply: ModelOutput | Callable[..., ModelOutput], **settings: Any) -> Generation:
    made = reply if callable(reply) else (lambda *_: reply)
    model = InspectModel(
        get_model("mockllm/model", custom_outputs=made, memoize=False), "inspect/mockllm/model"
    )
    assert isinstance(model, Model)

    async def call() -> Generation:
        try:
            return await model.generate(PROMPT, GenerationSettings(**settings))
        finally:
            await model.aclose()

    return asyncio.run(call())


def test_a_reply() -> None:
    generation = ask(output())
    assert generation.text == ANSWER
    assert generation.finish_reason == "stop"
    assert generation.usage == Usage(30, None, 5, None)
    assert generation.parameters == {"max_tokens": 20_000, "temperature": 0.0}


def test_what_is_asked_reaches_the_provider() -> None:
    seen: list[tuple[Any, ...]] = []

    def reply(*arguments: Any) -> ModelOutput:
        seen.append(arguments)
        return output()

    ask(reply, output_budget=123, seed=4)
    messages, _, _, config = seen[0]
    assert [(message.role, message.content) for message in messages] == [
        ("system", "Be brief."),
        ("user", "hello"),
    ]
    assert (config.max_tokens, config.temperature, config.seed) == (123, 0.0, 4)


def test_reasoning_and_cached_tokens() -> None:
    blocks = [ContentReasoning(reasoning="Count."), ContentText(text=ANSWER)]
    generation = ask(
        output(
            blocks,
            input_tokens=10,
            input_tokens_cache_read=20,
            total_tokens=35,
            reasoning_tokens=3,
        )
    )
    assert (generation.text, generation.reasoning) == (ANSWER, "Count.")
    assert generation.reasoning_source == "blocks"
    assert generation.usage == Usage(30, 20, 5, 3)


def test_a_summary_is_called_one() -> None:
    hidden = ContentReasoning(reasoning="enc", summary="In short.", redacted=True)
    generation = ask(output([hidden, ContentText(text=ANSWER)]))
    assert (generation.reasoning, generation.reasoning_source) == ("In short.", "summary")


@pytest.mark.parametrize(
    ("reply", "finish"),
    [
        (output("", "max_tokens"), "length"),
        (output("{", "model_length"), "length"),
        (output("no", "content_filter"), "content_filter"),
        (output([ContentReasoning(reasoning="Co")]), "length"),
        (output("<think>Co"), "length"),
        (output(output_tokens=20_000, total_tokens=20_030), "length"),
    ],
)
def test_how_replies_end(reply: ModelOutput, finish: str) -> None:
    assert ask(reply).finish_reason == finish


def test_a_full_context_is_told_from_a_cut_reply() -> None:
    with pytest.raises(ContextOverflowError):
        ask(output("prompt is too long", "model_length", output_tokens=0, total_tokens=30))


def test_no_choice_is_transient() -> None:
    with pytest.raises(TransientError):
        ask(ModelOutput(model="mock", choices=[], usage=ModelUsage(total_tokens=1)))


def test_a_mistake_of_the_provider_stops_and_is_short() -> None:
    def broken(*_: Any) -> ModelOutput:
        raise KeyError("x" * 5_000)

    with pytest.raises(ModelError) as caught:
        ask(broken)
    assert type(caught.value) is ModelError
    assert len(str(caught.value)) < 500


def test_a_forced_choice_is_refused() -> None:
    with pytest.raises(UsageError, match="--answer generate"):
        ask(output(), answer_mode="forced", labels=("a", "b"))


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("401", AccessRefusedError),
        ("404", AccessRefusedError),
        ("overflow-openai", ContextOverflowError),
        ("parameter-temperature", ParameterRefusedError),
    ],
)
def test_faults_behind_a_real_provider(
    fault: str, kind: type[ModelError], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    prompt = (Message("user", "Instance 1: a rather long and remarkable sentence\n" * 3_000),)
    with FakeServer(FAULTS[fault]) as server:
        model = open_model(f"inspect/openai/gpt-4o@{server.url}")
        with pytest.raises(ModelError) as caught:
            asyncio.run(model.generate(prompt, GenerationSettings()))
        assert len(server.seen) == 1
    assert type(caught.value) is kind
    assert "remarkable" not in str(caught.value)
    assert model.name == "inspect/openai/gpt-4o"


def test_inspect_does_not_retry_on_top_of_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    with FakeServer(FAULTS["429"]) as server:
        model = open_model(f"inspect/openai/gpt-4o@{server.url}")
        with pytest.raises(TransientError):
            asyncio.run(model.generate(PROMPT, GenerationSettings()))
        # The provider's own client sends a request three times; Inspect would go on for ever.
        assert len(server.seen) <= 3


def test_a_reply_behind_a_real_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    with FakeServer([REPLIES["think-closed"], answer(ANSWER)]) as server:
        model = open_model(f"inspect/openai/gpt-4o@{server.url}")

        async def call() -> list[Generation]:
            return [await model.generate(PROMPT, GenerationSettings()) for _ in range(2)]

        first, second = asyncio.run(call())
    assert first.reasoning == "Instance 1: positive"
    assert second.text == ANSWER
    assert len(server.seen) == 2


@pytest.mark.parametrize("name", ["inspect/nobody/x", "inspect/openai/gpt-4o"])
def test_what_inspect_cannot_open_is_said(name: str) -> None:
    with pytest.raises(UsageError, match="Inspect cannot open"):
        open_model(name)
