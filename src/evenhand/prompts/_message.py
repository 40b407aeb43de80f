"""Messages and rendered prompts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages ready to be sent, with the place of every instance.

    Attributes:
        messages: What is sent, in order; the instances stand in the last message.
        spans: For instance k (counted from 1), ``spans[k - 1]`` is the half-open character range
            of its text, without the ``Instance k: `` header, in ``messages[-1].content``.
    """

    messages: tuple[Message, ...]
    spans: tuple[tuple[int, int], ...]


def messages_sha256(messages: Sequence[Message]) -> str:
    """SHA-256 (hex) of the exact messages: roles and contents, in order."""
    canonical = json.dumps(
        [[message.role, message.content] for message in messages],
        ensure_ascii=False,
        separators=(",", ":"),
    )
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
