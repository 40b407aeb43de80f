"""Attention of one chunk of queries over everything before it, forwards and backwards.

Keys and values of a layer are kept as plain tensors, and their gradients are summed by hand, chunk
by chunk: no more than one chunk of the sequence is ever in an autograd graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evenhand.attribution._layout import Chunk, Layout, Part
from evenhand.errors import UsageError

if TYPE_CHECKING:
    import torch

NAME = "evenhand_replay"
"""Under which Transformers knows :func:`attend`."""

EAGER_ROWS = 64
"""Queries scored at once where scores are capped, which no fused kernel does."""


class KeysRead(Exception):  # noqa: N818
    """Keys and values are on the tape, and nothing else of this chunk is wanted."""


@dataclass(slots=True)
class Tape:
    """What one layer's attention remembers of one replay.

    Attributes:
        layout: Of the sequence.
        slides: Whether this layer's queries may see the nearest keys only, so that attention
            must be told how many.
        keep_attention: Keep each chunk's attention output, so that it need not be computed again.
        keys: Shape (1, key heads, tokens, head size); None before the first chunk.
        values: Likewise.
        key_grads: Gradients of ``keys`` in float32, complete for chunks behind the current one.
        value_grads: Likewise.
        chunk: The one being read.
        writing: Whether the chunk is read for the first time.
        recording: Whether the chunk is read within autograd.
        own: The chunk's keys and values within the graph.
        before: First key, and leaves for the keys and values before the chunk (generic path).
        saved: By chunk start, attention output and log-sum-exp.
        width: Numbers of a token's queries over all heads; 0 before the first chunk.
    """

    layout: Layout
    slides: bool = False
    keep_attention: bool = True
    keys: torch.Tensor | None = None
    values: torch.Tensor | None = None
    key_grads: torch.Tensor | None = None
    value_grads: torch.Tensor | None = None
    chunk: Chunk = field(default_factory=lambda: Chunk(0, 0))
    writing: bool = True
    recording: bool = False
    own: tuple[torch.Tensor, torch.Tensor] | None = None
    before: tuple[int, torch.Tensor, torch.Tensor] | None = None
    saved: dict[int, tuple[torch.Tensor, torch.Tensor]] = field(default_factory=dict)
    width: int = 0

    def write(self, key: torch.Tensor, value: torch.Tensor) -> None:
        """Put the chunk's keys and values down."""
        if self.keys is None or self.values is None:
            shape = (1, key.shape[1], self.layout.length)
            self.keys = key.new_empty((*shape, key.shape[-1]))
            self.values = value.new_empty((*shape, value.shape[-1]))
        self.keys[:, :, self.chunk.lo : self.chunk.hi] = key.detach()
        self.values[:, :, self.chunk.lo : self.chunk.hi] = value.detach()

    def with_values(
        self, key: torch.Tensor, value: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The chunk's keys and values as stored, their gradients going to those given."""
        assert self.keys is not None
        assert self.values is not None
        here = slice(self.chunk.lo, self.chunk.hi)
        return (
            self.keys[:, :, here] + (key - key.detach()),
            self.values[:, :, here] + (value - value.detach()),
        )

    def add_grads(self, lo: int, key_grad: torch.Tensor, value_grad: torch.Tensor) -> None:
        """Add to the gradients of the keys and values from ``lo`` on."""
        import torch

        if self.key_grads is None or self.value_grads is None:
            assert self.keys is not None
            assert self.values is not None
            self.key_grads = torch.zeros_like(self.keys, dtype=torch.float32)
            self.value_grads = torch.zeros_like(self.values, dtype=torch.float32)
        self.key_grads[:, :, lo : lo + key_grad.shape[2]] += key_grad
        self.value_grads[:, :, lo : lo + value_grad.shape[2]] += value_grad


def attend(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    scaling: float,
    tape: Tape,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    softcap: float | None = None,
    **others: Any,
) -> tuple[torch.Tensor, None]:
    """Transformers' attention interface, for a layer that is given chunk by chunk.

    Args:
        module: The attention module (unused).
        query: Shape (1, heads, chunk tokens, head size).
        key: Shape (1, key heads, chunk tokens, head size), positions applied.
        value: Likewise.
        attention_mask: None; the tape's layout says what is seen.
        scaling: Factor on the scores.
        tape: The layer's.
        dropout: 0: models are in evaluation mode.
        sliding_window: Keys that a query sees, itself included, or None for all.
        softcap: Scores are capped smoothly at plus and minus this; None does not.
        others: Position ids and the like; an attention sink is refused.

    Returns:
        The output, shape (1, chunk tokens, heads, head size), and None.
    """
    if attention_mask is not None or dropout or others.get("s_aux") is not None:
        raise UsageError("this model's attention has a mask, dropout or sinks: not supported")
    window = sliding_window or None
    if tape.slides and window is None:
        raise UsageError(
            "this model's attention is not told how far its sliding window reaches: not supported"
        )
    tape.width = query.shape[1] * query.shape[3]
    if tape.recording:
        tape.own = (key, value)
    if tape.writing:
        tape.write(key, value)
    if tape.chunk.keys_only:
        raise KeysRead
    if tape.recording and not tape.writing:
        # What the tape holds was computed in full; this time it may not have been.
        key, value = tape.with_values(key, value)
    if softcap is None and _has_fused_backward(query, value):
        output = _fused(query, key, value, tape, scaling, window)
    else:
        output = _generic(query, key, value, tape, scaling, window, softcap)
    return output.transpose(1, 2), None


def _has_fused_backward(query: torch.Tensor, value: torch.Tensor) -> bool:
    """Whether Torch's own CPU kernel, which gives and takes the log-sum-exp, can be called."""
    import torch

    return (
        query.device.type == "cpu"
        and query.shape[-1] == value.shape[-1]
        and hasattr(torch.ops.aten, "_scaled_dot_product_flash_attention_for_cpu")
    )


def _fused(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    tape: Tape,
    scaling: float,
    window: int | None,
) -> torch.Tensor:
    from evenhand.attribution._fused_cpu import forward, recorded

    parts = tape.layout.parts(tape.chunk, window, query.device)
    if tape.recording:
        return recorded(query, key, value, tape, parts, scaling)
    assert tape.keys is not None
    assert tape.values is not None
    output, log_sum = forward(query, tape.keys, tape.values, parts, scaling)
    if tape.keep_attention:
        tape.saved[tape.chunk.lo] = output, log_sum
    return output


def _generic(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    tape: Tape,
    scaling: float,
    window: int | None,
    softcap: float | None,
) -> torch.Tensor:
    """Any device: Torch's own choice of kernel within autograd, what came before as leaves."""
    import torch

    start = tape.layout.first_key(tape.chunk, window)
    assert tape.keys is not None
    assert tape.values is not None
    if start < tape.chunk.lo:
        old_key = tape.keys[:, :, start : tape.chunk.lo]
        old_value = tape.values[:, :, start : tape.chunk.lo]
        if tape.recording:
            old_key, old_value = (one.detach().requires_grad_() for one in (old_key, old_value))
            tape.before = start, old_key, old_value
        key, value = torch.cat([old_key, key], dim=2), torch.cat([old_value, value], dim=2)
    parts: Sequence[Part] = tape.layout.parts(tape.chunk, window, query.device)
    groups = query.shape[1] // key.shape[1]
    key, value = (one.repeat_interleave(groups, dim=1) for one in (key, value))
    if len(parts) == 1 and parts[0].causal and softcap is None:
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, scale=scaling
        )
    mask = tape.layout.mask(tape.chunk, start, window, query.device)
    if softcap is None:
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, scale=scaling
        )
    return _capped(query, key, value, mask, scaling, softcap)


def _capped(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor,
    scaling: float,
    softcap: float,
) -> torch.Tensor:
    """Attention whose scores are capped: a few rows at a time, each computed again backwards."""
    import torch
    from torch.utils.checkpoint import checkpoint

    def rows(some: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        scores = torch.tanh(some @ key.transpose(2, 3) * (scaling / softcap)) * softcap
        scores = scores.masked_fill(~seen, float("-inf"))
        weights = torch.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype)
        result: torch.Tensor = weights @ value
        return result

    pieces = [
        checkpoint(rows, *piece, use_reentrant=False)
        for piece in zip(
            torch.split(query, EAGER_ROWS, dim=2), torch.split(mask, EAGER_ROWS), strict=True
        )
    ]
    return torch.cat(pieces, dim=2)
