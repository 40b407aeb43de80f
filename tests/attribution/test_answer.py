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


@pytest.mark.parametrize(
    ("labels", "text", "selected", "written", "alternative"),
    [
        # Letter case: the alternative is written as the reply writes the label.
        (("Negative", "Positive"), '{"answer": "positive"}', "Positive", "positive", "negative"),
        (("Negative", "Positive"), '{"answer": "POSITIVE"}', "Positive", "POSITIVE", "NEGATIVE"),
        (("LOC", "MISC"), '{"answer": "Loc"}', "LOC", "Loc", "Misc"),
        (("B-PER", "I-PER"), '{"answer": "b-per"}', "B-PER", "b-per", "i-per"),
        # One label within the other.
        (("pos", "positive"), '{"answer": "positive"}', "positive", "positive", "pos"),
        (("spam", "not spam"), '{"answer": "spam"}', "spam", "spam", "not spam"),
        (("spam", "not spam"), '{"answer": "not spam"}', "not spam", "not spam", "spam"),
        # More escapes than JSON needs, fewer characters, more characters.
        (("👍", "👎"), '{"answer": "\\ud83d\\udc4d"}', "👍", "\\ud83d\\udc4d", "\\ud83d\\udc4e"),
        (("a/b", "c/d"), '{"answer": "a\\/b"}', "a/b", "a\\/b", "c\\/d"),
        (("é", "e"), '{"answer": "e\u0301"}', "é", "e\u0301", "e"),
        (("straße", "weg"), '{"answer": "STRASSE"}', "straße", "STRASSE", "WEG"),
        # Quotation marks: escaped within JSON, bare on a line of their own.
        (('say "hi"', "no"), '{"answer": "say \\"hi\\""}', 'say "hi"', 'say \\"hi\\"', "no"),
        (('say "hi"', "no"), '{"answer": "no"}', "no", "no", 'say \\"hi\\"'),
        (('say "hi"', "no"), "no", "no", "no", 'say "hi"'),
        (('say "hi"', "no"), 'say "hi"', 'say "hi"', 'say "hi"', "no"),
        (("日本", "中国"), '{"answer": "日本"}', "日本", "日本", "中国"),
        (("answer", "reply"), '{"answer": "answer"}', "answer", "answer", "reply"),
    ],
)
def test_labels_written_otherwise(
    labels: tuple[str, str], text: str, selected: str, written: str, alternative: str
) -> None:
    found = find_answer(text, labels, selected)
    assert found is not None
    assert (text[found.lo : found.hi], found.alternative) == (written, alternative)
    if text.startswith("{"):
        assert text[: found.lo] == '{"answer": "'


def test_a_label_that_is_not_spelt_out_has_no_place() -> None:
    full_width = '{"answer": "ｐｏｓｉｔｉｖｅ"}'
    assert find_answer(full_width, LABELS, "positive") is None
