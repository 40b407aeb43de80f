"""The CPU's fused attention over parts, with its backward called by hand.

The kernel gives each query's log-sum-exp. Parts are therefore computed one by one and merged, and
the merged log-sum-exp makes the kernel's backward exact for each part alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from evenhand.attribution import _blocked_cpu
from evenhand.attribution._layout import Part

if TYPE_CHECKING:
    import torch

    from evenhand.attribution._attention import Tape


def forward(
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    parts: Sequence[Part],
    scaling: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention of a chunk's queries.

    Args:
        query: Shape (1, heads, queries, head size).
        keys: Of the whole sequence, shape (1, key heads, tokens, head size).
        values: Likewise.
        parts: What the queries see.
        scaling: Factor on the scores.

    Returns:
        The output, shaped as the queries, and the log-sum-exp, shape (1, heads, queries).
    """
    import torch

    query = query.contiguous()
    one_part = _blocked_cpu.forward if _blocked_cpu.fits(query, keys) else _kernel_forward
    found = [
        one_part(
            query, keys[:, :, part.lo : part.hi], values[:, :, part.lo : part.hi], part, scaling
        )
        for part in parts
    ]
    if len(found) == 1:
        output, log_sum = found[0]
        return output, log_sum
    log_sum = torch.logsumexp(torch.stack([log_sum for _, log_sum in found]), dim=0)
    output = torch.zeros_like(query, dtype=torch.float32)
    for piece, its_sum in found:
        output += piece * (its_sum - log_sum).exp().unsqueeze(-1)
    return output.to(query.dtype), log_sum


def backward(
    grad: torch.Tensor,
    query: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    output: torch.Tensor,
    log_sum: torch.Tensor,
    parts: Sequence[Part],
    scaling: float,
) -> tuple[torch.Tensor, list[tuple[int, torch.Tensor, torch.Tensor]]]:
    """Gradients of the queries, and of each part's keys and values.

    Args:
        grad: Of the output.
        query: As in :func:`forward`, like the three that follow.
        keys: Of the whole sequence.
        values: Likewise.
        output: What :func:`forward` returned.
        log_sum: Likewise.
        parts: What the queries see.
        scaling: Factor on the scores.

    Returns:
        The queries' gradient, and for each part its first key and the gradients of its keys and
        values.
    """
    import torch

    query, grad, output = (one.contiguous() for one in (query, grad, output))
    one_part = _blocked_cpu.backward if _blocked_cpu.fits(query, keys) else _kernel_backward
    query_grad = torch.zeros_like(query, dtype=torch.float32)
    found = []
    for part in parts:
        key, value = (one[:, :, part.lo : part.hi] for one in (keys, values))
        d_query, d_key, d_value = one_part(grad, query, key, value, output, log_sum, part, scaling)
        query_grad += d_query
        found.append((part.lo, d_key, d_value))
    return query_grad.to(query.dtype), found


def recorded(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    tape: Tape,
    parts: Sequence[Part],
    scaling: float,
) -> torch.Tensor:
    """:func:`forward` within autograd, with the output taken from the tape where it was kept.

    Gradients of keys and values before the chunk go to the tape, those of the chunk's own to
    autograd.
    """
    result: torch.Tensor = _recorded_function().apply(query, key, value, tape, parts, scaling)
    return result


@cache
def _recorded_function() -> Any:
    """The autograd function, made once: Torch is imported only when it is needed."""
    import torch

    class Recorded(torch.autograd.Function):
        @staticmethod
        def forward(
            ctx: Any,
            query: torch.Tensor,
            key: torch.Tensor,
            value: torch.Tensor,
            tape: Tape,
            parts: Sequence[Part],
            scaling: float,
        ) -> torch.Tensor:
            assert tape.keys is not None
            assert tape.values is not None
            kept = tape.saved.pop(tape.chunk.lo, None)
            output, log_sum = kept or forward(query, tape.keys, tape.values, parts, scaling)
            ctx.save_for_backward(query, output, log_sum)
            ctx.rest = (tape, tape.chunk, parts, scaling)
            return output.view_as(output)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            query, output, log_sum = ctx.saved_tensors
            tape, chunk, parts, scaling = ctx.rest
            query_grad, found = backward(
                grads[0], query, tape.keys, tape.values, output, log_sum, parts, scaling
            )
            own_key = own_value = None
            for lo, key_grad, value_grad in found:
                old = max(0, chunk.lo - lo)
                if old:
                    tape.add_grads(lo, key_grad[:, :, :old], value_grad[:, :, :old])
                if key_grad.shape[2] > old:
                    own_key = key_grad[:, :, old:].to(query.dtype)
                    own_value = value_grad[:, :, old:].to(query.dtype)
            return query_grad, own_key, own_value, None, None, None

    return Recorded


def _kernel_forward(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, part: Part, scaling: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Torch's own kernel; arguments and result as :func:`_blocked_cpu.forward`."""
    import torch

    output, log_sum = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        query,
        _expand(key, query.shape[1]),
        _expand(value, query.shape[1]),
        0.0,
        part.causal,
        attn_mask=_additive(part, query.dtype),
        scale=scaling,
    )
    return output, log_sum


def _kernel_backward(
    grad: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    output: torch.Tensor,
    log_sum: torch.Tensor,
    part: Part,
    scaling: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Torch's own kernel; arguments and result as :func:`_blocked_cpu.backward`."""
    import torch

    d_query, d_key, d_value = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(
        grad,
        query,
        _expand(key, query.shape[1]),
        _expand(value, query.shape[1]),
        output,
        # The kernel reads it as it writes it: heads innermost.
        log_sum.transpose(1, 2).contiguous().transpose(1, 2),
        0.0,
        part.causal,
        attn_mask=_additive(part, query.dtype),
        scale=scaling,
    )
    groups = query.shape[1] // key.shape[1]
    return d_query, _gather(d_key, groups), _gather(d_value, groups)


def _expand(one: torch.Tensor, heads: int) -> torch.Tensor:
    groups = heads // one.shape[1]
    return one.repeat_interleave(groups, dim=1) if groups > 1 else one


def _gather(grad: torch.Tensor, groups: int) -> torch.Tensor:
    """Sum over the query heads that share a key head, in float32."""
    if groups == 1:
        return grad.float()
    batch, heads, tokens, size = grad.shape
    return grad.float().reshape(batch, heads // groups, groups, tokens, size).sum(dim=2)


def _additive(part: Part, dtype: torch.dtype) -> torch.Tensor | None:
    """A mask as the kernel's backward takes it."""
    if part.mask is None:
        return None
    import torch

    nothing = torch.zeros(part.mask.shape, dtype=dtype, device=part.mask.device)
    return nothing.masked_fill_(~part.mask, float("-inf"))
