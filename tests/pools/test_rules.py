"""Each eligibility rule, on made-up records: the label, the exact answer, or the reason."""

from __future__ import annotations

import pytest

from evenhand.pools._rules import (
    Eligible,
    Verdict,
    answer_parity,
    count_the,
    occurrence_of_the,
    only_entity,
    phrase_polarity,
    word_sense,
)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("2 + 2 = 4\n#### 4", Eligible("q", "even_number", 4)),
        ("#### 1,205", Eligible("q", "odd_number", 1205)),
        ("#### 1,000,000", Eligible("q", "even_number", 1_000_000)),
        ("#### -7", Eligible("q", "odd_number", -7)),
        ("#### 0", Eligible("q", "even_number", 0)),
        ("####12 \n", Eligible("q", "even_number", 12)),
        ("#### 2.5", "no integer final answer"),
        ("#### " + "9" * 5_000, "final answer too long"),
        ("#### 12,00", "no integer final answer"),
        ("#### 4 apples", "no integer final answer"),
        ("so it is 4", "no integer final answer"),
        ("#### 3\nand then #### 8", Eligible("q", "even_number", 8)),
    ],
)
def test_answer_parity(answer: str, expected: Verdict) -> None:
    assert answer_parity("q", answer) == expected


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("B-PER I-PER O", Eligible("w0 w1 w2", "PER")),
        ("O B-LOC O", Eligible("w0 w1 w2", "LOC")),
        ("B-PER B-PER", "several entities"),
        ("B-PER O B-LOC", "several entities"),
        ("B-ORG I-ORG", "entity is ORG"),
        ("O O", "no entity"),
        ("O I-PER", "malformed tags"),
        ("B-LOC I-PER", "malformed tags"),
        ("PER", "malformed tags"),
        ("B-", "malformed tags"),
    ],
)
def test_only_entity(tags: str, expected: Verdict) -> None:
    listed = tags.split()
    assert only_entity([f"w{k}" for k in range(len(listed))], listed) == expected


def test_only_entity_wants_a_tag_for_every_token() -> None:
    assert only_entity(["one", "two"], ["B-PER"]) == "malformed tags"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The end of the line", 2),
        ("THE end", 1),
        ("they bathe there", 0),
        ("see the. and the!", None),
        ("on the #The day", None),
        ("w/the crew", None),
        ("the-best day", None),
        ("the_best day", 0),
        ("", 0),
    ],
)
def test_count_the(text: str, count: int | None) -> None:
    assert count_the(text) == count


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("over the hill", Eligible("over the hill", "exactly_once", 1)),
        ("the the the", Eligible("the the the", "more_than_once", 3)),
        ("nothing here", 'no "the"'),
        ("mind the, gap", 'disputed count of "the"'),
    ],
)
def test_occurrence_of_the(text: str, expected: Verdict) -> None:
    assert occurrence_of_the(text) == expected


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (0, Eligible("fine", "negative")),
        (1, Eligible("fine", "positive")),
        (-1, "no label"),
        (None, "no label"),
    ],
)
def test_phrase_polarity(label: int | None, expected: Verdict) -> None:
    assert phrase_polarity("fine", label) == expected


def test_word_sense() -> None:
    assert word_sense("x", "java_java") == Eligible("x", "place")
    assert word_sense("x", "java_java_(programming_language)") == Eligible(
        "x", "programming_language"
    )
    assert word_sense("x", "java_coffee") == "sense is java_coffee"
