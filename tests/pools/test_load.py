"""One door to every pool: the public sets with their published counts, or synthetic records."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from evenhand.errors import UsageError
from evenhand.pools import load_pool
from evenhand.tasks import load_task

# Counts by label from the data folder's README; Occurrence's are less the 784 tweets whose count
# of "the" is disputed (19,836 + 867 + 3,322 and 8,140 + 365 + 1,101 without them) and duplicates.
ELIGIBLE = {
    "math": {"even_number": 6_149, "odd_number": 2_643},
    "ner": {"PER": 9_982, "LOC": 8_805},
    "occurrence": {"exactly_once": 23_709, "more_than_once": 9_124},
    "sentiment": {"positive": 37_330, "negative": 29_643},
    "wsd": {"place": 3_821, "programming_language": 2_612},
}
LEFT_OUT = {
    "math": "none",
    "ner": "several entities: 9,743; entity is ORG: 10,664; duplicate text: 806",
    "occurrence": 'no "the": 26,268; disputed count of "the": 784; duplicate text: 14',
    "sentiment": "duplicate text: 366; text with both labels: 10",
    "wsd": "none",
}
ROWS = {
    "math": "train 7,473; test 1,319",
    "ner": "train 20,000; dev 10,000; test 10,000",
    "occurrence": "train 45,615; val 2,000; test 12,284",
    "sentiment": "train 67,349",
    "wsd": "train 4,504; test 1,929",
}
AVERAGE_LENGTH = {"math": 236, "ner": 32, "occurrence": 110, "sentiment": 52, "wsd": 160}


@pytest.mark.parametrize("name", ELIGIBLE)
def test_real_counts(name: str, real_data: Path) -> None:
    pool = load_pool(load_task(name), data=real_data, per_label="all")
    assert Counter(instance.label for instance in pool.instances) == ELIGIBLE[name]
    assert pool.provenance["left_out"] == LEFT_OUT[name]
    assert pool.provenance["rows"] == ROWS[name]
    assert len({instance.id for instance in pool.instances}) == len(pool.instances)


@pytest.mark.parametrize(
    ("name", "pool_name", "per_label"),
    [
        ("math", "gsm8k", 2_500),
        ("ner", "wikiann_en", 2_500),
        ("occurrence", "tweeteval_sentiment", 2_500),
        ("sentiment", "sst2", 5_000),
        ("wsd", "coarsewsd20_java", 2_500),
    ],
)
def test_default_pool_is_the_papers_sample(
    name: str, pool_name: str, per_label: int, real_data: Path
) -> None:
    task = load_task(name)
    pool = load_pool(task, data=real_data)
    assert pool.name == pool_name
    assert Counter(i.label for i in pool.instances) == dict.fromkeys(task.labels, per_label)
    length = sum(len(i.text) for i in pool.instances) / len(pool.instances)
    assert length == pytest.approx(AVERAGE_LENGTH[name], abs=2)
    has_answer = name in ("math", "occurrence")
    assert all((i.answer is not None) == has_answer for i in pool.instances)


def test_a_task_without_a_set_is_refused(tmp_path: Path) -> None:
    task = load_task("math").model_copy(update={"name": "mine"})
    with pytest.raises(UsageError, match="no public data set serves task mine"):
        load_pool(task, data=tmp_path)
    with pytest.raises(UsageError, match="task mine has no synthetic records"):
        load_pool(task)


def test_other_labels_under_a_known_name_are_refused(tmp_path: Path) -> None:
    task = load_task("ner").model_copy(update={"labels": ("ORG", "PER")})
    with pytest.raises(UsageError, match="has the labels ORG, PER and WikiANN"):
        load_pool(task, data=tmp_path)


def test_synthetic_pools_have_no_end() -> None:
    with pytest.raises(UsageError, match="has no end"):
        load_pool(load_task("math"), per_label="all")
