"""Frames: choices, slots, repeated slots, articles, and what an ill-written frame says."""

from __future__ import annotations

import re

import pytest

from evenhand.pools._synthetic._draw import Draws
from evenhand.pools._synthetic._grammar import (
    carriers,
    compile_lexicons,
    compile_template,
    fill,
    slots,
)

WORDS = compile_lexicons(
    {"fruit": ["apple", "pear", "plum"], "one": ["pear"], "both": ["[ripe|raw] {one}"]}
)


def fillings(frame: str, times: int = 200) -> set[str]:
    template = compile_template(frame)
    return {fill(template, WORDS, Draws(frame, k)) for k in range(times)}


@pytest.mark.parametrize(
    ("frame", "texts"),
    [
        ("as it stands", {"as it stands"}),
        ("[one|two] eggs", {"one eggs", "two eggs"}),
        ("[a|b[c|d]]", {"a", "bc", "bd"}),
        ("no[w|]", {"now", "no"}),
        ("well [so|] said", {"well so said", "well said"}),
        ("{one}", {"pear"}),
        ("{both}", {"ripe pear", "raw pear"}),
        ("a {fruit}", {"an apple", "a pear", "a plum"}),
        (
            "{fruit} {fruit}",
            {"apple pear", "apple plum", "pear apple", "pear plum", "plum apple", "plum pear"},
        ),
        ("{fruit=1} {fruit=1}", {"apple apple", "pear pear", "plum plum"}),
        ("{one=1}{one=2}", {"pearpear"}),
    ],
)
def test_fill(frame: str, texts: set[str]) -> None:
    assert fillings(frame) == texts


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a apple", "an apple"),
        ("A early start", "An early start"),
        ("a unique user", "a unique user"),
        ("a used unit", "a used unit"),
        ("a uninspired film", "an uninspired film"),
        ("a unimaginative film", "an unimaginative film"),
        ("a ugly film", "an ugly film"),
        ("a one-note film", "a one-note film"),
        ("a european film", "a european film"),
        ("a honest film", "an honest film"),
        ("a hour", "an hour"),
        ("a house", "a house"),
        ("a Island", "an Island"),
        ("sea eagle", "sea eagle"),
    ],
)
def test_articles(before: str, after: str) -> None:
    assert fillings(before, times=1) == {after}


@pytest.mark.parametrize("frame", ["[a|b", "a]", "a|b", "{fruit", "[a|{fruit]"])
def test_an_ill_written_frame_is_refused(frame: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(frame))):
        compile_template(frame)


@pytest.mark.parametrize(
    ("frame", "count"),
    [
        ("a {fruit}", 1),
        ("[a|b] c", 2),
        ("[a|b] [c|d|e]", 6),
        ("[a|b[c|d]]", 3),
        ("[a|[b|c] [d|e]]", 5),
    ],
)
def test_carriers_count_written_alternatives_only(frame: str, count: int) -> None:
    assert carriers(compile_template(frame)) == count


def test_slots_are_found_at_every_depth() -> None:
    assert slots(compile_template("{a} [b|{c=1} [{d}|e]]")) == {"a", "c", "d"}
