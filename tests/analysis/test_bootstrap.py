"""Contract: a bootstrap interval covers what it should, and sets that are all alike do not make
it a point: a few equal values say little about sets that were not drawn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from evenhand.analysis._bootstrap import DIFFERENCE, SHARE, generator, mean_bootstrap


@pytest.mark.parametrize(
    ("value", "sets", "bounds", "low", "high"),
    [
        # Clopper and Pearson's interval of 0 of 30, and of 30 of 30.
        (0.0, 30, SHARE, 0.0, 0.1157),
        (1.0, 30, SHARE, 0.8843, 1.0),
        (0.0, 30, DIFFERENCE, -0.1157, 0.1157),
        (1.0, 30, DIFFERENCE, 1 - 2 * 0.1157, 1.0),
        (0.5, 3, DIFFERENCE, 0.5 - 1.5 * 0.7076, 0.5 + 0.5 * 0.7076),
    ],
)
def test_sets_all_alike(
    value: float, sets: int, bounds: tuple[float, float], low: float, high: float
) -> None:
    found = mean_bootstrap(np.full(sets, value), generator("test", 0), bounds)
    assert list(found) == pytest.approx([low, high], abs=1e-4)


def test_the_bound_is_the_exact_binomial_one() -> None:
    _, high = mean_bootstrap(np.zeros(12), generator("test", 0), SHARE)
    assert high == pytest.approx(stats.binomtest(0, 12).proportion_ci(method="exact").high)


def test_values_without_bounds_that_are_all_alike_give_none() -> None:
    assert mean_bootstrap(np.full(9, 2.5), generator("test", 0), None) == (None, None)


def test_one_set_gives_none() -> None:
    assert mean_bootstrap(np.ones(1), generator("test", 0), SHARE) == (None, None)


def test_many_sets_are_redrawn_in_parts() -> None:
    """3,000 values of SD 0.5: half a width of 1.96 * 0.5 / sqrt(3,000) = 0.0179."""
    values = np.tile([0.0, 1.0], 1_500)
    low, high = mean_bootstrap(values, generator("test", 0), SHARE)
    assert low == pytest.approx(0.4821, abs=0.001)
    assert high == pytest.approx(0.5179, abs=0.001)
