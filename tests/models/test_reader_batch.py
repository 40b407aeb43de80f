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
