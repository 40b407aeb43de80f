"""Contract: lists and ranges on the command line mean what they say, or are refused."""

from __future__ import annotations

import pytest

from evenhand.cli._options import split_integers, split_pairs, split_words
from evenhand.errors import UsageError

INTEGERS = [
    ("0", [0]),
    ("0,1,2", [0, 1, 2]),
    ("0-3", [0, 1, 2, 3]),
    (" 1, 5-7 ", [1, 5, 6, 7]),
    ("2_000", [2000]),
    ("4-4", [4]),
    ("0-99999", list(range(100_000))),
]


@pytest.mark.parametrize(("text", "numbers"), INTEGERS)
def test_integers(text: str, numbers: list[int]) -> None:
    assert split_integers(text) == numbers


FAULTS = [
    ("", "empty part"),
    ("1,,2", "empty part"),
    ("1,two", "'two' is not a whole number"),
    ("1.5", "'1.5' is not a whole number"),
    ("-1", "'-1' is not a whole number from 0"),
    ("9" * 5000, "is not a whole number from 0"),
    ("0-999999999", "'0-999999999' is more than 100,000 numbers"),
    ("0-60000,70000-120000", "is more than 100,000 numbers"),
    ("3-1", "runs backwards: write 1-3"),
]


@pytest.mark.parametrize(("text", "message"), FAULTS)
def test_faulty_integers(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        split_integers(text)


def test_words() -> None:
    assert split_words("ner, wsd") == ["ner", "wsd"]
    with pytest.raises(UsageError, match="empty part"):
        split_words("ner,")


def test_pairs() -> None:
    assert split_pairs("messages=prompt, setting==hub") == {"messages": "prompt", "setting": "=hub"}
    for text, message in (("a", "not field=column"), ("a=", "not field"), ("a=b,a=c", "twice")):
        with pytest.raises(UsageError, match=message):
            split_pairs(text)
