"""What every fault becomes: one error class, or a generation. The adapter calls once, always."""

from __future__ import annotations

import email.utils
import time

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
    error,
    raw,
)
from tests.models.http_helpers import ask, ask_server

from evenhand.models import (
    AccessRefusedError,
    ContextOverflowError,
    Generation,
    GenerationSettings,
    ModelError,
    ParameterRefusedError,
    TransientError,
)
from evenhand.models._http._faults import read_retry_after
from evenhand.outcomes import judge
from evenhand.prompts import Message

CLASSES: list[tuple[type[ModelError], str, Play]] = [
    (kind, name, play)
    for kind, plays in (
        (TransientError, TRANSIENT_FAULTS),
        (ContextOverflowError, OVERFLOW_FAULTS),
        (ParameterRefusedError, PARAMETER_FAULTS),
        (AccessRefusedError, ACCESS_FAULTS),
    )
    for name, play in plays.items()
]
MAY_COST = {
    "reset",
    "hang",
    "cut",
    "html",
    "truncated-json",
    "empty-body",
    "deep-brackets",
    "endless-number",
    "no-choices",
    "empty-choices",
    "finish-error",
    "no-terminator",
    "stream-error",
}
"""Faults after which a server may charge all the same: it took the prompt and refused nothing."""
ONLY_IN_STREAMS = {"no-terminator", "stream-error"}


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize(("kind", "name", "play"), CLASSES, ids=[name for _, name, _ in CLASSES])
def test_a_fault_is_one_error_class_after_one_call(
    kind: type[ModelError], name: str, play: Play, stream: bool
) -> None:
    if name in ONLY_IN_STREAMS and not stream:
        assert ask(play, stream=False).text == '{"answer": "positive"}'
        return
    with FakeServer(play) as server:
        with pytest.raises(ModelError) as caught:
            ask_server(server, stream=stream, silence_s=0.5 if play.hang else 5.0)
        assert type(caught.value) is kind
        assert len(server.seen) == 1
    if isinstance(caught.value, TransientError):
        assert caught.value.may_cost == (name in MAY_COST)
    assert len(str(caught.value)) < 700
    assert "\n" not in str(caught.value)


REPLY_OUTCOMES = [
    # name, finish reason, outcome
    ("ok", "stop", "correct"),
    ("tie", "stop", "tie"),
    ("unparseable", "stop", "parsing_issue"),
    ("off-list", "stop", "parsing_issue"),
    ("think-closed", "stop", "correct"),
    ("length-empty", "length", "overlong"),
    ("length-fragment", "length", "overlong"),
    ("content-list-empty", "length", "overlong"),
    ("reasoning-only", "length", "overlong"),
    ("think-open", "length", "overlong"),
    ("capped-stop", "length", "overlong"),
    ("content-filter", "content_filter", "parsing_issue"),
    ("refusal", "refusal", "parsing_issue"),
]


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize(("name", "finish", "outcome"), REPLY_OUTCOMES)
def test_a_reply_is_a_generation_and_comes_to_its_outcome(
    name: str, finish: str, outcome: str, stream: bool
) -> None:
    generation = ask(REPLIES[name], stream=stream)
    assert generation.finish_reason == finish
    judged = judge(
        generation.text,
        ("negative", "positive"),
        "positive",
        finish_reason=generation.finish_reason,
        output_tokens=generation.usage.output_tokens,
        output_budget=20_000,
    )
    assert judged.outcome == outcome


def test_every_reply_of_the_server_has_a_row() -> None:
    assert {name for name, _, _ in REPLY_OUTCOMES} == set(REPLIES)


def test_an_endpoint_that_is_down_is_transient_and_named() -> None:
    with FakeServer() as server:
        pass
    with pytest.raises(TransientError) as caught:
        ask_server(server)
    assert server.url in str(caught.value)
    assert not caught.value.may_cost


def test_a_deadline_ends_a_stream_that_only_keeps_alive() -> None:
    with pytest.raises(TransientError, match=r"within 0 s|within 1 s"):
        ask(Play(hang=True), deadline_s=0.3)


@pytest.mark.parametrize(
    ("play", "seconds"),
    [
        (error(429, "slow down", headers={"Retry-After": "7"}), 7.0),
        (error(503, "busy", headers={"Retry-After": "2.5"}), 2.5),
        (error(429, "slow down", headers={"retry-after-ms": "1500"}), 1.5),
        (error(429, "Rate limit reached. Please try again in 20s."), 20.0),
        (error(429, "Please retry in 34.07s."), 34.07),
        (error(429, "try again in 350ms"), 0.35),
        (error(429, "Try again in 2 minutes"), 120.0),
        (error(429, "quota", details=[{"@type": "RetryInfo", "retryDelay": "34s"}]), 34.0),
        (error(429, "slow down", headers={"Retry-After": "soon"}), None),
        (error(429, "slow down"), None),
    ],
)
def test_the_servers_wish_is_read(play: Play, seconds: float | None) -> None:
    with pytest.raises(TransientError) as caught:
        ask(play)
    wish = caught.value.retry_after
    assert wish == (None if seconds is None else pytest.approx(seconds))


def test_a_retry_date_is_seconds_from_now() -> None:
    date = email.utils.formatdate(time.time() + 60, usegmt=True)
    wish = read_retry_after({"retry-after": date})
    assert wish is not None
    assert 55 < wish <= 60
    assert read_retry_after({"retry-after": email.utils.formatdate(0, usegmt=True)}) == 0


@pytest.mark.parametrize(
    ("name", "parameter", "setting"),
    [
        ("parameter-openai", "max_tokens", "cap_field"),
        ("parameter-temperature", "temperature", "temperature = false"),
        ("parameter-vllm", "seed", "seed_field"),
        ("parameter-422", "temperature", "temperature = false"),
    ],
)
def test_a_refused_parameter_is_named_with_its_setting(
    name: str, parameter: str, setting: str
) -> None:
    with pytest.raises(ParameterRefusedError) as caught:
        ask(PARAMETER_FAULTS[name])
    assert f"does not accept {parameter}:" in str(caught.value)
    assert setting in str(caught.value)
    assert "--models FILE" in str(caught.value)


def test_a_field_of_the_users_catalog_is_named_too() -> None:
    with pytest.raises(ParameterRefusedError, match="enable_thinking under body"):
        ask(error(400, "Unknown name 'enable_thinking'"), body={"enable_thinking": True})


def test_an_output_cap_above_the_models_own_is_the_budget() -> None:
    message = "max_tokens is too large: 20000. This model supports at most 16384 output tokens."
    with pytest.raises(ParameterRefusedError, match="--budget"):
        ask(error(400, message, param="max_tokens"))


def test_a_400_of_unknown_wording_stops_and_lists_what_was_sent() -> None:
    with pytest.raises(ParameterRefusedError, match=r"it was sent max_tokens, temperature, seed"):
        ask(error(400, "Bad request"))


@pytest.mark.parametrize("code", [400, 422, "400", None, "bad_gateway"])
def test_an_unknown_error_inside_a_200_is_tried_again(code: int | str | None) -> None:
    with pytest.raises(TransientError):
        ask(raw(200, {"error": {"message": "Provider returned error", "code": code}}))


def test_a_users_own_wording_of_a_full_context() -> None:
    play = error(400, "Der Kontext ist voll")
    with pytest.raises(ContextOverflowError):
        ask(play, overflow=("kontext ist voll",))


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (429, "This request would exceed your rate limit of 40,000 input tokens per minute"),
        (429, "Request too large: Limit 30000, Requested 40000. Reduce the length of the prompt"),
        (402, "Prompt tokens limit exceeded: 39000 > 5000. To increase, add credits"),
    ],
)
def test_limits_of_rate_and_credit_are_not_a_full_context(status: int, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        ask(error(status, message))
    assert not isinstance(caught.value, ContextOverflowError)


def test_a_filter_that_refuses_the_prompt_is_an_answer_of_a_kind() -> None:
    play = error(400, "The response was filtered", code="content_filter")
    generation = ask(play)
    assert generation.finish_reason == "content_filter"
    assert "filtered" in generation.text
    flagged = error(403, "Your input was flagged", metadata={"reasons": ["violence"]})
    assert ask(flagged).finish_reason == "content_filter"


def test_a_server_that_cuts_its_input_is_found_out() -> None:
    long = (Message("user", "Instance 1: a fine day. " * 2_000),)
    cut = answer(usage={"prompt_tokens": 4096, "completion_tokens": 6})
    with FakeServer(cut) as server:
        with pytest.raises(ParameterRefusedError, match="OLLAMA_CONTEXT_LENGTH"):
            ask_server(server, long, cuts_input=True)
        assert isinstance(ask_server(server, long), Generation)


class TestMessages:
    """No message repeats the prompt or fills a screen."""

    LONG = (Message("user", "\n".join(f"Instance {k}: the day was {k} fine" for k in range(9000))),)

    @pytest.mark.parametrize("status", [400, 401, 413, 500, 200])
    @pytest.mark.parametrize("stream", [True, False])
    def test_an_echoed_prompt_is_left_out(self, status: int, stream: bool) -> None:
        prompt = self.LONG[0].content
        assert len(prompt) > 250_000
        body = {"error": {"message": f"Bad input: {prompt}", "input": prompt, "code": status}}
        with FakeServer(raw(status, body)) as server, pytest.raises(ModelError) as caught:
            ask_server(server, self.LONG, stream=stream)
        assert len(str(caught.value)) < 700
        assert "the day was" not in str(caught.value)

    def test_an_echo_in_plain_text(self) -> None:
        body = ("cannot read " + self.LONG[0].content).encode()
        play = raw(500, body, content_type="text/plain")
        with FakeServer(play) as server, pytest.raises(TransientError) as caught:
            ask_server(server, self.LONG)
        assert "the day was" not in str(caught.value)
        assert "cannot read" in str(caught.value)


def test_a_forced_choice_is_refused_where_no_server_is_known_to_give_one() -> None:
    from evenhand.errors import UsageError

    forced = GenerationSettings(answer_mode="forced", labels=("negative", "positive"))
    with FakeServer() as server:
        with pytest.raises(UsageError, match="forced choice"):
            ask_server(server, settings=forced)
        assert server.seen == []
