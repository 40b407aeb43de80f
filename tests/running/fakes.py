"""A model that answers by a function of the prompt and remembers what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evenhand.models import Generation, GenerationSettings, Price, TokenCount, Usage
from evenhand.prompts import Message, messages_sha256

RIGHT = '{"answer": "positive"}'
USAGE = Usage(input_tokens=100, output_tokens=10)

Answer = Generation | Exception
Script = Callable[[int, Sequence[Message], GenerationSettings], Answer]
"""From the number of the call (from 0), messages and settings to a reply or an error."""


def say(text: str = RIGHT, **more: Any) -> Generation:
    """A reply with known usage."""
    return Generation(text, **{"usage": USAGE, "parameters": {"max_tokens": 7, "seed": 0}, **more})


@dataclass
class FakeModel:
    """A model behind the protocol of all models.

    Attributes:
        script: Decides every call.
        latency_s: Seconds a call takes.
        tokens: What a count says.
        asked: Hash of the messages of every call, in order.
        settings: Settings of every call.
        peak: Most calls that ran at once.
    """

    script: Script = lambda number, messages, settings: say()
    name: str = "fake/model"
    context_window: int | None = None
    max_concurrency: int | None = None
    latency_s: float = 0.0
    tokens: TokenCount = field(default_factory=lambda: TokenCount(100, exact=True))
    price: Price | None = None
    sends: Mapping[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    settings: list[GenerationSettings] = field(default_factory=list)
    running: int = 0
    peak: int = 0
    counted: int = 0
    closed: bool = False

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """Answer by the script."""
        number = len(self.asked)
        self.asked.append(messages_sha256(messages))
        self.settings.append(settings)
        self.running += 1
        self.peak = max(self.peak, self.running)
        try:
            await asyncio.sleep(self.latency_s)
        finally:
            self.running -= 1
        answer = self.script(number, messages, settings)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        """Count as told."""
        self.counted += 1
        return self.tokens

    def parameters(self, settings: GenerationSettings) -> Mapping[str, Any]:
        """What a call sends beside the messages."""
        return self.sends

    async def aclose(self) -> None:
        """Remember it."""
        self.closed = True
