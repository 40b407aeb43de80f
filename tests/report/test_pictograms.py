"""Pictograms are drawn from ``arrange``: twelve majority and eight minority records."""

from __future__ import annotations

from itertools import pairwise

import pytest

from evenhand.design import PATTERNS
from evenhand.report import pictogram
from evenhand.report._pictograms import toy_order

BY_HAND = {
    "majority-first": "AAAAAAAAAAAABBBBBBBB",
    "majority-last": "BBBBBBBBAAAAAAAAAAAA",
    "majority-edges": "AAAAAABBBBBBBBAAAAAA",
    "majority-middle": "BBBBAAAAAAAAAAAABBBB",
    "soft-majority-edges": "AAABABABABABABABABAA",
    "soft-majority-middle": "ABABABABAAAAABABABAB",
}


@pytest.mark.parametrize(("pattern", "order"), BY_HAND.items())
def test_structured_patterns_are_drawn_as_written_out_by_hand(pattern: str, order: str) -> None:
    assert toy_order(pattern) == order


def test_random_is_mixed() -> None:
    order = toy_order("random")
    assert (order.count("A"), order.count("B")) == (12, 8)
    assert order not in BY_HAND.values()
    assert sum(a != b for a, b in pairwise(order)) > 3


@pytest.mark.parametrize("pattern", PATTERNS)
def test_labels_differ_in_height_as_well_as_colour(pattern: str) -> None:
    svg = pictogram(pattern)
    assert svg.count('height="12" fill="#0072b2"') == 12
    assert svg.count('height="6" fill="#b27300"') == 8
    assert f"<title>{pattern}: " in svg


def test_a_pictogram_beside_its_name_is_hidden_from_screen_readers() -> None:
    assert 'aria-hidden="true"' in pictogram("random", title=False)
