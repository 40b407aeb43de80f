"""A sample depends on ids alone, is nested in size, and keeps a short label whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evenhand.pools import Instance
from evenhand.pools._sample import sample

GOLDEN = {"train:18", "train:21", "train:22", "train:26", "train:29", "train:3"}
POOL = [Instance(f"train:{k}", f"text {k}", "a" if k % 3 else "b") for k in range(30)]


def test_sampled_ids_are_the_same_on_every_machine() -> None:
    ids = {instance.id for instance in sample(POOL, "toy", 3)}
    assert ids == GOLDEN


@given(st.permutations(POOL), st.integers(1, 9))
def test_order_is_irrelevant_and_samples_are_nested(shuffled: list[Instance], size: int) -> None:
    smaller = sample(shuffled, "toy", size)
    assert smaller == sample(POOL, "toy", size)
    assert set(smaller) <= set(sample(POOL, "toy", size + 1))


def test_each_label_gets_its_number_or_all_it_has() -> None:
    chosen = sample(POOL, "toy", 15)
    assert sum(instance.label == "a" for instance in chosen) == 15
    assert sum(instance.label == "b" for instance in chosen) == 10
