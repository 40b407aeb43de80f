"""Ask a fake server once through the HTTP adapter."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.fake_server import FakeServer, Play

from evenhand.models import Generation, GenerationSettings, ModelSpec
from evenhand.models._http import HttpModel
from evenhand.prompts import Message

PROMPT = (Message("user", "Instance 1: a fine day\nInstance 2: a dull day"),)
BASE = ModelSpec("openai-compatible/fake", seed_field="seed", silence_s=5.0)


def ask_server(
    server: FakeServer,
    messages: Sequence[Message] = PROMPT,
    settings: GenerationSettings | None = None,
    *,
    key: str | None = None,
    spec: ModelSpec = BASE,
    **changes: Any,
) -> Generation:
    """One call; ``changes`` are fields of the spec."""

    async def call() -> Generation:
        model = HttpModel(replace(spec, base_url=server.url, **changes), key)
        try:
            return await model.generate(messages, settings or GenerationSettings(seed=1))
        finally:
            await model.aclose()

    return asyncio.run(call())


def ask(play: Play, settings: GenerationSettings | None = None, **changes: Any) -> Generation:
    """One call to a server that does as ``play`` says."""
    with FakeServer(play) as server:
        return ask_server(server, settings=settings, **changes)
