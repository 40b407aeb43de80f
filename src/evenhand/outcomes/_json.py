"""Finding JSON objects in prose, in time linear in the text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Literal

Scalar = str | int | float | bool | None

# Every quantifier that can run long is possessive: a failed token is never re-read shorter.
_SPACE = r"[ \t\n\r]*+"
_STRING = r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_TOKEN = re.compile(
    rf"{_SPACE}(?:(?P<mark>[{{}}\[\],:])|(?P<string>{_STRING})|(?P<number>{_NUMBER})"
    r"|(?P<word>true|false|null))"
)
_START = re.compile(rf'\{{(?={_SPACE}")')
_WORDS: dict[str, Scalar] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Answer:
    """The value of an ``answer`` key: ``kind`` tells a scalar from a list or an object."""

    kind: Literal["scalar", "array", "object"]
    value: Scalar = None


@dataclass(slots=True)
class _Frame:
    """An object or array that is still open."""

    start: int
    is_object: bool
    expects: Literal["first", "key", "colon", "value", "comma"]
    key: str | None = None
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class _Closed:
    """A complete object: where it ends, and its own answer."""

    end: int
    answer: Answer | None


def last_answer(text: str) -> Answer | None:
    """The ``answer`` of the last JSON object that has one (RFC 8259, nothing repaired).

    Of nested objects the outermost that has the key speaks; where its value is itself an object
    with the key, that one does. Of a key written twice the last one counts. Objects inside broken
    ones are found, braces in prose are passed over.

    Every ``{`` is read as an object's start at most once and its result kept, and two readings
    of one stretch can only differ in which quotation marks open a string; so no character is read
    more than a few times, whatever the text.

    Args:
        text: Prose with JSON in it.

    Returns:
        The answer, or None if no object has the key.
    """
    results: dict[int, _Closed | None] = {}
    at = 0
    while (found := _START.search(text, at)) is not None:
        start = found.start()
        if start not in results:
            _read(text, start, results)
        closed = results[start]
        at = start + 1 if closed is None else closed.end
    answered = [closed for closed in results.values() if closed and closed.answer]
    return max(answered, key=lambda closed: closed.end).answer if answered else None


def _read(text: str, start: int, results: dict[int, _Closed | None]) -> None:
    """Read the object at ``start``; note the result of every object begun on the way."""
    stack = [_Frame(start, is_object=True, expects="first")]
    at = start + 1
    while stack:
        token = _TOKEN.match(text, at)
        frame = stack[-1]
        if token is None:
            break
        at = token.end()
        mark = token["mark"]
        if mark == "," and frame.expects == "comma":
            frame.expects = "key" if frame.is_object else "value"
        elif mark == ":" and frame.expects == "colon":
            frame.expects = "value"
        elif mark is not None and mark in "}]":
            if frame.is_object != (mark == "}") or frame.expects not in ("first", "comma"):
                break
            stack.pop()
            if frame.is_object:
                results[frame.start] = _Closed(at, frame.answer)
                outcome = frame.answer or Answer("object")
            else:
                outcome = Answer("array")
            if stack:
                _put(stack[-1], outcome)
        elif frame.is_object and frame.expects in ("first", "key"):
            if token["string"] is None:
                break
            frame.key = _plain(token["string"])
            frame.expects = "colon"
        elif frame.expects == "value" or (frame.expects == "first" and not frame.is_object):
            if mark == "{" and (at - 1) in results:
                known = results[at - 1]
                if known is None:
                    break
                at = known.end
                _put(frame, known.answer or Answer("object"))
            elif mark is not None and mark in "{[":
                stack.append(_Frame(at - 1, is_object=mark == "{", expects="first"))
            elif mark is not None:
                break
            else:
                _put(frame, _scalar(token))
        else:
            break
    results.update((frame.start, None) for frame in stack if frame.is_object)


def _put(frame: _Frame, value: Answer) -> None:
    frame.expects = "comma"
    if frame.is_object and frame.key == "answer":
        frame.answer = value


def _scalar(token: re.Match[str]) -> Answer:
    if token["string"] is not None:
        return Answer("scalar", _plain(token["string"]))
    if token["word"] is not None:
        return Answer("scalar", _WORDS[token["word"]])
    written = token["number"]
    # Python refuses integers of thousands of digits; as a float such a number is merely off-list.
    whole = len(written) < 20 and written.lstrip("-").isdigit()
    return Answer("scalar", int(written) if whole else float(written))


def _plain(string: str) -> str:
    return string[1:-1] if "\\" not in string else str(json.loads(string))
