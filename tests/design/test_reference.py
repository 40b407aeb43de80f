"""Contract: the reference calculation gives the paper's moments and exact tail probabilities."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.design import accuracy_needed, reference
from evenhand.errors import UsageError


def exact(majority: int, minority: int, q: Fraction, other: Fraction) -> tuple[Fraction, Fraction]:
    """P(Z < n/2) and P(Z = n/2) by full enumeration in fractions."""
    below = tied = Fraction(0)
    for a in range(majority + 1):
        for b in range(minority + 1):
            chance = comb(majority, a) * q**a * (1 - q) ** (majority - a)
            chance *= comb(minority, b) * (1 - other) ** b * other ** (minority - b)
            double = 2 * (a + b)
            below += chance if double < majority + minority else 0
            tied += chance if double == majority + minority else 0
    return below, tied


def test_the_papers_numbers() -> None:
    found = reference(2000, 0.55, 0.9)
    assert (found.majority, found.minority, found.p) == (1100, 900, "0.55")
    assert found.expected == pytest.approx(1080)
    assert found.sd == pytest.approx(13.4, abs=0.05)
    assert found.sds_above_tie == pytest.approx(6.0, abs=0.05)
    assert found.reversed == pytest.approx(1.355e-9, rel=5e-4)
    assert found.failed == pytest.approx(2.111e-9, rel=5e-4)
    assert found.tied == pytest.approx(found.failed - found.reversed)


@given(
    n=st.sampled_from([5, 10, 15, 20]),
    q=st.integers(0, 20),
    other=st.integers(0, 20),
)
def test_exact_for_small_sets_of_any_q_per_label(n: int, q: int, other: int) -> None:
    majority = n * 3 // 5
    below, tied = exact(majority, n - majority, Fraction(q, 20), Fraction(other, 20))
    found = reference(n, "0.6", q / 20, other / 20)
    assert found.reversed == pytest.approx(float(below), rel=1e-9, abs=1e-300)
    assert found.tied == pytest.approx(float(tied), rel=1e-9, abs=1e-300)


def test_odd_sets_cannot_tie() -> None:
    assert reference(5, "0.6", 0.9).tied == 0


def test_certain_predictions() -> None:
    found = reference(20, "0.55", 1)
    assert (found.expected, found.sd, found.sds_above_tie, found.failed) == (11, 0, None, 0)
    assert reference(20, "0.55", 0).reversed == 1


@pytest.mark.parametrize("reliability", [0.5, 0.9, 0.999, 0.999999])
def test_accuracy_needed_is_where_the_reliability_is_reached(reliability: float) -> None:
    needed = accuracy_needed(2000, "0.55", reliability)
    assert needed is not None
    assert reference(2000, "0.55", needed).failed == pytest.approx(1 - reliability, rel=1e-4)


def test_accuracy_needed_with_the_minority_held() -> None:
    needed = accuracy_needed(2000, "0.55", 0.999, q_minority=0.7)
    assert needed is not None
    assert reference(2000, "0.55", needed, 0.7).failed == pytest.approx(0.001, rel=1e-4)
    # q = 1 is always enough: every majority instance counts, and no minority one can undo it.
    assert accuracy_needed(20, "0.55", 0.999, q_minority=0.0) is not None


def test_small_exact_threshold() -> None:
    """n = 5, p = 0.6, the minority always right: all three others must be, so q is 0.5^(1/3)."""
    assert accuracy_needed(5, "0.6", 0.5, q_minority=1.0) == pytest.approx(0.5 ** (1 / 3))


def test_large_sets_come_close_to_the_normal_tail() -> None:
    """2,000 / sqrt(240,000) = 4.08 SD above the tie: a normal tail of 2.23e-5."""
    found = reference(1_000_000, "0.51", 0.6)
    assert found.failed == pytest.approx(2.228e-5, rel=0.01)
    assert found.expected == pytest.approx(510_000 * 0.6 + 490_000 * 0.4)


def test_the_largest_set_that_is_taken() -> None:
    assert reference(1_000_000, "0.55", 0.9).failed == 0
    with pytest.raises(UsageError, match="n = 1,000,001: the reference calculation goes up to"):
        reference(1_000_001, "0.55", 0.9)
    with pytest.raises(UsageError, match="goes up to n = 1,000,000"):
        accuracy_needed(10**400, "0.55", 0.999)


def test_bad_requests() -> None:
    with pytest.raises(UsageError, match="use n = 20 or 40"):
        reference(21, "0.55", 0.9)
    with pytest.raises(UsageError, match=r"q_minority = -0\.1"):
        reference(20, "0.55", 0.9, -0.1)
    with pytest.raises(UsageError, match="reliability = 1"):
        accuracy_needed(20, "0.55", 1)
