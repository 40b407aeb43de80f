"""Contract: a batch asks for a schema of its own ids, which goes only to servers that keep one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.counting.scripted import Scripted

from evenhand.counting import count, make_question, open_records
from evenhand.counting._work import BatchWork
from evenhand.models import GenerationSettings, ModelSpec
from evenhand.models._http._request import parameters
from evenhand.running import RunOptions

SCHEMA = {"type": "object"}


def work() -> BatchWork:
    records = open_records(["good", "bad", "good"])
    question = make_question("Good or bad?", ["good", "bad"])
    return BatchWork(question, records, np.asarray([2, 0, 1]), 2, "count", 100)


def test_the_schema_holds_the_ids_of_the_prompt() -> None:
    asked = work()
    first, last = asked.experiments
    schema = asked.schema(first)
    prompt = asked.messages(first)[0].content
    assert len(schema["required"]) == 2
    assert all(f"\n{id_}: " in prompt for id_ in schema["required"])
    assert schema["properties"][schema["required"][0]] == {
        "type": "string", "enum": ["good", "bad"],
    }  # fmt: skip
    assert not set(schema["required"]) & set(asked.schema(last)["required"])


def test_only_a_server_that_keeps_a_schema_is_sent_one() -> None:
    settings = GenerationSettings(json_schema=SCHEMA)
    assert "response_format" not in parameters(ModelSpec("x/y"), settings)
    sent = parameters(ModelSpec("x/y", json_schema=True), settings)["response_format"]
    assert sent == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
    }
    assert "response_format" not in parameters(
        ModelSpec("x/y", json_schema=True), GenerationSettings()
    )


def test_the_spans_are_the_texts() -> None:
    asked = work()
    prompt = asked.prompt(asked.experiments[0])
    content = prompt.messages[0].content
    assert [content[start:end] for start, end in prompt.spans] == ["good", "good"]


def test_the_engine_passes_the_schema_on(tmp_path: Path) -> None:
    seen = []

    class Sees(Scripted):
        async def generate(self, messages, settings):  # type: ignore[no-untyped-def]
            seen.append(settings.json_schema)
            return await super().generate(messages, settings)

    count(["good", "bad"], ask="?", labels=["good", "bad"], model=Sees(str), out=tmp_path,
          options=RunOptions(progress=False))  # fmt: skip
    assert [len(schema["required"]) for schema in seen] == [2]
