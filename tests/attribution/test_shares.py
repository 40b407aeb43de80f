"""Contract: share = N u / sum of u over instances, u the mean absolute contribution (F.1)."""

from __future__ import annotations

import pytest
import torch

from evenhand.attribution import InstanceTokens, shares
from evenhand.errors import EvenhandError

LABELS = ("no", "yes")


def test_worked_by_hand() -> None:
    # Instance means: |1|+|-3| over 2 = 2; 6; nothing. N = 2 known, sum 8: shares 0.5 and 1.5.
    values = torch.tensor([9.0, 1.0, -3.0, 9.0, -6.0, 9.0])
    tokens = InstanceTokens(((1, 3), (4, 5), (5, 5)), straddling=1)
    found = shares(values, tokens, ("yes", "no", "yes"), LABELS)
    assert found.share == (0.5, 1.5, None)
    # Signed means are -1 and -6. S points to "yes": -1 pushes a "yes" instance away from its own
    # label, -6 pushes a "no" instance towards its own.
    assert found.push == (-0.25, 1.5, None)


def test_the_mean_share_is_one_and_scale_does_not_matter() -> None:
    values = torch.randn(50, generator=torch.Generator().manual_seed(1))
    tokens = InstanceTokens(tuple((at, at + 5) for at in range(0, 50, 5)), 0)
    one = shares(values, tokens, ["yes"] * 10, LABELS)
    other = shares(values * -7, tokens, ["yes"] * 10, LABELS)
    known = [value for value in one.share if value is not None]
    assert sum(known) / 10 == pytest.approx(1)
    assert other.share == pytest.approx(one.share)


def test_an_unknown_label_has_no_direction() -> None:
    tokens = InstanceTokens(((0, 1),), 0)
    assert shares(torch.ones(1), tokens, ("other",), LABELS).push == (None,)


def test_no_contribution_at_all_is_an_error() -> None:
    with pytest.raises(EvenhandError, match="nothing to share"):
        shares(torch.zeros(3), InstanceTokens(((0, 3),), 0), ("yes",), LABELS)
