"""Contract: calls whose prompts begin alike are neighbours; every experiment stays, once."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from evenhand.running import Workload, order_for_prefix_sharing, plan

WORKLOAD = plan("core", tasks=("sentiment", "ner"), n=(20, 40), set_seeds=(0, 1), per_label=60)


def shared(workload: Workload, order: tuple[int, ...] | None = None) -> int:
    """Characters shared between neighbours."""
    experiments = workload.experiments
    if order is not None:
        experiments = tuple(experiments[at] for at in order)
    return sum(workload.shared_characters(a, b) for a, b in pairwise(experiments))


def test_patterns_with_the_same_leading_block_are_neighbours() -> None:
    small = plan("core", tasks="sentiment", n=20, set_seeds=0, per_label=60)
    ordered = [
        (e.pattern, e.majority_label)
        for e in order_for_prefix_sharing(small.experiments)
        if e.pattern.startswith("majority-")
    ]
    # Blocks of 11, 9, 6 and 5 leading negatives, then the same of positives.
    assert ordered == [
        ("majority-first", "negative"),
        ("majority-last", "positive"),
        ("majority-edges", "negative"),
        ("majority-middle", "positive"),
        ("majority-first", "positive"),
        ("majority-last", "negative"),
        ("majority-edges", "positive"),
        ("majority-middle", "negative"),
    ]


def test_more_is_shared_than_in_the_plan_s_order() -> None:
    ordered = order_for_prefix_sharing(WORKLOAD.experiments)
    places = {e.id: at for at, e in enumerate(WORKLOAD.experiments)}
    assert shared(WORKLOAD, tuple(places[e.id] for e in ordered)) > 1.3 * shared(WORKLOAD)


def test_repeats_follow_each_other() -> None:
    workload = plan("core", tasks="ner", n=20, set_seeds=0, repeats=3, per_label=60)
    repeats = [e.repeat for e in order_for_prefix_sharing(workload.experiments)]
    assert repeats == [0, 1, 2] * (len(repeats) // 3)


@given(st.permutations(range(len(WORKLOAD.experiments))))
def test_it_is_a_permutation(order: list[int]) -> None:
    shuffled = [WORKLOAD.experiments[at] for at in order]
    ordered = order_for_prefix_sharing(shuffled)
    assert sorted(e.id for e in ordered) == sorted(e.id for e in shuffled)
