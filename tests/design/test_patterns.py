"""Contract: the seven patterns are C.3's, to the item, for odd sizes too; every pattern is a
permutation of the same multiset; orders depend on what is ordered and on the seed alone."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.design import PATTERNS, arrange
from evenhand.errors import UsageError
from evenhand.pools import Instance

# n = 20, p = 0.7: A1..A14 hold the majority label, b1..b6 the minority label.
MAJOR = [f"A{k}" for k in range(1, 15)]
MINOR = [f"b{k}" for k in range(1, 7)]

BY_HAND = {
    "majority-first": "A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 b1 b2 b3 b4 b5 b6",
    "majority-last": "b1 b2 b3 b4 b5 b6 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14",
    "majority-edges": "A1 A2 A3 A4 A5 A6 A7 b1 b2 b3 b4 b5 b6 A8 A9 A10 A11 A12 A13 A14",
    "majority-middle": "b1 b2 b3 A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 b4 b5 b6",
    "soft-majority-edges": "A7 A8 A9 A10 A1 b1 A2 b2 A3 b3 A4 b4 A5 b5 A6 b6 A11 A12 A13 A14",
    "soft-majority-middle": "A1 b1 A2 b2 A3 b3 A7 A8 A9 A10 A11 A12 A13 A14 A4 b4 A5 b5 A6 b6",
}

# 8 majority, 5 minority items: the surplus (3), the minority (5) are odd. Then 7 and 4 (surplus 3,
# majority odd): the first half is the larger one.
ODD = {
    (8, 5, "majority-edges"): "A1 A2 A3 A4 b1 b2 b3 b4 b5 A5 A6 A7 A8",
    (8, 5, "majority-middle"): "b1 b2 b3 A1 A2 A3 A4 A5 A6 A7 A8 b4 b5",
    (8, 5, "soft-majority-edges"): "A6 A7 A1 b1 A2 b2 A3 b3 A4 b4 A5 b5 A8",
    (8, 5, "soft-majority-middle"): "A1 b1 A2 b2 A3 b3 A6 A7 A8 A4 b4 A5 b5",
    (7, 4, "majority-edges"): "A1 A2 A3 A4 b1 b2 b3 b4 A5 A6 A7",
    (7, 4, "majority-middle"): "b1 b2 A1 A2 A3 A4 A5 A6 A7 b3 b4",
    (7, 4, "soft-majority-edges"): "A5 A6 A1 b1 A2 b2 A3 b3 A4 b4 A7",
    (7, 4, "soft-majority-middle"): "A1 b1 A2 b2 A5 A6 A7 A3 b3 A4 b4",
    (1, 0, "majority-edges"): "A1",
    (1, 0, "soft-majority-middle"): "A1",
}


@pytest.mark.parametrize(("pattern", "expected"), BY_HAND.items())
def test_twenty_instances_written_out(pattern: str, expected: str) -> None:
    assert arrange(MAJOR, MINOR, pattern) == expected.split()


@pytest.mark.parametrize(("case", "expected"), ODD.items())
def test_odd_sizes_take_the_ceiling(case: tuple[int, int, str], expected: str) -> None:
    majors, minors, pattern = case
    assert arrange(MAJOR[:majors], MINOR[:minors], pattern) == expected.split()


def test_random_golden_order() -> None:
    # A golden value: the same on every machine, Python and library version.
    assert arrange(["A1", "A2", "A3"], ["b1", "b2"], "random", 0) == GOLDEN_RANDOM


GOLDEN_RANDOM = ["b2", "b1", "A1", "A2", "A3"]


def test_random_shuffles_over_the_labels_and_seeds_differ() -> None:
    zero, one = (arrange(MAJOR, MINOR, "random", seed) for seed in (0, 1))
    assert zero != one
    assert zero == arrange(MAJOR, MINOR, "random", 0)
    assert zero not in [MAJOR + MINOR, MINOR + MAJOR]


def test_random_order_does_not_depend_on_the_order_given() -> None:
    assert arrange(MAJOR[::-1], MINOR[::-1], "random", 3) == arrange(MAJOR, MINOR, "random", 3)


def test_a_structured_pattern_under_an_order_seed_keeps_its_blocks() -> None:
    shuffled = arrange(MAJOR, MINOR, "majority-middle", 1)
    assert [item[0] for item in shuffled] == list("bbb" + "A" * 14 + "bbb")
    assert shuffled != arrange(MAJOR, MINOR, "majority-middle")
    assert shuffled != arrange(MAJOR, MINOR, "majority-middle", 2)


def test_instances_are_ordered_by_label_and_id_not_by_text() -> None:
    def items(prefix: str) -> tuple[list[Instance], list[Instance]]:
        return (
            [Instance(str(k), f"{prefix}{k}", "yes") for k in range(9)],
            [Instance(str(k), f"{prefix}{k}", "no") for k in range(5)],
        )

    one, other = (arrange(*items(prefix), "random", 0) for prefix in ("x", "y"))
    assert [(i.label, i.id) for i in one] == [(i.label, i.id) for i in other]


def test_random_orders_of_two_sets_put_the_majority_in_different_places() -> None:
    # Were the shuffle one of positions, every set would share one "random" label layout.
    def layout(offset: int) -> list[str]:
        major = [Instance(str(k + offset), "t", "yes") for k in range(11)]
        minor = [Instance(str(k + offset), "t", "no") for k in range(9)]
        return [i.label for i in arrange(major, minor, "random", 0)]

    assert len({tuple(layout(offset)) for offset in range(0, 500, 50)}) == 10


@given(
    minors=st.lists(st.integers(), max_size=30),
    surplus=st.lists(st.integers(), max_size=30),
    pattern=st.sampled_from(PATTERNS),
    seed=st.integers(0, 99),
)
def test_every_pattern_is_a_permutation(
    minors: list[int], surplus: list[int], pattern: str, seed: int
) -> None:
    majors = [value + 1 for value in minors] + surplus
    arranged = arrange(majors, minors, pattern, seed)
    assert Counter(arranged) == Counter(majors + minors)


def test_errors() -> None:
    with pytest.raises(UsageError, match="unknown order pattern 'first': use one of random, maj"):
        arrange(MAJOR, MINOR, "first")
    with pytest.raises(UsageError, match="needs an order seed"):
        arrange(MAJOR, MINOR, "random")
    with pytest.raises(UsageError, match="6 items and the minority 14"):
        arrange(MINOR, MAJOR, "majority-first")
