"""Reading a label out of a reply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evenhand._word import fold_word, trim_word
from evenhand.errors import UsageError
from evenhand.outcomes._finish import was_cut, was_filtered
from evenhand.outcomes._json import Answer, last_answer
from evenhand.outcomes._visible import visible_parts

_TIE = "-1"
_LEAD = re.compile(r"[*_`]{0,3}answer[*_`]{0,3} ?:[*_`]{0,3}")
_FENCE = re.compile(r"(?:`{3,}|~{3,})\w*")
_WRAPPERS = ("***", "**", "*", "___", "__", "_", "`", '"', "'", "“”", "‘’", "«»", "„“", "「」")


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """What a reply was found to say.

    Attributes:
        label: The label, spelt as in ``labels``, or None.
        tie: Whether the reply answered -1.
        outcome: None while a label or a tie was found, else ``parsing_issue`` or ``overlong``.
        lenient: Whether the label was a bare last line instead of JSON.
    """

    label: str | None
    tie: bool
    outcome: Literal["parsing_issue", "overlong"] | None
    lenient: bool


_UNREADABLE = ParsedAnswer(None, tie=False, outcome="parsing_issue", lenient=False)
_OVERLONG = ParsedAnswer(None, tie=False, outcome="overlong", lenient=False)


def parse_answer(
    text: str, labels: Sequence[str], finish_reason: str | None = "stop"
) -> ParsedAnswer:
    """Read the answer of a reply (3.4, D.1).

    The last JSON object with an ``answer`` key counts, outside closed reasoning tags. Its value
    is compared with the labels after NFKC, trimming and case folding, never by substring; -1, as
    number or string, is a tie. If there is no such object, a last line that is exactly a label
    counts and is marked lenient: quotation marks, emphasis and a lead ``Answer:`` aside. Anything
    else is a parsing issue; a reply cut at a token limit is overlong and a reply cut by a filter
    a parsing issue, whatever they hold. Nothing is repaired, guessed or defaulted.

    Args:
        text: The visible reply.
        labels: The labels of the task.
        finish_reason: How the reply ended, in the provider's word.

    Returns:
        Label, tie, or why there is neither.

    Raises:
        UsageError: If the labels are empty, alike after folding, or read as a tie.
    """
    folded = _folded_labels(labels)
    if was_cut(finish_reason):
        return _OVERLONG
    if was_filtered(finish_reason):
        return _UNREADABLE
    parts = visible_parts(text)
    for part in reversed(parts):
        if (answer := last_answer(part)) is not None:
            return _from_json(answer, folded)
    label = _last_line_label(parts, folded)
    if label is None:
        return _UNREADABLE
    return ParsedAnswer(label, tie=False, outcome=None, lenient=True)


def _folded_labels(labels: Sequence[str]) -> dict[str, str]:
    folded = {fold_word(label): label for label in labels}
    if not labels or "" in folded:
        raise UsageError("an answer needs labels to be compared with, and none of them empty")
    if len(folded) < len(labels):
        raise UsageError(f"labels {', '.join(labels)} are not distinct once case is ignored")
    if _TIE in folded:
        raise UsageError(f"the label {_TIE} already means a tie: rename it")
    return folded


def _from_json(answer: Answer, folded: dict[str, str]) -> ParsedAnswer:
    word = _json_word(answer)
    if word == _TIE:
        return ParsedAnswer(None, tie=True, outcome=None, lenient=False)
    if word is None or word not in folded:
        return _UNREADABLE
    return ParsedAnswer(folded[word], tie=False, outcome=None, lenient=False)


def _json_word(answer: Answer) -> str | None:
    """The value as a word: labels such as ``5`` or ``true`` may come without quotation marks."""
    value = answer.value
    if answer.kind != "scalar" or value is None:
        return None
    if isinstance(value, str):
        return fold_word(value).replace("\u2212", "-")
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if value in (-1, -1.0) else str(value)


def _last_line_label(parts: Sequence[str], folded: dict[str, str]) -> str | None:
    for part in reversed(parts):
        for line in reversed(part.splitlines()):
            bare = trim_word(line)
            if bare and not _FENCE.fullmatch(bare):
                return _bare_label(fold_word(bare), folded)
    return None


def _bare_label(line: str, folded: dict[str, str], lead_left: bool = True) -> str | None:
    """Peel wrappers and one lead off a folded line until it is a label or nothing peels."""
    if line in folded:
        return folded[line]
    if len(line) > max(map(len, folded)) + 64:
        return None
    found = None
    if (peeled := _unwrapped(line)) is not None:
        found = _bare_label(trim_word(peeled), folded, lead_left)
    if found is None and lead_left and (lead := _LEAD.match(line)) is not None:
        found = _bare_label(trim_word(line[lead.end() :]), folded, lead_left=False)
    return found


def _unwrapped(line: str) -> str | None:
    for wrapper in _WRAPPERS:
        alike = wrapper[0] == wrapper[-1]
        left, right = (wrapper, wrapper) if alike else (wrapper[0], wrapper[-1])
        if len(line) > len(left) + len(right) and line.startswith(left) and line.endswith(right):
            return line[len(left) : -len(right)]
    return None
