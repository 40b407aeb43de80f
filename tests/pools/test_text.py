"""Cleaning trims and folds line breaks of every kind, and changes nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.pools._text import one_line

CASES = [
    ("plain", "plain"),
    ("  both ends \t", "both ends"),
    ("two\nlines", "two lines"),
    ("two\r\nlines", "two lines"),
    ("gap \n\n  gap", "gap gap"),
    ("a\u2028b\u2029c\u0085d", "a b c d"),
    ("a\vb\fc\x1cd\x1de\x1ef\rg", "a b c d e f g"),
    ("inner  blanks\tstay", "inner  blanks\tstay"),
    ("\n \u2028", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_one_line(text: str, expected: str) -> None:
    assert one_line(text) == expected


@given(st.text())
def test_the_result_is_one_line_and_stays_as_it_is(text: str) -> None:
    folded = one_line(text)
    assert len(folded.splitlines()) <= 1
    assert one_line(folded) == folded
