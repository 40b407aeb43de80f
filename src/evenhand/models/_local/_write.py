"""Writing a reply, token by token."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.models._local._reader import Interrupted, Reader

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Reply:
    """What was written.

    Attributes:
        ids: Token ids, the one that ended the reply left out.
        count: Tokens written, that one included.
        finish_reason: ``stop`` or ``length``.
        reused: Prompt tokens that did not have to be read again.
    """

    ids: tuple[int, ...]
    count: int
    finish_reason: str
    reused: int


def write(
    reader: Reader,
    prompt: Sequence[int],
    *,
    most: int,
    stop_ids: frozenset[int],
    temperature: float,
    seed: int | None,
    stop: threading.Event,
) -> Reply:
    """Write until a stop token or ``most`` tokens.

    Args:
        reader: Of the model.
        prompt: Token ids.
        most: Tokens that may be written, at least one.
        stop_ids: Tokens that end a reply.
        temperature: 0 takes the likeliest token each time; else tokens are drawn.
        seed: Of the drawing; None draws differently every time.
        stop: Set when the reply is no longer wanted.

    Raises:
        Interrupted: If ``stop`` was set.
    """
    import torch

    source = torch.Generator()
    if seed is None:
        source.seed()
    else:
        source.manual_seed(seed)
    logits, reused = reader.read(prompt, stop)
    ids: list[int] = []
    finish = "length"
    for count in range(1, most + 1):
        if stop.is_set():
            raise Interrupted
        token = _pick(logits, temperature, source)
        if token in stop_ids:
            finish = "stop"
            break
        ids.append(token)
        if count < most:
            logits = reader.extend([token])[-1]
    return Reply(tuple(ids), len(ids) + (finish == "stop"), finish, reused)


def _pick(logits: torch.Tensor, temperature: float, source: torch.Generator) -> int:
    import torch

    if temperature == 0:
        return int(logits.argmax())
    weights = torch.softmax(logits.double().cpu() / temperature, dim=-1)
    return int(torch.multinomial(weights, 1, generator=source))
