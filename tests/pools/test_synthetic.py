"""A synthetic pool: stable, distinct, exact, as large as asked; errors name the remedy."""

from __future__ import annotations

import hashlib
import re

import pytest

from evenhand.errors import UsageError
from evenhand.pools import Pool
from evenhand.pools._synthetic import CAPACITY, synthetic_answers, synthetic_pool
from evenhand.pools._synthetic._carriers import OTHER, load_grammars
from evenhand.pools._synthetic._grammar import slots
from evenhand.tasks import TASKS, load_task

SIZE = 1_500


@pytest.fixture(scope="module", params=TASKS)
def pool(request: pytest.FixtureRequest) -> Pool:
    """One pool of every task."""
    return synthetic_pool(request.param, SIZE)


def test_ids_labels_and_sizes(pool: Pool) -> None:
    labels = load_task(pool.task).labels
    assert {i.id: i.label for i in pool.instances} == {
        f"{label}:{index}": label for label in labels for index in range(SIZE)
    }
    assert len(pool.instances) == 2 * SIZE


def test_texts_are_distinct_and_clean(pool: Pool) -> None:
    texts = [instance.text for instance in pool.instances]
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert text == " ".join(text.split())
        assert text.isprintable()
        assert not re.search(r"[\[\]{}|~]|<(?!3)|\ba (?!one\b)(?=[aio])", text), text


def test_the_first_instances_do_not_depend_on_the_size(pool: Pool) -> None:
    few = synthetic_pool(pool.task, 40)
    by_id = {instance.id: instance for instance in pool.instances}
    assert all(by_id[instance.id] == instance for instance in few.instances)


def test_another_seed_gives_other_texts_under_the_same_ids(pool: Pool) -> None:
    other = synthetic_pool(pool.task, SIZE, seed=3)
    assert [i.id for i in other.instances] == [i.id for i in pool.instances]
    same = {i.text for i in other.instances} & {i.text for i in pool.instances}
    # Two-word phrases meet again; most texts are longer.
    assert len(same) < 0.1 * len(other.instances)


GOLDEN = {
    "math": "803df3c89b3e679e",
    "ner": "b467486015446e54",
    "occurrence": "fc4cb6b74d739898",
    "sentiment": "09fe286d7422fa59",
    "wsd": "4f7383fe4464a26b",
}


@pytest.mark.parametrize("task", TASKS)
def test_golden_texts(task: str) -> None:
    """Raise VERSION in ``_pool.py`` whenever these change after a release."""
    texts = "\n".join(instance.text for instance in synthetic_pool(task, 200).instances)
    assert hashlib.sha256(texts.encode()).hexdigest()[:16] == GOLDEN[task]


@pytest.mark.parametrize(
    ("per_label", "seed", "name"),
    [(20_000, 0, "synthetic"), (5, 0, "synthetic-5"), (5, 3, "synthetic-5-seed3")],
)
def test_the_name_tells_size_and_seed(per_label: int, seed: int, name: str) -> None:
    pool = synthetic_pool("ner", per_label, seed)
    assert pool.name == name
    assert pool.provenance == {
        "source": "synthetic",
        "generator_version": "1",
        "per_label": str(per_label),
        "seed": str(seed),
    }


@pytest.mark.parametrize("per_label", [0, -1, CAPACITY + 1])
def test_a_size_beyond_the_capacity_is_refused(per_label: int) -> None:
    with pytest.raises(UsageError, match=r"1 to 200000 instances per label, not -?\d+: ask for"):
        synthetic_pool("wsd", per_label)


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(UsageError, match="task 'colours': use one of math, ner"):
        synthetic_pool("colours")


def test_no_text_of_a_hundred_thousand_is_made_twice() -> None:
    """Sentiment has the shortest texts, so it would run out first."""
    pool = synthetic_pool("sentiment", 100_000)
    assert len({instance.text for instance in pool.instances}) == 200_000


def test_answers_are_those_of_the_instances() -> None:
    answers = synthetic_answers("math", 50)
    assert answers == {i.id: i.answer for i in synthetic_pool("math", 50).instances}
    assert {i.id for i in synthetic_pool("math", 50).instances} == set(answers)


@pytest.mark.parametrize("task", ["ner", "sentiment", "wsd"])
def test_a_task_of_labels_has_no_numbers(task: str) -> None:
    assert all(instance.answer is None for instance in synthetic_pool(task, 5).instances)
    with pytest.raises(UsageError, match=f"task {task} has no exact numbers"):
        synthetic_answers(task, 5)


@pytest.mark.parametrize("task", ["ner", "sentiment", "wsd"])
def test_every_slot_has_a_word_list_and_every_word_list_a_slot(task: str) -> None:
    used: set[str] = set()
    known: set[str] = set()
    for grammar in load_grammars(task, load_task(task).labels).values():
        frames = [frame for band in grammar.bands for frame in band.frames]
        entries = [entry for words in grammar.lexicons.values() for entry in words]
        names = set().union(*map(slots, [*frames, *entries]))
        assert names <= set(grammar.lexicons)
        used |= {name.removeprefix(OTHER) for name in names}
        known |= {name.removeprefix(OTHER) for name in grammar.lexicons}
    assert known == used


def test_java_stands_once_in_every_wsd_text() -> None:
    for instance in synthetic_pool("wsd", SIZE).instances:
        assert instance.text.split().count("java") == 1
        assert instance.text.count("java") - instance.text.count("javascript") == 1
        assert instance.text == instance.text.lower()


def test_sentiment_frames_serve_both_labels() -> None:
    grammars = load_grammars("sentiment", ("negative", "positive"))
    assert grammars["negative"].bands == grammars["positive"].bands
