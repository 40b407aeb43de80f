"""What is sent: the body, field by field, as the catalog words it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.fake_server import FakeServer
from tests.models.http_helpers import PROMPT, ask_server

from evenhand.errors import UsageError
from evenhand.models import GenerationSettings, ModelSpec
from evenhand.models._http import HttpModel
from evenhand.models._http._request import parameters
from evenhand.prompts import Message, messages_sha256

PLAIN = ModelSpec("openrouter/qwen/qwen3.6-plus", stream=False)
SETTINGS = GenerationSettings(output_budget=20_000, seed=3)

CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("the least", {}, {"max_tokens": 20_000, "temperature": 0.0}),
    (
        "another cap field, no temperature",
        {"cap_field": "max_completion_tokens", "temperature": False},
        {"max_completion_tokens": 20_000},
    ),
    (
        "a seed where the server takes one",
        {"seed_field": "seed"},
        {"max_tokens": 20_000, "temperature": 0.0, "seed": 3},
    ),
    (
        "an empty seed field sends none",
        {"seed_field": ""},
        {"max_tokens": 20_000, "temperature": 0.0},
    ),
    (
        "streamed",
        {"stream": True},
        {
            "max_tokens": 20_000,
            "temperature": 0.0,
            "stream": True,
            "stream_options": {"include_usage": True},
        },
    ),
    (
        "a split budget (C.2): 20 completion tokens, 19,980 reasoning tokens",
        {"split_completion": 20, "budget_field": "reasoning.max_tokens"},
        {"max_tokens": 20, "temperature": 0.0, "reasoning": {"max_tokens": 19_980}},
    ),
    (
        "a reasoning budget within a shared one",
        {"reasoning_budget": 4_000, "budget_field": "thinking_budget"},
        {"max_tokens": 20_000, "temperature": 0.0, "thinking_budget": 4_000},
    ),
    (
        "effort, routing and a switch",
        {
            "effort": "high",
            "effort_field": "reasoning.effort",
            "body": {"reasoning": {"exclude": False}, "provider": {"order": ["A"]}},
        },
        {
            "max_tokens": 20_000,
            "temperature": 0.0,
            "reasoning": {"effort": "high", "exclude": False},
            "provider": {"order": ["A"]},
        },
    ),
]


@pytest.mark.parametrize(("name", "changes", "expected"), CASES)
def test_parameters(name: str, changes: dict[str, Any], expected: dict[str, Any]) -> None:
    spec = replace(PLAIN, **changes)
    assert parameters(spec, SETTINGS) == {"model": "qwen/qwen3.6-plus", **expected}


def test_a_larger_budget_is_split_alike() -> None:
    spec = replace(PLAIN, split_completion=20, budget_field="reasoning.max_tokens")
    body = parameters(spec, replace(SETTINGS, output_budget=100_000))
    assert body["max_tokens"] == 20
    assert body["reasoning"] == {"max_tokens": 99_980}


def test_a_budget_that_leaves_nothing_to_reason_with_is_refused() -> None:
    spec = replace(PLAIN, split_completion=20, budget_field="reasoning.max_tokens")
    with pytest.raises(UsageError, match="leaves none"):
        parameters(spec, replace(SETTINGS, output_budget=20))


def test_what_is_stored_is_what_was_sent() -> None:
    with FakeServer() as server:
        generation = ask_server(server, body={"provider": {"order": ["A"]}})
    body = dict(server.seen[0].body)
    messages = body.pop("messages")
    assert messages == [{"role": "user", "content": PROMPT[0].content}]
    assert dict(generation.parameters) == body
    assert server.seen[0].messages_sha256 == messages_sha256(PROMPT)
    assert server.seen[0].path == "/v1/chat/completions"


def test_any_character_arrives() -> None:
    text = "".join(map(chr, [0, 9, 10, 13, 0x7F, 0x85, 0x2028, 0xFEFF, 0x1F600, 0x10FFFF])) + '"\\'
    with FakeServer() as server:
        ask_server(server, (Message("user", text),))
    assert server.seen[0].prompt == text


def test_a_lone_surrogate_is_refused_before_anything_is_sent() -> None:
    with FakeServer() as server:
        with pytest.raises(UsageError, match="character 3"):
            ask_server(server, (Message("user", "bad\ud800"),))
        assert server.seen == []


@pytest.mark.parametrize(
    ("fields", "output_budget", "own"),
    [
        ({}, 20_000, None),
        ({"split_completion": 20}, 20_000, 19_980),
        ({"split_completion": 20}, 100_000, 99_980),
        ({"reasoning_budget": 4_000}, 20_000, 4_000),
        ({"reasoning_budget": 20_000}, 20_000, None),
    ],
)
def test_reasoning_has_a_budget_of_its_own(
    fields: dict[str, Any], output_budget: int, own: int | None
) -> None:
    model = HttpModel(replace(PLAIN, budget_field="reasoning.max_tokens", **fields))
    assert model.reasoning_budget(output_budget) == own
