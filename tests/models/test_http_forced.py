"""Forced choice over HTTP: P(label, then a closing quote), walked token by token."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.fake_server import FakeServer, Play, Seen, answer
from tests.models.http_helpers import PROMPT, ask_server

from evenhand.errors import UsageError
from evenhand.models import (
    Generation,
    GenerationSettings,
    ParameterRefusedError,
    load_catalog,
    parse_model_name,
)
from evenhand.prompts import Message

PREFIX = '{"answer": "'

# What a toy model would write next, after what stands in the answer so far.
SIMPLE = {
    "": {"pos": 0.6, "negative": 0.3, "neutral": 0.1},
    "pos": {"itive": 0.9, "ition": 0.1},
    "positive": {'"': 0.5, '"}': 0.3, " day": 0.2},
    "negative": {'"}': 1.0},
}
SHARED = {
    "": {"x_": 1.0},
    "x_": {"one": 0.25, "two": 0.75},
    "x_one": {'"': 1.0},
    "x_two": {'"': 1.0},
}
MERGED = {
    "": {'yes"': 0.2, "yes": 0.3, "no": 0.5},
    "yes": {'"': 1.0},
    "no": {'"}': 0.5, "ne": 0.5},
}


def toy(table: dict[str, dict[str, float]]) -> Any:
    def play(seen: Seen) -> Play:
        turn = seen.body["messages"][-1]
        assert turn["role"] == "assistant"
        chances = table[turn["content"].removeprefix(PREFIX)]
        ranked = sorted(chances, key=lambda token: -chances[token])
        listed = [{"token": token, "logprob": math.log(chances[token])} for token in ranked]
        completion = answer(
            ranked[0],
            finish_reason="length",
            usage={"prompt_tokens": 10, "completion_tokens": 1},
        ).completion
        assert completion is not None
        completion["choices"][0]["logprobs"] = {"content": [{**listed[0], "top_logprobs": listed}]}
        return Play(completion=completion)

    return play


def choose(table: dict[str, dict[str, float]], *labels: str, **changes: Any) -> Generation:
    settings = GenerationSettings(answer_mode="forced", labels=(labels[0], labels[1]))
    with FakeServer(toy(table)) as server:
        return ask_server(server, settings=settings, forced="prefix", **changes)


def test_tokens_and_every_way_to_close_are_added_up() -> None:
    generation = choose(SIMPLE, "negative", "positive")
    positive, negative = 0.6 * 0.9 * 0.8, 0.3
    forced = generation.forced
    assert forced is not None
    assert forced.label == "positive"
    assert forced.margin == pytest.approx(math.log(positive / negative))
    assert forced.label_mass == pytest.approx(positive + negative)
    assert generation.text == "positive"


def test_the_margin_is_second_minus_first() -> None:
    forced = choose(SIMPLE, "positive", "negative").forced
    assert forced is not None
    assert forced.label == "positive"
    assert forced.margin == pytest.approx(math.log(0.3 / (0.6 * 0.9 * 0.8)))


def test_a_shared_beginning_is_asked_once() -> None:
    settings = GenerationSettings(answer_mode="forced", labels=("x_one", "x_two"))
    with FakeServer(toy(SHARED)) as server:
        generation = ask_server(server, settings=settings, forced="prefix")
        asked = [seen.body["messages"][-1]["content"] for seen in server.seen]
    assert asked == [PREFIX, PREFIX + "x_", PREFIX + "x_one", PREFIX + "x_two"]
    assert generation.forced is not None
    assert generation.forced.margin == pytest.approx(math.log(3))
    assert generation.usage.input_tokens == 40


def test_a_label_merged_with_its_quote_and_one_that_begins_another() -> None:
    forced = choose(MERGED, "yes", "no").forced
    assert forced is not None
    assert forced.margin == pytest.approx(math.log(0.25 / 0.5))
    assert forced.label_mass == pytest.approx(0.75)


def test_equal_labels_are_a_tie() -> None:
    table = {"": {"a": 0.5, "b": 0.5}, "a": {'"': 1.0}, "b": {'"': 1.0}}
    forced = choose(table, "a", "b").forced
    assert forced is not None
    assert forced.label is None
    assert forced.margin == 0


def test_a_label_that_is_not_listed_stops_with_a_remedy() -> None:
    with pytest.raises(
        ParameterRefusedError, match=r"do not lead to the label 'bad'.*top_logprobs"
    ):
        choose(SIMPLE, "bad", "positive")


@pytest.mark.parametrize("logprob", [math.inf, math.nan, 3.0, "0", 10**400, None])
def test_what_is_no_log_probability_is_none(logprob: Any) -> None:
    completion = answer("a").completion
    assert completion is not None
    entry = {"token": "a", "bytes": [300, -1], "logprob": logprob}
    completion["choices"][0]["logprobs"] = {"content": [{**entry, "top_logprobs": [entry]}]}
    settings = GenerationSettings(answer_mode="forced", labels=("a", "b"))
    with (
        FakeServer(Play(completion=completion)) as server,
        pytest.raises(ParameterRefusedError, match="no log-prob"),
    ):
        ask_server(server, settings=settings, forced="prefix")


def test_a_server_without_log_probabilities_is_told_apart() -> None:
    settings = GenerationSettings(answer_mode="forced", labels=("a", "b"))
    with FakeServer() as server, pytest.raises(ParameterRefusedError, match="no log-prob"):
        ask_server(server, settings=settings, forced="prefix")


def test_labels_are_needed() -> None:
    with FakeServer() as server, pytest.raises(UsageError, match="two labels"):
        ask_server(server, settings=GenerationSettings(answer_mode="forced"), forced="prefix")


def test_what_vllm_is_sent() -> None:
    spec = load_catalog().spec(parse_model_name("vllm/m@http://127.0.0.1:1/v1"))
    settings = GenerationSettings(answer_mode="forced", labels=("negative", "positive"))
    with FakeServer(toy(SIMPLE)) as server:
        ask_server(server, (*PROMPT,), settings, spec=spec)
        body = dict(server.seen[0].body)
    assert body.pop("messages")[-1] == {"role": "assistant", "content": PREFIX}
    assert body == {
        "model": "m",
        "max_tokens": 1,
        "temperature": 0.0,
        "logprobs": True,
        "top_logprobs": 20,
        "add_generation_prompt": False,
        "continue_final_message": True,
    }


@pytest.mark.parametrize("name", ["openai/x", "openrouter/x/y", "gemini/x", "ollama/x"])
def test_servers_that_start_a_new_message_are_not_asked(name: str) -> None:
    spec = load_catalog().spec(parse_model_name(name))
    settings = GenerationSettings(answer_mode="forced", labels=("a", "b"))
    with FakeServer() as server:
        with pytest.raises(UsageError, match="--answer generate"):
            ask_server(server, (Message("user", "x"),), settings, spec=spec)
        assert server.seen == []
