"""Contract of ``judge``: a reply has one of five outcomes (3.4, D.1); a tie is valid."""

from __future__ import annotations

import pytest

from evenhand.errors import UsageError
from evenhand.outcomes import Judgement, judge, judge_forced

LABELS = ("negative", "positive")


@pytest.mark.parametrize(
    ("text", "outcome", "predicted", "lenient"),
    [
        ('{"answer": "positive"}', "correct", "positive", False),
        ('{"answer": "negative"}', "mistake", "negative", False),
        ("**positive**", "correct", "positive", True),
        ("negative", "mistake", "negative", True),
        ('{"answer": -1}', "tie", None, False),
        ('{"answer": "neutral"}', "parsing_issue", None, False),
        ("", "parsing_issue", None, False),
    ],
)
def test_outcomes(text: str, outcome: str, predicted: str | None, lenient: bool) -> None:
    judged = judge(text, LABELS, "positive")
    assert (judged.outcome, judged.predicted, judged.lenient) == (outcome, predicted, lenient)
    assert judged.valid == (outcome != "parsing_issue")
    assert (judged.reason is None) == judged.valid


def test_a_cut_reply_is_overlong_whatever_it_holds() -> None:
    judged = judge('{"answer": "positive"}', LABELS, "positive", finish_reason="length")
    assert judged.outcome == "overlong"
    assert judged.predicted is None
    assert not judged.valid


@pytest.mark.parametrize(
    ("text", "tokens", "outcome"),
    [
        ("thinking on", 20_000, "overlong"),
        ("thinking on", 20_001, "overlong"),
        ("thinking on", 19_999, "parsing_issue"),
        ("thinking on", None, "parsing_issue"),
        ('{"answer": "positive"}', 20_000, "correct"),
    ],
)
def test_a_budget_used_up_without_an_answer_is_overlong(
    text: str, tokens: int | None, outcome: str
) -> None:
    judged = judge(text, LABELS, "positive", output_tokens=tokens, output_budget=20_000)
    assert judged.outcome == outcome


@pytest.mark.parametrize(
    ("text", "finish_reason", "words"),
    [
        ("", "stop", "empty"),
        ("", "length", "cut (length)"),
        ("no", "content_filter", "stopped (content_filter)"),
        ("no", "stop", "no JSON answer"),
    ],
)
def test_the_reason_says_why_there_is_no_answer(text: str, finish_reason: str, words: str) -> None:
    assert words in (judge(text, LABELS, "positive", finish_reason=finish_reason).reason or "")


def test_an_unknown_majority_label_is_refused() -> None:
    with pytest.raises(UsageError, match="'happy' is not a label"):
        judge('{"answer": "positive"}', LABELS, "happy")


def test_forced_choices() -> None:
    assert judge_forced("positive", "positive") == Judgement("correct", "positive")
    assert judge_forced("negative", "positive") == Judgement("mistake", "negative")
    assert judge_forced(None, "positive") == Judgement("tie")
