"""Contract: the answer span is the place where writing the other label turns the parsed answer."""

from __future__ import annotations

import pytest

from evenhand.attribution._answer import find_answer

LABELS = ("negative", "positive")


@pytest.mark.parametrize(
    ("text", "selected", "before", "alternative"),
    [
        ('{"answer": "positive"}', "positive", '{"answer": "', "negative"),
        ('{"answer": "Positive"}', "positive", '{"answer": "', "Negative"),
        ('{"answer": "POSITIVE"}', "positive", '{"answer": "', "NEGATIVE"),
        # The last object speaks, not the draft before it.
        (
            '<think>{"answer": "positive"}</think>{"answer":"positive"} done, positive',
            "positive",
            '<think>{"answer": "positive"}</think>{"answer":"',
            "negative",
        ),
        ("Most are positive.\n\nAnswer: **negative**", "negative", None, "positive"),
        # A key's value counts, not the same word as another key's.
        (
            '{"why": "negative", "answer": "negative", "sure": "negative"}',
            "negative",
            '{"why": "negative", "answer": "',
            "positive",
        ),
    ],
)
def test_the_place_of_the_label(
    text: str, selected: str, before: str | None, alternative: str
) -> None:
    found = find_answer(text, LABELS, selected)
    assert found is not None
    assert text[found.lo : found.hi].casefold() == selected
    assert found.alternative == alternative
    if before is not None:
        assert text[: found.lo] == before


def test_a_label_that_is_not_spelt_out_has_no_place() -> None:
    full_width = '{"answer": "ｐｏｓｉｔｉｖｅ"}'
    assert find_answer(full_width, LABELS, "positive") is None
