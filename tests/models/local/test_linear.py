"""Contract: a quickened model computes the same, with the same gradients, and only where it may.

Frozen float32 maps on the CPU go through the other product; a map whose own gradient is wanted, or
of another number format, works as before.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import pytest
import torch

from evenhand.models._local import products_available, pull_back, quicken

needs_product = pytest.mark.skipif(
    not products_available(), reason="this processor has no AVX-512, so nothing is quickened"
)


def model(seed: int = 0) -> torch.nn.Sequential:
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Linear(5, 7), torch.nn.SiLU(), torch.nn.Linear(7, 3, bias=False)
    )


@needs_product
@pytest.mark.parametrize("shape", [(5,), (1, 5), (4, 5), (2, 3, 5), (0, 5), (1, 0, 5)])
def test_the_same_output_and_the_same_gradient_of_the_input(shape: Sequence[int]) -> None:
    plain = model().requires_grad_(False)
    quick = copy.deepcopy(plain)
    assert quicken(quick) == 2
    one, other = (torch.randn(shape).requires_grad_() for _ in range(2))
    with torch.no_grad():
        other.copy_(one)
        torch.testing.assert_close(quick(one), plain(one))
    (quick(one) ** 2).sum().backward()
    (plain(other) ** 2).sum().backward()
    torch.testing.assert_close(one.grad, other.grad)


@needs_product
def test_views_that_are_not_contiguous() -> None:
    plain = model().requires_grad_(False)
    quick = copy.deepcopy(plain)
    quicken(quick)
    for view in (
        torch.randn(5, 6).t(),
        torch.randn(1, 9, 8)[:, 2:6, :5],
        torch.ones(5).expand(4, 5),
    ):
        torch.testing.assert_close(quick(view), plain(view))


@needs_product
def test_a_wanted_gradient_of_the_weights_is_given() -> None:
    plain, quick = model(), model()
    quicken(quick)
    given = torch.randn(4, 5)
    for one in (plain, quick):
        one(given).sum().backward()
    for expected, found in zip(plain.parameters(), quick.parameters(), strict=True):
        torch.testing.assert_close(found.grad, expected.grad)


@needs_product
def test_twice_is_once_and_other_formats_are_left_alone() -> None:
    quick = model()
    assert quicken(quick) == 2
    assert quicken(quick) == 2
    quick[0].to(torch.float64)
    assert quick[0](torch.ones(5, dtype=torch.float64)).dtype == torch.float64
    quick[0].__dict__.pop("forward")
    assert quicken(quick) == 1
    assert "forward" not in quick[0].__dict__


def test_without_the_product_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evenhand.models._local._linear.products_available", lambda: False)
    one = model()
    assert quicken(one) == 0
    assert not any("forward" in part.__dict__ for part in one.modules())
    grad, weight = torch.randn(4, 3), torch.randn(3, 7)
    torch.testing.assert_close(pull_back(grad, weight), grad @ weight)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_gradient_of_an_input(dtype: torch.dtype) -> None:
    grad, weight = torch.randn(2, 4, 3).to(dtype), torch.randn(3, 7).to(dtype)
    torch.testing.assert_close(pull_back(grad, weight), grad @ weight)
