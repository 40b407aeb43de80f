"""Contract: attention block by block gives what its definition gives, forwards and backwards.

Whatever the number of heads that share a key head, however queries and keys are cut into blocks,
and whether a part is seen whole, causally or by a mask.
"""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.attribution import _blocked_cpu as blocked
from evenhand.attribution._layout import Part
from evenhand.models._local import products_available

SIZE = 8
pytestmark = pytest.mark.skipif(
    not products_available(), reason="this processor has no AVX-512, so blocks are not used"
)


def by_definition(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, seen: torch.Tensor, scale: float
) -> tuple[torch.Tensor, torch.Tensor]:
    groups = query.shape[1] // key.shape[1]
    key, value = (one.repeat_interleave(groups, dim=1) for one in (key, value))
    scores = (query @ key.transpose(2, 3) * scale).masked_fill(~seen, float("-inf"))
    return scores.softmax(-1) @ value, scores.logsumexp(-1)


@given(
    queries=st.integers(1, 40),
    before=st.integers(0, 30),
    key_heads=st.integers(1, 3),
    groups=st.integers(1, 3),
    most=st.integers(1, 50),
    kind=st.sampled_from(["whole", "causal", "mask"]),
    seed=st.integers(0, 1000),
)
@settings(max_examples=80, deadline=None)
def test_output_log_sum_and_gradients(
    *, queries: int, before: int, key_heads: int, groups: int, most: int, kind: str, seed: int
) -> None:
    torch.set_num_threads(1)
    source = torch.Generator().manual_seed(seed)
    keys = queries if kind == "causal" else queries + before
    query = torch.randn(1, key_heads * groups, queries, SIZE, generator=source)
    # As the callers hand them over: a stretch of a longer sequence's keys.
    key, value = torch.randn(2, 1, key_heads, keys + 5, SIZE, generator=source)[:, :, :, 3:-2]
    seen = torch.ones(queries, keys, dtype=torch.bool)
    if kind == "causal":
        seen = seen.tril()
    if kind == "mask":
        seen = torch.rand(queries, keys, generator=source) < 0.5
        seen[:, 0] = True
    part = Part(0, keys, causal=kind == "causal", mask=seen if kind == "mask" else None)
    leaves = [one.clone().requires_grad_() for one in (query, key, value)]
    expected, expected_sum = by_definition(leaves[0], leaves[1], leaves[2], seen, 0.3)
    grad = torch.randn(expected.shape, generator=source)
    expected_grads = torch.autograd.grad(expected, leaves, grad)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocked, "_MOST", most)
        patch.setattr(blocked, "_FEWEST", most)
        output, log_sum = blocked.forward(query, key, value, part, 0.3)
        grads = blocked.backward(grad, query, key, value, output, log_sum, part, 0.3)
    torch.testing.assert_close(output, expected.detach(), rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(log_sum, expected_sum.detach(), rtol=1e-4, atol=1e-5)
    for found, wanted in zip(grads, expected_grads, strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-5)


def test_large_scores_do_not_overflow() -> None:
    query = torch.full((1, 1, 2, SIZE), 100.0)
    key = torch.stack([torch.full((SIZE,), 100.0), torch.full((SIZE,), -100.0)])[None, None]
    value = torch.tensor([1.0, 2.0])[:, None].expand(2, SIZE)[None, None].contiguous()
    output, log_sum = blocked.forward(query, key, value, Part(0, 2), 1.0)
    assert output.tolist() == [[[[1.0] * SIZE] * 2]]
    assert log_sum.tolist() == [[[80_000.0, 80_000.0]]]


def test_other_number_formats_are_left_to_torch() -> None:
    half = torch.zeros(1, 1, 1, SIZE, dtype=torch.bfloat16)
    assert not blocked.fits(half, half)
    assert blocked.fits(half.float(), half.float())
