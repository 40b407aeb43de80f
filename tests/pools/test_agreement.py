"""Table 4 and the filtered pool, worked out by hand on five instances and two models."""

from __future__ import annotations

from datetime import date

import pytest

from evenhand.errors import UsageError
from evenhand.pools import Agreement, AloneAnswers, Instance, Pool, agreement, filtered_pool

POOL = Pool(
    "toy",
    "five",
    tuple(Instance(f"r:{k}", f"text {k}", "a" if k < 3 else "b") for k in range(5)),
    {"source": "made up"},
)


def answers(model: str, *outcomes: str) -> AloneAnswers:
    return AloneAnswers(model, {f"r:{k}": outcome for k, outcome in enumerate(outcomes)})


ONE = answers("one", "correct", "correct", "mistake", "correct", "parsing_issue")
TWO = answers("two", "correct", "mistake", "tie", "correct", "correct")


def test_agreement_of_two() -> None:
    found = agreement(POOL, [ONE, TWO])
    assert found == Agreement(
        task="toy",
        pool="five",
        instances=5,
        all_correct=2,
        all_wrong=1,
        only={"one": 1, "two": 1},
        correct={"one": 3, "two": 3},
        unanswered={"one": 1, "two": 0},
    )
    assert found.disagreements == 2


def test_agreement_of_one_and_of_three() -> None:
    alone = agreement(POOL, [ONE])
    assert (alone.all_correct, alone.all_wrong, alone.disagreements) == (3, 2, 0)
    third = answers("three", "correct", "correct", "mistake", "mistake", "overlong")
    three = agreement(POOL, [ONE, TWO, third])
    assert (three.all_correct, three.all_wrong, three.disagreements) == (1, 1, 3)
    assert three.only == {"one": 0, "two": 1, "three": 0}


def test_filtered_pool() -> None:
    pool = filtered_pool(POOL, [ONE, TWO], settings="politely", day=date(2026, 5, 1))
    assert pool.name == "five-filtered"
    assert [instance.id for instance in pool.instances] == ["r:0", "r:3"]
    assert pool.provenance == {
        "source": "made up",
        "filter": "kept where each of these, asked for the instance alone, was right: one, two",
        "filter_counts": "kept 2 of 5; all wrong 1; disagreements 2",
        "filter_kept": "a: 1; b: 1",
        "filter_settings": "politely",
        "filter_date": "2026-05-01",
    }


def test_faults() -> None:
    with pytest.raises(UsageError, match="at least one model"):
        agreement(POOL, [])
    with pytest.raises(UsageError, match="model one is named twice"):
        agreement(POOL, [ONE, ONE])
    with pytest.raises(UsageError, match="two has not answered 4 instances, such as r:1"):
        agreement(POOL, [answers("two", "correct")])
    wrong = answers("two", *["mistake"] * 3, *["correct"] * 2)
    with pytest.raises(UsageError, match="no instance of 'a' in pool five"):
        filtered_pool(POOL, [wrong], settings="", day=date(2026, 5, 1))
