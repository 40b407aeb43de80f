"""A planted key is nowhere but in the request's one header."""

from __future__ import annotations

import asyncio
import logging
import pickle
import traceback
from dataclasses import replace

import pytest
from tests.fake_server import FakeServer, Play, Seen, answer, error, raw
from tests.models.http_helpers import BASE, PROMPT, ask_server

from evenhand.errors import UsageError
from evenhand.models import GenerationSettings, ModelError, open_model
from evenhand.models._http import HttpModel

KEY = "sk-planted-0123456789abcdefghij"


def echo(seen: Seen) -> Play:
    """A careless server: the header comes back in the error."""
    return error(401, f"Incorrect API key provided: {seen.headers['authorization']}")


def test_the_key_is_sent_and_only_when_there_is_one() -> None:
    with FakeServer(key=KEY) as server:
        assert ask_server(server, key=KEY).text
        assert server.seen[0].headers["authorization"] == f"Bearer {KEY}"
    with FakeServer() as server:
        ask_server(server)
        assert "authorization" not in server.seen[0].headers
        assert not any("none" in value for value in server.seen[0].headers.values())


@pytest.mark.parametrize(
    "play",
    [
        echo,
        error(403, f"key {KEY} may not"),
        error(500, f"while calling with {KEY}"),
        error(400, f"odd key {KEY}"),
        raw(200, {"error": {"message": f"bad key {KEY}"}}),
        raw(200, f"<html>{KEY}</html>".encode(), content_type="text/html"),
        Play(status=307, headers={"Location": f"https://elsewhere.example/?key={KEY}"}, body=b""),
    ],
)
def test_an_echoed_key_is_masked_in_every_error(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    # At DEBUG the HTTP library itself prints the response's headers, echoes included.
    caplog.set_level(logging.INFO)
    with FakeServer(play) as server, pytest.raises(ModelError) as caught:
        ask_server(server, key=KEY)
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert KEY not in repr(caught.value)
    assert KEY not in caplog.text
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("stream", [True, False])
def test_an_echoed_key_is_masked_in_a_reply(stream: bool) -> None:
    play = answer(f"Your key is {KEY}", reasoning=f"The key {KEY} ...", pieces=7)
    with FakeServer(play) as server:
        generation = ask_server(server, key=KEY, stream=stream)
    assert generation.text == "Your key is [key]"
    assert generation.reasoning == "The key [key] ..."
    assert KEY not in repr(generation)
    assert KEY.encode() not in pickle.dumps(generation)


def test_the_model_does_not_show_its_key() -> None:
    model = HttpModel(replace(BASE, base_url="http://127.0.0.1:1/v1"), KEY)
    assert KEY not in repr(model)
    assert KEY not in repr(model.parameters(GenerationSettings()))


def test_an_organisation_of_openai_is_told_to_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-secret")
    with FakeServer() as server:
        ask_server(server, key=KEY)
        values = " ".join(server.seen[0].headers.values())
    assert "org-secret" not in values
    assert "proj-secret" not in values


class TestOpening:
    """Which key a model takes."""

    def test_a_hosted_provider_needs_its_own(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        with pytest.raises(UsageError, match="OPENROUTER_API_KEY"):
            open_model("openrouter/openai/gpt-oss-120b")

    @pytest.mark.parametrize(
        ("variables", "sent"),
        [
            ({"EVENHAND_API_KEY": "evenhand-1", "OPENAI_API_KEY": "openai-22"}, "evenhand-1"),
            ({"OPENAI_API_KEY": "openai-22"}, "openai-22"),
            ({"OPENROUTER_API_KEY": "router-333"}, None),
            ({}, None),
        ],
    )
    def test_a_bare_endpoint(
        self, variables: dict[str, str], sent: str | None, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        with FakeServer() as server:

            async def call() -> None:
                model = open_model(f"openai-compatible/x@{server.url}")
                await model.generate(PROMPT, GenerationSettings())
                await model.aclose()

            asyncio.run(call())
            header = server.seen[0].headers.get("authorization")
        assert header == (None if sent is None else f"Bearer {sent}")

    @pytest.mark.parametrize("broken", ["two words-0123", "line\nbreak-0123", "schlüssel-0123"])
    def test_a_key_that_cannot_be_a_header_is_refused_unseen(
        self, broken: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENROUTER_API_KEY", broken)
        with pytest.raises(UsageError, match="copy it again") as caught:
            open_model("openrouter/x/y")
        assert broken not in str(caught.value)
