"""A completion read into a generation: reasoning, usage, cost, upstream, finish reason."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.fake_server import Play, answer
from tests.models.http_helpers import ask

from evenhand.models import Usage
from evenhand.models._http._reasoning import Voice, read_voice
from evenhand.models._http._usage import read_cost, read_usage

ANSWER = '{"answer": "PER"}'

VOICES: list[tuple[str, dict[str, Any], Voice]] = [
    ("plain", {"content": ANSWER}, Voice(ANSWER)),
    (
        "reasoning",
        {"content": ANSWER, "reasoning": "Count."},
        Voice(ANSWER, "Count.", "reasoning"),
    ),
    (
        "reasoning_content",
        {"content": ANSWER, "reasoning_content": "Count."},
        Voice(ANSWER, "Count.", "reasoning_content"),
    ),
    (
        "both, the same: the first",
        {"content": ANSWER, "reasoning": "A", "reasoning_content": "A"},
        Voice(ANSWER, "A", "reasoning"),
    ),
    (
        "thinking block with text",
        {
            "content": [
                {"type": "thinking", "thinking": "Count."},
                {"type": "text", "text": ANSWER},
            ]
        },
        Voice(ANSWER, "Count.", "blocks"),
    ),
    (
        "thinking block of blocks",
        {
            "content": [
                {
                    "type": "thinking",
                    "thinking": [{"type": "text", "text": "Co"}, {"text": "unt."}],
                },
                {"type": "text", "text": ANSWER},
            ]
        },
        Voice(ANSWER, "Count.", "blocks"),
    ),
    (
        "text blocks and strings",
        {"content": [{"type": "output_text", "text": '{"answer": '}, '"PER"}']},
        Voice(ANSWER),
    ),
    (
        "details that are text",
        {"content": ANSWER, "reasoning_details": [{"type": "reasoning.text", "text": "Count."}]},
        Voice(ANSWER, "Count.", "blocks"),
    ),
    (
        "details that are summaries",
        {
            "content": ANSWER,
            "reasoning": "In short.",
            "reasoning_details": [{"type": "reasoning.summary", "summary": "In short."}],
        },
        Voice(ANSWER, "In short.", "summary"),
    ),
    (
        "encrypted details hold nothing",
        {"content": ANSWER, "reasoning_details": [{"type": "reasoning.encrypted", "data": "xyz"}]},
        Voice(ANSWER),
    ),
    (
        "a summary list",
        {"content": ANSWER, "summary": [{"type": "summary_text", "text": "In short."}]},
        Voice(ANSWER, "In short.", "summary"),
    ),
    (
        "tags",
        {"content": f"<think>\nCount.\n</think>\n\n{ANSWER}"},
        Voice(ANSWER, "Count.", "think_tags"),
    ),
    (
        "thought tags",
        {"content": f"<thought>Count.</thought>{ANSWER}"},
        Voice(ANSWER, "Count.", "think_tags"),
    ),
    (
        "square tags",
        {"content": f"[THINK]Count.[/THINK]{ANSWER}"},
        Voice(ANSWER, "Count.", "think_tags"),
    ),
    (
        "only a closing tag",
        {"content": f"Count.\n</think>\n{ANSWER}"},
        Voice(ANSWER, "Count.", "think_tags"),
    ),
    (
        "never closed",
        {"content": "<think>Instance 1"},
        Voice("<think>Instance 1", "Instance 1", "think_tags", unfinished=True),
    ),
    (
        "a tag later in the text is text",
        {"content": f"I will <think> now. {ANSWER}"},
        Voice(f"I will <think> now. {ANSWER}"),
    ),
    (
        "a field wins over tags",
        {"content": f"<think>x</think>{ANSWER}", "reasoning": "Count."},
        Voice(f"<think>x</think>{ANSWER}", "Count.", "reasoning"),
    ),
    ("null", {"content": None}, Voice("")),
    ("no content", {}, Voice("")),
    ("empty list", {"content": []}, Voice("")),
    ("null reasoning", {"content": ANSWER, "reasoning": None}, Voice(ANSWER)),
    ("only reasoning", {"content": None, "reasoning": "Co"}, Voice("", "Co", "reasoning")),
    ("a number is no text", {"content": 3}, Voice("")),
]


@pytest.mark.parametrize(("name", "message", "voice"), VOICES)
def test_text_and_reasoning_are_separated(name: str, message: dict[str, Any], voice: Voice) -> None:
    assert read_voice(message) == voice


def test_a_model_known_to_summarise_is_believed() -> None:
    assert read_voice({"content": "x", "reasoning": "y"}, "summary").source == "summary"
    assert read_voice({"content": "x"}, "summary").source is None


BLOCK_FIELDS = st.sampled_from(["type", "text", "thinking", "content"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(BLOCK_FIELDS, inner),
)


@given(ANYTHING)
def test_no_content_whatever_raises(content: Any) -> None:
    voice = read_voice({"content": content, "reasoning_details": content, "summary": content})
    assert isinstance(voice.text, str)


USAGES: list[tuple[str, Any, Usage]] = [
    (
        "OpenAI",
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 64},
            "completion_tokens_details": {"reasoning_tokens": 40},
        },
        Usage(100, 64, 50, 40),
    ),
    (
        "Gemini counts reasoning beside",
        {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 150},
        Usage(100, None, 50, 40),
    ),
    (
        "xAI names it and counts it beside",
        {
            "prompt_tokens": 100,
            "completion_tokens": 10,
            "total_tokens": 150,
            "completion_tokens_details": {"reasoning_tokens": 40},
        },
        Usage(100, None, 50, 40),
    ),
    (
        "a total that says something else is left alone",
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 170,
            "completion_tokens_details": {"reasoning_tokens": 40},
        },
        Usage(100, None, 50, 40),
    ),
    (
        "DeepSeek",
        {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 150,
            "prompt_cache_hit_tokens": 30,
            "prompt_cache_miss_tokens": 70,
        },
        Usage(100, 30, 50, None),
    ),
    (
        "Anthropic-style",
        {"input_tokens": 100, "output_tokens": 50, "cache_read_input_tokens": 30},
        Usage(100, 30, 50, None),
    ),
    (
        "nulls",
        {"prompt_tokens": None, "completion_tokens": 5, "prompt_tokens_details": None},
        Usage(None, None, 5, None),
    ),
    ("nonsense", {"prompt_tokens": "many", "completion_tokens": -1, "total_tokens": True}, Usage()),
    ("beyond reason", {"prompt_tokens": 10**30, "completion_tokens": float("inf")}, Usage()),
    ("not a number", {"prompt_tokens": float("nan"), "completion_tokens": 7}, Usage(None, None, 7)),
    ("none", None, Usage()),
    ("a list", [1], Usage()),
]


@pytest.mark.parametrize(("name", "usage", "expected"), USAGES)
def test_usage(name: str, usage: Any, expected: Usage) -> None:
    assert read_usage(usage) == expected


def test_cost_is_the_servers_or_unknown() -> None:
    assert read_cost({"cost": 0.00078}) == 0.00078
    assert read_cost({"cost": 0}) == 0.0
    unknowns: list[Any] = [{}, None, {"cost": None}, {"cost": "0.1"}, {"cost": True}, {"cost": -1}]
    unknowns += [{"cost": float("inf")}, {"cost": float("nan")}, {"cost": 10**400}]
    for unknown in unknowns:
        assert read_cost(unknown) is None


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
class TestWholeReply:
    """Streamed or not, the same generation."""

    def test_everything_a_router_says(self, stream: bool) -> None:
        play = answer(
            ANSWER,
            reasoning="Instance 1 is a person. Ünïcödé \u2028 and all.",
            usage={
                "prompt_tokens": 9,
                "completion_tokens": 7,
                "total_tokens": 16,
                "cost": 0.002,
                "completion_tokens_details": {"reasoning_tokens": 4},
            },
            provider="DeepInfra",
        )
        generation = ask(play, stream=stream)
        assert generation.text == ANSWER
        assert generation.reasoning == "Instance 1 is a person. Ünïcödé \u2028 and all."
        assert generation.reasoning_source == "reasoning"
        assert generation.usage == Usage(9, None, 7, 4)
        assert generation.cost_usd == 0.002
        assert generation.upstream == "DeepInfra"
        assert generation.finish_reason == "stop"
        assert 0 < generation.latency_s < 5

    def test_the_upstream_may_stand_in_a_header(self, stream: bool) -> None:
        play = answer(ANSWER)
        headed = Play(completion=play.completion, headers={"X-Provider": "Somewhere"})
        assert ask(headed, stream=stream).upstream == "Somewhere"

    @pytest.mark.parametrize(
        ("provider", "model", "upstream"),
        [
            (None, "fake", None),
            (None, "fake-2026-11", "fake-2026-11"),
            ("DeepInfra", "fake", "DeepInfra"),
            ("DeepInfra", "other", "DeepInfra: other"),
            (None, None, None),
            (None, 7, None),
        ],
    )
    def test_another_model_than_asked_for_is_told(
        self, stream: bool, provider: str | None, model: object, upstream: str | None
    ) -> None:
        play = answer(ANSWER, provider=provider, model=model)
        assert ask(play, stream=stream).upstream == upstream

    def test_content_blocks(self, stream: bool) -> None:
        blocks = [{"type": "thinking", "thinking": "Count."}, {"type": "text", "text": ANSWER}]
        generation = ask(answer(blocks), stream=stream)
        assert (generation.text, generation.reasoning) == (ANSWER, "Count.")

    @pytest.mark.parametrize(
        ("said", "kept"),
        [
            ("stop", "stop"),
            ("STOP", "stop"),
            ("end_turn", "stop"),
            ("length", "length"),
            ("MAX_TOKENS", "length"),
            ("max_output_tokens", "length"),
            ("SAFETY", "content_filter"),
            ("tool_calls", "tool_calls"),
            ("repetition_truncation", "repetition_truncation"),
        ],
    )
    def test_finish_reasons(self, stream: bool, said: str, kept: str) -> None:
        assert ask(answer(ANSWER, finish_reason=said), stream=stream).finish_reason == kept

    def test_a_split_budget_may_use_it_all_up(self, stream: bool) -> None:
        usage = {"prompt_tokens": 9, "completion_tokens": 20_000}
        split: dict[str, Any] = {"split_completion": 20, "budget_field": "reasoning.max_tokens"}
        assert ask(answer(ANSWER, usage=usage), stream=stream, **split).finish_reason == "stop"
        assert ask(answer(ANSWER, usage=usage), stream=stream).finish_reason == "length"


def test_a_reply_that_ignores_the_wish_to_stream_is_read_whole() -> None:
    import json

    completion = answer(ANSWER, usage={"prompt_tokens": 1, "completion_tokens": 2}).completion
    generation = ask(Play(body=json.dumps(completion).encode()))
    assert generation.text == ANSWER
    assert generation.usage.output_tokens == 2


def test_a_whole_reply_without_a_finish_reason_is_called_unknown() -> None:
    generation = ask(answer(ANSWER, finish_reason=None), stream=False)
    assert generation.finish_reason == "unknown"
