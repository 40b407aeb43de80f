"""Length, variety, and that nothing gives a label away more than it does in the public sets.

Figures of the public sets: ``python -m benchmarks.synthetic_pools --data FOLDER``.
"""

from __future__ import annotations

import pytest
from benchmarks.synthetic_pools import best_word, measure, sample

from evenhand.pools import Instance
from evenhand.pools._synthetic import carrier_count, synthetic_pool
from evenhand.tasks import TASKS

LENGTHS = {"math": 236, "ner": 32, "occurrence": 110, "sentiment": 52, "wsd": 160}
# Best accuracy of any one word's presence in the public set, measured on 4,000 instances.
BEST_WORD = {"math": 0.535, "ner": 0.633, "occurrence": 0.584, "sentiment": 0.530, "wsd": 0.641}
# Counting "the" is the Occurrence task itself: that word must tell the labels apart.
TASK_WORDS = {"occurrence": frozenset({"the"})}


def instances(task: str, n: int) -> list[Instance]:
    return sample(synthetic_pool(task, 4_000), n)


@pytest.mark.parametrize("task", TASKS)
def test_texts_are_about_as_long_as_the_public_ones(task: str) -> None:
    found = instances(task, 4_000)
    mean = sum(len(instance.text) for instance in found) / len(found)
    assert mean == pytest.approx(LENGTHS[task], rel=0.15)


@pytest.mark.parametrize("task", TASKS)
def test_no_word_gives_more_away_than_in_the_public_set(task: str) -> None:
    _, accuracy = best_word(instances(task, 4_000), TASK_WORDS.get(task, frozenset()))
    assert accuracy <= BEST_WORD[task]


@pytest.mark.parametrize("task", ["math", "occurrence"])
def test_words_do_not_separate_the_labels(task: str) -> None:
    """A bag of words, trained on 1,000 and tested on 1,000."""
    found = measure(instances(task, 2_000), TASK_WORDS.get(task, frozenset()))
    assert found.bag_of_words < 0.60
    first, second = found.length_by_label.values()
    assert first == pytest.approx(second, rel=0.04)


def test_counting_the_would_separate_occurrence() -> None:
    """The measure sees what it should: with "the" left in, the labels come apart."""
    assert measure(instances("occurrence", 2_000)).bag_of_words > 0.95


@pytest.mark.parametrize("task", ["ner", "sentiment", "wsd"])
def test_there_are_at_least_200_carriers(task: str) -> None:
    assert all(count >= 200 for count in carrier_count(task).values())


def test_math_has_hundreds_of_worded_problems() -> None:
    assert set(carrier_count("math").values()) == {446}
