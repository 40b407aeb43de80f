"""What is asked of every record: a question and its labels."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.errors import UsageError
from evenhand.outcomes import parse_answer

LONGEST_LABEL = 100
MOST_LABELS = 1_000


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the labels that answer it.

    Attributes:
        ask: The question, one line.
        labels: Two labels or more, told apart without regard to case.
    """

    ask: str
    labels: tuple[str, ...]


def make_question(ask: str, labels: Sequence[str]) -> Question:
    """A checked question.

    Raises:
        UsageError: If the question is empty, there are fewer than two labels, or two of them
            cannot be told apart.
    """
    words = " ".join(ask.split())
    if not words:
        raise UsageError("the question is empty: say with ask (--ask) what each record is asked")
    chosen = tuple(label.strip() for label in labels)
    if len(chosen) < 2:
        raise UsageError(
            f"{len(chosen)} label: a count needs at least two, such as yes and no (--labels yes,no)"
        )
    if len(chosen) > MOST_LABELS:
        raise UsageError(
            f"{len(chosen):,} labels: a count takes at most {MOST_LABELS:,}, since every prompt "
            "lists them all: ask for groups of them first"
        )
    for label in chosen:
        if any(unicodedata.category(character)[0] == "C" for character in label):
            raise UsageError(f"label {label!r} holds a control character: use plain words")
        if '"' in label or "\\" in label or len(label) > LONGEST_LABEL:
            raise UsageError(
                f"label {label[:40]!r}: use up to {LONGEST_LABEL} characters, no quotation mark "
                "and no backslash"
            )
    parse_answer("", chosen)
    return Question(words, chosen)


def read_label(value: object, labels: Sequence[str]) -> str | None:
    """The label that a JSON value is, compared as answers are: whole, case aside; else None."""
    if not isinstance(value, str | int | float):
        return None

    return parse_answer(json.dumps({"answer": value}), labels).label
