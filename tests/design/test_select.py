"""Contract: seeds give the same set on every machine and version, whatever order the pool was read
in; the set for a small n lies inside the set for a large one; p * n is whole or an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.design import select, split_count
from evenhand.errors import UsageError
from evenhand.pools import Instance, Pool

POOL = Pool(
    "sentiment",
    "toy",
    tuple(
        Instance(f"train:{k}", f"text {k}", "positive" if k % 2 else "negative") for k in range(400)
    ),
)


def test_golden_ids() -> None:
    chosen = select(POOL, n=10, p=0.7, majority_label="positive", set_seed=0)
    assert [i.id for i in chosen.majority] == GOLDEN_MAJORITY
    assert [i.id for i in chosen.minority] == GOLDEN_MINORITY


GOLDEN_MAJORITY = [
    "train:121",
    "train:319",
    "train:95",
    "train:195",
    "train:327",
    "train:131",
    "train:147",
]
GOLDEN_MINORITY = ["train:280", "train:92", "train:42"]


def test_the_pools_order_does_not_matter() -> None:
    mirrored = Pool(POOL.task, "another name", POOL.instances[::-1])
    for seed in (0, 1):
        assert select(POOL, n=20, p=0.55, majority_label="negative", set_seed=seed) == select(
            mirrored, n=20, p=0.55, majority_label="negative", set_seed=seed
        )


def test_seed_zero_is_a_seed() -> None:
    sets = {select(POOL, n=20, p=0.6, majority_label="positive", set_seed=s) for s in range(3)}
    assert len(sets) == 3


@given(small=st.integers(1, 9), large=st.integers(1, 9), seed=st.integers(0, 5))
def test_sets_are_nested_in_n(small: int, large: int, seed: int) -> None:
    small, large = sorted((small * 20, large * 20))
    inner, outer = (
        select(POOL, n=n, p="0.55", majority_label="positive", set_seed=seed)
        for n in (small, large)
    )
    assert outer.majority[: len(inner.majority)] == inner.majority
    assert outer.minority[: len(inner.minority)] == inner.minority


def test_adding_instances_keeps_the_rank_of_the_others() -> None:
    more = Pool(
        "sentiment",
        "toy",
        POOL.instances + tuple(Instance(f"test:{k}", "t", "positive") for k in range(100)),
    )
    before = select(POOL, n=40, p=0.6, majority_label="positive", set_seed=2).majority
    after = select(more, n=200, p=0.6, majority_label="positive", set_seed=2).majority
    kept = [i for i in after if i.id.startswith("train")]
    assert kept == list(
        select(POOL, n=200, p=0.6, majority_label="positive", set_seed=2).majority[: len(kept)]
    )
    assert kept[: len(before)] == list(before)


SPLITS = [(2000, 0.55, (1100, 900)), (20, "0.7", (14, 6)), (100, 0.9, (90, 10))]


@pytest.mark.parametrize(("n", "p", "expected"), SPLITS)
def test_split_count(n: int, p: float | str, expected: tuple[int, int]) -> None:
    assert split_count(n, p) == expected


FAULTS = [
    (50, 0.55, "use n = 40 or 60"),
    (10, 0.55, "use n = 20"),
    (3, "0.6666", "use n = 5000"),
    (0, 0.55, "at least one"),
    (20, 0.5, "between 0.5 and 1"),
    (20, 1.0, "between 0.5 and 1"),
    (20, "many", "must be a number"),
    (20, "NaN", "between 0.5 and 1"),
]


@pytest.mark.parametrize(("n", "p", "message"), FAULTS)
def test_split_count_faults(n: int, p: float | str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        split_count(n, p)


def test_selection_faults() -> None:
    with pytest.raises(UsageError, match=r"200 instances of 'positive' and n = 1000, .* needs 550"):
        select(POOL, n=1000, p=0.55, majority_label="positive", set_seed=0)
    with pytest.raises(UsageError, match="no label 'neutral': use one of negative, positive"):
        select(POOL, n=20, p=0.55, majority_label="neutral", set_seed=0)
    three = Pool("t", "p", (*POOL.instances, Instance("x", "t", "neutral")))
    with pytest.raises(UsageError, match="exactly two"):
        select(three, n=20, p=0.55, majority_label="neutral", set_seed=0)
