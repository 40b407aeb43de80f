"""Sentence frames: literal text, ``[one|of|these]`` and ``{slots}`` that a word list fills.

A slot ``{noun}`` draws afresh each time, never twice in a row the same entry; ``{name=1}`` draws
once and repeats what it drew wherever ``{name=1}`` stands in the text. Entries of a word list may
hold slots and choices themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from evenhand.pools._synthetic._draw import Draws


@dataclass(frozen=True, slots=True)
class Slot:
    """A place that the word list ``name`` fills; ``key`` marks a filling that repeats."""

    name: str
    key: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A place that one of a few written alternatives fills."""

    options: tuple[Template, ...]


Template = tuple["str | Slot | Choice", ...]
Lexicons = Mapping[str, Sequence[Template]]

_MARK = re.compile(r"[\[\]|{]")
# "a" before a vowel sound; words such as "unique", "user" or "one-note" begin with a consonant.
_ARTICLE = re.compile(
    r"\b(a) (?!one\b|once\b|e[uw])(?=[aeio]|u(?!ni[^mn]|s[eu]|t[io])|hour|honest|heir)",
    re.IGNORECASE,
)


def compile_template(text: str) -> Template:
    """Read one frame or word-list entry.

    Raises:
        ValueError: If a bracket or brace is not closed, or closes nothing.
    """
    options, end = _read(text, 0, inside=False)
    if end != len(text):
        raise ValueError(f"unbalanced brackets in {text!r}")
    return options[0]


def compile_lexicons(words: Mapping[str, Iterable[str]]) -> dict[str, tuple[Template, ...]]:
    """Read every entry of every word list."""
    return {name: tuple(map(compile_template, entries)) for name, entries in words.items()}


def fill(template: Template, lexicons: Lexicons, draws: Draws) -> str:
    """Fill one frame.

    The article ``a`` becomes ``an`` where the next word asks for it; the spaces around a slot or
    choice that came out empty are folded.
    """
    pieces: list[str] = []
    _fill(template, lexicons, draws, {}, {}, pieces)
    return _ARTICLE.sub(r"\1n ", " ".join("".join(pieces).split()))


def carriers(template: Template) -> int:
    """In how many ways the written alternatives of a frame can be chosen, slots left open."""
    return prod(
        sum(carriers(option) for option in part.options)
        for part in template
        if isinstance(part, Choice)
    )


def slots(template: Template) -> frozenset[str]:
    """Names of the word lists that a frame draws on."""
    names: set[str] = set()
    for part in template:
        if isinstance(part, Slot):
            names.add(part.name)
        elif isinstance(part, Choice):
            names.update(*(slots(option) for option in part.options))
    return frozenset(names)


def _fill(
    template: Template,
    lexicons: Lexicons,
    draws: Draws,
    last: dict[str, int],
    bound: dict[Slot, str],
    pieces: list[str],
) -> None:
    for part in template:
        if isinstance(part, str):
            pieces.append(part)
        elif isinstance(part, Choice):
            _fill(draws.pick(part.options), lexicons, draws, last, bound, pieces)
        elif not part.key:
            _fill(_entry(part.name, lexicons, draws, last), lexicons, draws, last, bound, pieces)
        else:
            if part not in bound:
                own: list[str] = []
                entry = _entry(part.name, lexicons, draws, last)
                _fill(entry, lexicons, draws, last, bound, own)
                bound[part] = "".join(own)
            pieces.append(bound[part])


def _entry(name: str, lexicons: Lexicons, draws: Draws, last: dict[str, int]) -> Template:
    entries = lexicons[name]
    previous = last.get(name)
    if previous is None or len(entries) == 1:
        index = draws.below(len(entries))
    else:
        index = (previous + 1 + draws.below(len(entries) - 1)) % len(entries)
    last[name] = index
    return entries[index]


def _read(text: str, start: int, *, inside: bool) -> tuple[tuple[Template, ...], int]:
    options: list[Template] = []
    parts: list[str | Slot | Choice] = []
    position = start
    while mark := _MARK.search(text, position):
        if mark.start() > position:
            parts.append(text[position : mark.start()])
        position = mark.end()
        match mark.group():
            case "[":
                inner, position = _read(text, position, inside=True)
                parts.append(Choice(inner))
            case "{":
                close = text.find("}", position)
                if close < 0:
                    raise ValueError(f"a slot is not closed in {text!r}")
                name, _, key = text[position:close].partition("=")
                parts.append(Slot(name, key))
                position = close + 1
            case _ if not inside:
                raise ValueError(f"{mark.group()!r} stands outside brackets in {text!r}")
            case "|":
                options.append(tuple(parts))
                parts = []
            case _:
                return (*options, tuple(parts)), position
    if inside:
        raise ValueError(f"a bracket is not closed in {text!r}")
    if position < len(text):
        parts.append(text[position:])
    return (tuple(parts),), len(text)
