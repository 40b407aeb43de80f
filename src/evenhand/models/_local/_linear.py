"""Linear maps on a CPU through oneDNN's matrix product instead of MKL's.

Torch's float32 linear map calls MKL, which on AMD's processors keeps to AVX2. oneDNN, which comes
with Torch as well, uses AVX-512 on every maker's: measured on an EPYC with the embedded model's
shapes, 400 to 450 GFLOP/s against 180 to 210. Sums are added in another order, so results differ
in the last digits.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


def quicken(model: torch.nn.Module) -> int:
    """Let a model's linear maps use oneDNN where that is faster; calling it again changes nothing.

    Only float32 maps on a CPU with AVX-512 are changed. While a gradient of a map's own weight is
    wanted, it works as before.

    Args:
        model: Changed in place; its parameters stay as they are.

    Returns:
        How many maps use oneDNN.
    """
    import torch

    if not products_available():
        return 0
    found = [one for one in model.modules() if type(one) is torch.nn.Linear and _fits(one.weight)]
    for linear in found:
        linear.forward = partial(_linear, linear)  # type: ignore[method-assign]
    return len(found)


@cache
def products_available() -> bool:
    """Whether this Torch has the product, and this processor the instructions."""
    import torch

    return (
        torch._C._has_mkldnn
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and torch.backends.cpu.get_cpu_capability().startswith("AVX512")
    )


def product(
    hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None
) -> torch.Tensor:
    """``hidden`` times the transpose of ``weight``, plus ``bias``; no gradient.

    Args:
        hidden: Float32 on the CPU, shape (…, in).
        weight: Shape (out, in).
        bias: Shape (out,).

    Returns:
        Shape (…, out).
    """
    import torch

    result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(hidden, weight, bias, "none", [], "")
    return result


def pull_back(grad: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    """The gradient of a linear map's input.

    Args:
        grad: Of its output, shape (…, out).
        weight: Shape (out, in).

    Returns:
        Shape (…, in).
    """
    if products_available() and _fits(weight):
        return product(grad, weight.t())
    return grad @ weight


def _fits(weight: torch.Tensor) -> bool:
    import torch

    return weight.device.type == "cpu" and weight.dtype == torch.float32 and weight.is_contiguous()


def _linear(linear: torch.nn.Linear, hidden: torch.Tensor) -> torch.Tensor:
    import torch

    weight, bias = linear.weight, linear.bias
    wanted = torch.is_grad_enabled()
    learns = wanted and (weight.requires_grad or (bias is not None and bias.requires_grad))
    if learns or not _fits(weight):
        return torch.nn.functional.linear(hidden, weight, bias)
    if not wanted:
        return product(hidden, weight, bias)
    result: torch.Tensor = _frozen_function().apply(hidden, weight, bias)
    return result


@cache
def _frozen_function() -> Any:
    """The autograd function, made once: Torch is imported only when it is needed."""
    import torch

    class Frozen(torch.autograd.Function):
        @staticmethod
        def forward(
            ctx: Any, hidden: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None
        ) -> torch.Tensor:
            ctx.weight = weight
            return product(hidden, weight, bias)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return pull_back(grads[0], ctx.weight), None, None

    return Frozen
