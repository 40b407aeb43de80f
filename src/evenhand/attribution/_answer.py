"""Where in a reply the selected label stands."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from evenhand.outcomes import parse_answer

MOST_PLACES = 64
"""Places where the label is written that are looked at, from the end: the answer comes last."""


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """Half-open character range of the selected label, and what would stand there instead."""

    lo: int
    hi: int
    alternative: str


def find_answer(text: str, labels: tuple[str, str], selected: str) -> AnswerSpan | None:
    """Find the label that makes the reply's answer what it is.

    It is the last place where writing the other label turns the parsed answer into the other
    label. That is the parser's own reading, whatever form the reply has. The alternative is
    written as the reply writes the selected label: in capitals, or with a capital first letter.

    Args:
        text: The reply, reasoning included.
        labels: Of the task.
        selected: The one that the reply was found to give.

    Returns:
        The place, or None where the label is not spelt out.
    """
    other = labels[1] if selected == labels[0] else labels[0]
    written = re.compile(re.escape(_inside_json(selected)), re.IGNORECASE)
    for found in list(written.finditer(text))[: -MOST_PLACES - 1 : -1]:
        instead = _inside_json(_in_style(other, like=found.group()))
        changed = text[: found.start()] + instead + text[found.end() :]
        if parse_answer(changed, labels).label == other:
            return AnswerSpan(found.start(), found.end(), instead)
    return None


def _inside_json(label: str) -> str:
    return json.dumps(label, ensure_ascii=False)[1:-1]


def _in_style(label: str, *, like: str) -> str:
    if label == label.casefold():
        if like.isupper() and len(like) > 1:
            return label.upper()
        if like[:1].isupper():
            return label[:1].upper() + label[1:]
    return label
