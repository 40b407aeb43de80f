"""Where in a reply the selected label stands."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
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
    written as the reply writes the selected label: in capitals, with a capital first letter, or
    with JSON's escapes.

    Args:
        text: The reply, reasoning included.
        labels: Of the task.
        selected: The one that the reply was found to give.

    Returns:
        The place, or None where the label is not spelt out.
    """
    other = labels[1] if selected == labels[0] else labels[0]
    written = re.compile("|".join(map(re.escape, _spellings(selected))), re.IGNORECASE)
    for found in list(written.finditer(text))[: -MOST_PLACES - 1 : -1]:
        plain = _in_style(other, like=_unescaped(found.group()), label=selected)
        # Written in the reply's own way where that can be told, and as JSON rather than bare.
        for write in sorted(_WRITERS, key=lambda way: not _writes(way, selected, found.group())):
            instead = write(plain)
            changed = text[: found.start()] + instead + text[found.end() :]
            if parse_answer(changed, labels).label == other:
                return AnswerSpan(found.start(), found.end(), instead)
    return None


def inside_json(label: str) -> str:
    """A label as it stands within a JSON string."""
    return json.dumps(label, ensure_ascii=False)[1:-1]


def _in_ascii(label: str) -> str:
    return json.dumps(label)[1:-1]


def _with_solidus(label: str) -> str:
    return inside_json(label).replace("/", "\\/")


_WRITERS: tuple[Callable[[str], str], ...] = (inside_json, str, _in_ascii, _with_solidus)
"""How a reply may write a label: in a JSON string, bare, or with more escapes than JSON needs."""


def _spellings(label: str) -> list[str]:
    """Every way in which the parser's folding lets a label be written, letter case aside."""
    forms = [label, *(unicodedata.normalize(form, label) for form in ("NFC", "NFD", "NFKC"))]
    # Letters that become two when their case changes are not found by ignoring case.
    forms += [changed for form in forms for changed in (form.upper(), form.casefold())]
    found = dict.fromkeys(write(form) for form in forms for write in _WRITERS)
    return sorted(found, key=len, reverse=True)


def _writes(write: Callable[[str], str], label: str, found: str) -> bool:
    return write(_unescaped(found) if write is not str else label).casefold() == found.casefold()


def _unescaped(written: str) -> str:
    try:
        return str(json.loads(f'"{written}"'))
    except ValueError:
        return written


def _in_style(other: str, *, like: str, label: str) -> str:
    """The other label in the letter case in which the reply writes the selected one."""
    if like == label:
        return other
    if like == like.upper() and len(like) > 1:
        return other.upper()
    if like == like.lower():
        return other.lower()
    if like[0].isupper():
        rest = other[1:].lower() if like[1:] == like[1:].lower() else other[1:]
        return other[:1].upper() + rest
    return other
