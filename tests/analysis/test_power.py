"""Contract: power comes from the same null as the gap, and more set seeds see smaller gaps."""

from __future__ import annotations

import pytest

from evenhand.analysis import gap_power, runs_per_pattern, set_seeds_needed
from evenhand.design import PRESETS, make_plan
from evenhand.errors import UsageError
from evenhand.tasks import TASKS, load_task

PLAN = make_plan(
    PRESETS["core"], {t: load_task(t) for t in TASKS}, dict.fromkeys(TASKS, "synthetic")
)
CORE = runs_per_pattern(PLAN.experiments)
ONE_SEED = {name: runs // 3 for name, runs in CORE.items()}


def test_core_has_thirty_runs_a_pattern() -> None:
    assert {
        "random": 90,
        **dict.fromkeys(
            (
                "majority-first",
                "majority-last",
                "majority-edges",
                "majority-middle",
                "soft-majority-edges",
                "soft-majority-middle",
            ),
            30,
        ),
    } == CORE


@pytest.mark.parametrize(
    ("accuracy", "mean", "percentile"), [(0.5, 0.24, 0.37), (0.7, 0.21, 0.33), (0.9, 0.14, 0.23)]
)
def test_null_of_the_core_design(accuracy: float, mean: float, percentile: float) -> None:
    power = gap_power(CORE, accuracy=accuracy)
    assert power.null_mean == pytest.approx(mean, abs=0.01)
    assert power.null_95 == pytest.approx(percentile, abs=0.01)
    assert power.detectable_gap is not None
    assert power.detectable_gap > power.null_95


def test_a_tiny_design_sees_nothing() -> None:
    assert gap_power({"random": 1, "majority-first": 1}).detectable_gap is None


def test_more_seeds_for_a_smaller_gap() -> None:
    needed = [set_seeds_needed(gap, ONE_SEED) for gap in (0.6, 0.3, 0.15)]
    assert needed == sorted(needed, key=lambda seeds: seeds or 0)
    assert None not in needed
    assert set_seeds_needed(0.005, ONE_SEED) is None


def test_the_two_questions_agree() -> None:
    """The gap that three set seeds detect needs three set seeds or about so."""
    gap = gap_power(CORE).detectable_gap
    assert gap is not None
    assert set_seeds_needed(gap + 0.01, ONE_SEED) in {2, 3}
    assert (set_seeds_needed(gap - 0.06, ONE_SEED) or 0) > 3


def test_bad_requests() -> None:
    with pytest.raises(UsageError, match="two order patterns"):
        gap_power({"random": 3})
    with pytest.raises(UsageError, match="accuracy = 1"):
        gap_power(CORE, accuracy=1)
    with pytest.raises(UsageError, match="at most 1"):
        set_seeds_needed(30, ONE_SEED)
