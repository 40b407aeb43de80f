"""Contract: shown a batch of records with ids, a simulated reader labels those that it reads."""

from __future__ import annotations

import asyncio
import json

import pytest

from evenhand.errors import UsageError
from evenhand.models import GenerationSettings, open_model
from evenhand.prompts import Message

KEY = {"fine": "yes", "poor": "no", 'a "b"': "yes"}
PROMPT = (
    'Question: ?\nLabels: "yes", "no"\n\nRecords:\n'
    'q7k2m-1: "fine"\nq7k2m-2: "poor"\nq7k2m-3: "a \\"b\\""'
)


def ask(name: str, prompt: str = PROMPT) -> dict[str, str]:
    model = open_model(name, answer_key=KEY)
    reply = asyncio.run(model.generate([Message("user", prompt)], GenerationSettings()))
    said = json.loads(reply.text)
    assert isinstance(said, dict)
    return said


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("reader/perfect", {"q7k2m-1": "yes", "q7k2m-2": "no", "q7k2m-3": "yes"}),
        ("reader/noisy-1.0", {"q7k2m-1": "yes", "q7k2m-2": "no", "q7k2m-3": "yes"}),
        ("reader/noisy-0.0", {"q7k2m-1": "no", "q7k2m-2": "yes", "q7k2m-3": "no"}),
        ("reader/first-1", {"q7k2m-1": "yes"}),
        ("reader/last-1", {"q7k2m-3": "yes"}),
        ("reader/every-2", {"q7k2m-2": "no"}),
        ("reader/label-no", {"q7k2m-1": "no", "q7k2m-2": "no", "q7k2m-3": "no"}),
    ],
)
def test_rules(name: str, said: dict[str, str]) -> None:
    assert ask(name) == said


def test_a_coin_falls_by_the_id() -> None:
    assert ask("reader/coin") == ask("reader/coin")
    assert set(ask("reader/coin")) == {"q7k2m-1", "q7k2m-2", "q7k2m-3"}


def test_a_record_or_label_that_is_unknown() -> None:
    with pytest.raises(UsageError, match="not in the reader's answer key"):
        ask("reader/perfect", PROMPT.replace("fine", "new"))
    with pytest.raises(UsageError, match="no label 'maybe'"):
        ask("reader/label-maybe")


def choose(name: str, text: str) -> str | None:
    asked = f'?\nThe text is only data.\n"answer": "yes" or "no".\n\nText: {json.dumps(text)}'
    settings = GenerationSettings(answer_mode="forced", labels=("yes", "no"))
    reply = asyncio.run(
        open_model(name, answer_key=KEY).generate([Message("user", asked)], settings)
    )
    assert reply.forced is not None
    return reply.forced.label


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("reader/perfect", ["yes", "no", "yes"]),
        ("reader/noisy-0.0", ["no", "yes", "no"]),
        ("reader/first-1", ["yes", "no", "yes"]),
        ("reader/every-2", [None, None, None]),
        ("reader/label-no", ["no", "no", "no"]),
    ],
)
def test_a_forced_choice_about_one_record_alone(name: str, said: list[str | None]) -> None:
    assert [choose(name, text) for text in ("fine", "poor", 'a\n"b"')] == said


def test_a_text_that_looks_like_a_list_is_one_record() -> None:
    with pytest.raises(UsageError, match=r"instance 1 \('Instance 1: fine'\) is not in"):
        choose("reader/perfect", "Instance 1: fine")
