"""Token estimates: no network, monotone, and corrected by what a server bills."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.fake_server import FakeServer, answer
from tests.models.http_helpers import BASE

from evenhand.models import GenerationSettings
from evenhand.models._estimate import estimate_tokens
from evenhand.models._http import HttpModel
from evenhand.prompts import Message


def estimate(text: str) -> int:
    return estimate_tokens([Message("user", text)])


def test_by_hand() -> None:
    # 40 letters at 4.0 a token, 10 digits at 0.8, 4 for the message.
    assert estimate("a" * 40 + "1" * 10) == 10 + 8 + 4
    # Wide scripts hold one character a token, others two.
    assert estimate("漢" * 30) == 34
    assert estimate("я" * 30) == 19
    assert estimate("") == 4
    assert estimate_tokens([]) == 1


def test_characters_a_token_can_be_set() -> None:
    assert estimate_tokens([Message("user", "a" * 40)], 2.0) == 24


@given(st.text(max_size=300), st.text(max_size=300))
def test_more_text_is_never_fewer_tokens(one: str, more: str) -> None:
    assert estimate(one + more) >= estimate(one)


def test_a_model_learns_from_what_it_is_billed() -> None:
    messages = (Message("user", "a" * 4_000),)
    billed = {"prompt_tokens": 1_255, "completion_tokens": 5}
    with FakeServer(answer(usage=billed)) as server:

        async def call() -> tuple[int, int]:
            model = HttpModel(replace(BASE, base_url=server.url))
            before = model.count_tokens(messages)
            await model.generate(messages, GenerationSettings())
            after = model.count_tokens(messages)
            await model.aclose()
            assert not before.exact
            assert not after.exact
            return before.tokens, after.tokens

        assert asyncio.run(call()) == (1_004, 1_255)


def test_a_bill_that_cannot_be_true_teaches_nothing() -> None:
    messages = (Message("user", "a" * 4_000),)
    with FakeServer(answer(usage={"prompt_tokens": 3, "completion_tokens": 5})) as server:

        async def call() -> int:
            model = HttpModel(replace(BASE, base_url=server.url))
            await model.generate(messages, GenerationSettings())
            await model.aclose()
            return model.count_tokens(messages).tokens

        assert asyncio.run(call()) == 1_004
