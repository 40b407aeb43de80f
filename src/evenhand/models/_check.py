"""One tiny call, to see what a model sends back and where."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.models._protocol import GenerationSettings, Model, Usage
from evenhand.prompts import Message

QUESTION = (
    Message(
        "user",
        "Two of these three words name a colour: red, seven, blue. Which one does not? Reply with "
        'a JSON object such as {"answer": "word"} and nothing else.',
    ),
)
EXPECTED = "seven"


@dataclass(frozen=True, slots=True)
class Check:
    """What came back from one tiny call.

    Attributes:
        model: Full name.
        parameters: What was sent beside the message.
        text: The visible reply.
        answered: Whether the reply holds the expected word.
        finish_reason: How it ended.
        reasoning_source: The field that reasoning came from; None when none came back.
        reasoning_characters: Its length.
        usage: Tokens as billed.
        cost_usd: As the provider states it, else None.
        upstream: Who served it, where the reply says so.
        latency_s: Seconds.
    """

    model: str
    parameters: Mapping[str, Any]
    text: str
    answered: bool
    finish_reason: str
    reasoning_source: str | None
    reasoning_characters: int
    usage: Usage
    cost_usd: float | None
    upstream: str | None
    latency_s: float


def check_model(model: Model, *, output_budget: int = 2_000) -> Check:
    """Make one tiny call.

    Args:
        model: From :func:`evenhand.models.open_model`; closed afterwards.
        output_budget: Output tokens allowed, reasoning included.

    Raises:
        ModelError: If the call got no answer.
    """

    async def call() -> Check:
        try:
            reply = await model.generate(QUESTION, GenerationSettings(output_budget=output_budget))
        finally:
            await model.aclose()
        return Check(
            model=model.name,
            parameters=dict(reply.parameters),
            text=reply.text,
            answered=EXPECTED in reply.text.lower(),
            finish_reason=reply.finish_reason,
            reasoning_source=reply.reasoning_source,
            reasoning_characters=len(reply.reasoning or ""),
            usage=reply.usage,
            cost_usd=reply.cost_usd,
            upstream=reply.upstream,
            latency_s=reply.latency_s,
        )

    return asyncio.run(call())
