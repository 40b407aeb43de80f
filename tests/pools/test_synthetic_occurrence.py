"""Occurrence: the count is exact under every usual tokenisation, and nothing else differs."""

from __future__ import annotations

import re
import statistics

import pytest

from evenhand.pools import Instance
from evenhand.pools._synthetic import synthetic_pool
from evenhand.pools._synthetic._draw import Draws
from evenhand.pools._synthetic._occurrence import Tails


@pytest.fixture(scope="module")
def instances() -> tuple[Instance, ...]:
    """Four thousand messages."""
    return synthetic_pool("occurrence", 2_000).instances


def test_the_count_is_exact_and_makes_the_label(instances: tuple[Instance, ...]) -> None:
    for instance in instances:
        text = instance.text.lower()
        assert len(re.findall(r"\bthe\b", text)) == instance.answer
        assert text.split().count("the") == instance.answer
        assert [re.sub(r"\W", "", w) for w in text.split()].count("the") == instance.answer
        assert instance.answer is not None
        assert instance.label == ("exactly_once" if instance.answer == 1 else "more_than_once")


def test_case_and_look_alikes_occur(instances: tuple[Instance, ...]) -> None:
    """Counting is the task: "THE" counts, and words that only hold the letters do not."""
    words = [word for instance in instances for word in re.findall(r"\w+", instance.text)]
    assert {"the", "The", "THE"} <= set(words)
    assert {"they", "then", "there", "other", "together"} <= set(words)


def test_counts_above_one_vary(instances: tuple[Instance, ...]) -> None:
    assert {instance.answer for instance in instances} == {1, 2, 3, 4}


def test_lengths_of_both_labels_are_alike(instances: tuple[Instance, ...]) -> None:
    lengths = {
        label: [len(i.text) for i in instances if i.label == label]
        for label in ("exactly_once", "more_than_once")
    }
    once, more = lengths.values()
    # Drawn from one distribution with a standard deviation of 25: the difference of two means of
    # 2,000 stays under 2.4 (three standard errors), that of the quartiles under about 4.
    assert abs(statistics.fmean(once) - statistics.fmean(more)) < 2.4
    for one, other in zip(statistics.quantiles(once), statistics.quantiles(more), strict=True):
        assert abs(one - other) < 4


@pytest.mark.parametrize("length", range(4, 40))
def test_a_tail_has_exactly_the_length_asked(length: int) -> None:
    tails = Tails(["ok", "yes", "well", "so good"], 40)
    for k in range(20):
        tail = tails.draw(length, Draws("tail", length, k))
        assert len(tail) == length
        assert tail == tail.strip()
