"""Projections whose output nobody reads the second time: only their slope is needed.

When a chunk is read again for the way back, what a linear map gave matters only where a later step
keeps it to compute a gradient. In the plain Llama block the feed-forward's last map is only added
to the stream, and keys and values are on the tape already. Leaving out those products saves about
a third of reading again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

# Qwen 3 normalises its keys, and so reads them; Gemma normalises its feed-forward's output.
_UNREAD = MappingProxyType(
    {
        "llama": ("self_attn.k_proj", "self_attn.v_proj", "mlp.down_proj"),
        "mistral": ("self_attn.k_proj", "self_attn.v_proj", "mlp.down_proj"),
        "qwen2": ("self_attn.k_proj", "self_attn.v_proj", "mlp.down_proj"),
        "qwen3": ("self_attn.v_proj", "mlp.down_proj"),
    }
)


def unread_projections(layer: Any, kind: str) -> tuple[Any, ...]:
    """The linear maps of a layer whose output is not read the second time; none if unsure."""
    import torch

    found = [layer.get_submodule(name) for name in _UNREAD.get(kind, ())]
    return tuple(one for one in found if type(one) is torch.nn.Linear)


@contextmanager
def slopes_only(projections: Sequence[Any]) -> Iterator[None]:
    """While in this context the maps give zeros, with the right gradient."""
    before = [one.__dict__.get("forward") for one in projections]
    for one in projections:
        one.forward = _stand_in(one)
    try:
        yield
    finally:
        for one, forward in zip(projections, before, strict=True):
            if forward is None:
                del one.forward
            else:
                one.forward = forward


def _stand_in(linear: Any) -> Any:
    def forward(hidden: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = _slope_function().apply(hidden, linear.weight)
        return result

    return forward


@cache
def _slope_function() -> Any:
    """The autograd function, made once: Torch is imported only when it is needed."""
    import torch

    from evenhand.models._local import pull_back

    class Slope(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, hidden: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
            ctx.weight = weight
            return hidden.new_zeros(()).expand(*hidden.shape[:-1], weight.shape[0])

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return pull_back(grads[0], ctx.weight), None

    return Slope
