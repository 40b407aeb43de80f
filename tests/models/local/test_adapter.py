"""The adapter keeps the protocol: greedy replies, honest limits, forced choices, a live loop."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evenhand.errors import UsageError
from evenhand.models import (
    PARAMETERS_OF_ONE_CALL,
    ContextOverflowError,
    Generation,
    GenerationSettings,
    Model,
)
from evenhand.models._local import LocalModel, open_local
from evenhand.prompts import Message

Save = Callable[..., Path]
Token = Callable[[str], int]
HELLO = (Message("user", "hello"),)
FORCED = GenerationSettings(answer_mode="forced", labels=("no", "yes"))


def ask(model: LocalModel, settings: GenerationSettings, prompt: str = "hello") -> Generation:
    return asyncio.run(model.generate([Message("user", prompt)], settings))


@pytest.fixture
def speaker(bigram_model: Save, token: Token) -> Callable[..., LocalModel]:
    """A model that opens with "hi", ends its turn after "i", and answers "yes" at 3 to 1."""

    def build(window: int = 512, **after: float) -> LocalModel:
        table = {
            token("Ċ"): {token("h"): 1.0},
            token("h"): {token("i"): 1.0},
            token("i"): {token("<|im_end|>"): 0.75, token("h"): 0.25},
            token('"'): {token("n"): 0.25, token("y"): 0.75},
            token("n"): {token("o"): 1.0},
            token("o"): {token('"'): 0.5, token("o"): 0.5},
            token("y"): {token("e"): 1.0},
            token("e"): {token("s"): 1.0},
            token("s"): {token('"}'): 1.0},
        }
        return open_local(f"hf/{bigram_model(table, window)}", device="cpu")

    return build


def test_it_is_a_model(speaker: Callable[..., LocalModel]) -> None:
    model = speaker()
    assert isinstance(model, Model)
    assert (model.max_concurrency, model.context_window) == (1, 512)
    assert model.name.startswith("hf/")


def test_a_reply_ends_at_the_stop_token(speaker: Callable[..., LocalModel]) -> None:
    model = speaker()
    got = ask(model, GenerationSettings(output_budget=50))
    assert (got.text, got.finish_reason, got.forced) == ("hi", "stop", None)
    # <|im_start|> user \n hello <|im_end|> \n <|im_start|> assistant \n, a token a byte
    assert got.usage.input_tokens == 1 + 4 + 1 + 5 + 1 + 1 + 1 + 9 + 1
    assert got.usage.input_tokens == model.count_tokens(HELLO).tokens
    assert model.count_tokens(HELLO).exact
    assert got.usage.output_tokens == 3
    assert got.parameters["max_new_tokens"] == 50
    assert (got.parameters["dtype"], got.parameters["device"]) == ("float32", "cpu")


def test_a_reply_that_meets_its_budget_is_cut(speaker: Callable[..., LocalModel]) -> None:
    got = ask(speaker(), GenerationSettings(output_budget=1))
    assert (got.text, got.finish_reason, got.usage.output_tokens) == ("h", "length", 1)


def test_a_seed_repeats_a_drawn_reply(speaker: Callable[..., LocalModel]) -> None:
    model = speaker()
    settings = [GenerationSettings(40, temperature=1.0, seed=seed) for seed in range(12)]
    first, again = ([ask(model, one).text for one in settings] for _ in range(2))
    assert first == again
    assert len(set(first)) > 1


def test_a_budget_beyond_the_window_is_capped_and_said(speaker: Callable[..., LocalModel]) -> None:
    got = ask(speaker(window=60), GenerationSettings(output_budget=20_000))
    assert got.parameters["max_new_tokens"] == 20_000
    assert got.parameters["window_room"] == 60 - 24


def test_what_is_asked_does_not_differ_with_the_prompt(speaker: Callable[..., LocalModel]) -> None:
    model = speaker(window=60)
    short, long = (
        ask(model, GenerationSettings(output_budget=20_000), prompt).parameters
        for prompt in ("hello", "hello there")
    )
    assert {name for name in short if short[name] != long[name]} == {"window_room"}
    assert "window_room" in PARAMETERS_OF_ONE_CALL


def test_a_closed_model_answers_again(speaker: Callable[..., LocalModel]) -> None:
    model = speaker()
    for _ in range(2):
        assert ask(model, GenerationSettings(output_budget=50)).text == "hi"
        asyncio.run(model.aclose())
        asyncio.run(model.aclose())


@pytest.mark.parametrize(
    ("settings", "needed"), [(GenerationSettings(), 16), (GenerationSettings(3), 3), (FORCED, 4)]
)
def test_a_prompt_without_room_for_an_answer_overflows(
    speaker: Callable[..., LocalModel], settings: GenerationSettings, needed: int
) -> None:
    empty = 19 + (12 if settings.answer_mode == "forced" else 0)
    fits = "x" * (100 - needed - empty)
    model = speaker(window=100)
    ask(model, settings, fits)
    with pytest.raises(ContextOverflowError, match=r"reads 100 tokens; this prompt has \d+"):
        ask(model, settings, fits + "x")


def test_a_forced_choice_compares_the_labels(speaker: Callable[..., LocalModel]) -> None:
    got = ask(speaker(), FORCED)
    assert got.forced is not None
    assert got.forced.label == "yes"
    assert got.forced.margin == pytest.approx(math.log(0.75 / (0.25 * 0.5)), rel=1e-4)
    assert got.forced.label_mass == pytest.approx(0.875, rel=1e-4)
    assert (got.text, got.usage.output_tokens) == ("", 0)
    assert got.parameters["answer_prefix"] == '{"answer": "'


def test_a_forced_choice_needs_labels(speaker: Callable[..., LocalModel]) -> None:
    with pytest.raises(UsageError, match="labels"):
        ask(speaker(), GenerationSettings(answer_mode="forced"))


def test_the_order_of_calls_changes_no_result(random_model: Save) -> None:
    folder = f"hf/{random_model()}"
    prompts = ["same beginning " * 20 + end for end in ("a", "b", "c")]
    apart = [ask(open_local(folder, device="cpu"), FORCED, prompt) for prompt in prompts]
    model = open_local(folder, device="cpu")
    together = [ask(model, FORCED, prompt) for prompt in prompts]
    assert [one.forced for one in together] == [one.forced for one in apart]
    assert [one.usage.cached_input_tokens for one in together] == [0, 256, 256]


def test_the_event_loop_stays_alive_and_a_cancelled_call_ends(
    speaker: Callable[..., LocalModel], bigram_model: Save, token: Token
) -> None:
    chatter = {token("Ċ"): {token("h"): 1.0}, token("h"): {token("h"): 1.0}}
    model = open_local(f"hf/{bigram_model(chatter, 100_000)}", device="cpu")

    async def scenario() -> float:
        call = asyncio.create_task(model.generate(HELLO, GenerationSettings(90_000)))
        for _ in range(20):
            await asyncio.sleep(0.05)
        assert not call.done()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        started = time.perf_counter()
        await model.aclose()
        return time.perf_counter() - started

    assert asyncio.run(scenario()) < 10
