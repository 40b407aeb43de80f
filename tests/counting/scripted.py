"""A model that labels batches by a function of each text, for tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from evenhand.models import Generation, GenerationSettings, TokenCount, Usage
from evenhand.models._reader._batch import batch_records
from evenhand.prompts import Message

Rewrite = Callable[[dict[str, str]], str]


def as_json(said: Mapping[str, str]) -> str:
    """A well-behaved reply."""
    return json.dumps(said, ensure_ascii=False)


@dataclass
class Scripted:
    """Labels each record by ``label``; ``reply`` writes what is sent back.

    Attributes:
        label: From a text to its label.
        reply: From ids and labels, and how many records were asked, to the reply.
        finish_reason: Of every reply.
        asked: Number of records of each call.
        prompts: Content of each call.
    """

    label: Callable[[str], str]
    reply: Rewrite = as_json
    finish_reason: str = "stop"
    name: str = "fake/labeller"
    context_window: int | None = None
    max_concurrency: int | None = None
    asked: list[int] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """Label the batch."""
        records = batch_records(messages)
        self.asked.append(len(records))
        self.prompts.append(messages[-1].content)
        said = {id_: self.label(text) for id_, text in records}
        return Generation(self.reply(said), self.finish_reason, usage=Usage(100, None, 10))

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        """Four characters a token."""
        return TokenCount(sum(len(m.content) for m in messages) // 4, exact=False)

    async def aclose(self) -> None:
        """Nothing to free."""
