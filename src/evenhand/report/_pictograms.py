"""Pictograms of the order patterns (Figures 1 and 8): twenty records as a strip of bars.

Majority records are tall and blue, minority records short and ochre, so that a strip can be read
without colour. The order comes from :func:`evenhand.design.arrange`, never from a drawing.
"""

from __future__ import annotations

import base64
from functools import cache

from evenhand.design import PATTERNS, arrange
from evenhand.report._theme import MAJORITY, MINORITY

RECORDS = 20
MAJORITY_RECORDS = 12
_CELL, _HEIGHT, _SHORT = 6, 12, 6
_WIDTH = RECORDS * _CELL - 1
_VIEW = f"0 0 {_WIDTH} {_HEIGHT}"

DESCRIPTIONS = {
    "random": "records in a random order",
    "majority-first": "all majority records first",
    "majority-last": "all majority records last",
    "majority-edges": "half of the majority at each end",
    "majority-middle": "the majority in the middle",
    "soft-majority-edges": "labels alternate, the surplus at the ends",
    "soft-majority-middle": "labels alternate, the surplus in the middle",
}
PLACES = {
    "random": "in random order",
    "majority-first": "with the majority first",
    "majority-last": "with the majority last",
    "majority-edges": "with the majority at the edges",
    "majority-middle": "with the majority in the middle",
    "soft-majority-edges": "with labels alternating and the surplus at the edges",
    "soft-majority-middle": "with labels alternating and the surplus in the middle",
}
"""How a sentence says where the majority stood."""
PLACES_OF_IT = {name: words.replace("the majority", "it") for name, words in PLACES.items()}
"""The same, once the majority has been named."""


def toy_order(pattern: str) -> str:
    """The labels of twenty records under one pattern, ``A`` for majority and ``B`` for minority.

    Twelve against eight (p = 0.6), order seed 0 for ``random``.
    """
    majority = [f"A{at}" for at in range(MAJORITY_RECORDS)]
    minority = [f"B{at}" for at in range(RECORDS - MAJORITY_RECORDS)]
    seed = 0 if pattern == "random" else None
    return "".join(record[0] for record in arrange(majority, minority, pattern, seed))


def pictogram(pattern: str, *, title: bool = True) -> str:
    """Inline SVG of one pattern, complete in itself.

    Args:
        pattern: One of the seven order patterns.
        title: Whether the SVG names itself to screen readers; False when a label stands beside it.
    """
    size = f'viewBox="{_VIEW}" width="{_WIDTH}" height="{_HEIGHT}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="pictogram" {size} '
    if not title:
        return f'{head}aria-hidden="true" focusable="false">{pictogram_bars(pattern)}</svg>'
    named = f"<title>{pattern}: {DESCRIPTIONS[pattern]}</title>"
    return f'{head}role="img">{named}{pictogram_bars(pattern)}</svg>'


def pictogram_sprite() -> str:
    """All pictograms as symbols, to stand once in a page."""
    symbols = "".join(
        f'<symbol id="order-{pattern}" viewBox="{_VIEW}">{pictogram_bars(pattern)}</symbol>'
        for pattern in PATTERNS
    )
    return f'<svg class="hidden" aria-hidden="true" focusable="false">{symbols}</svg>'


def pictogram_use(pattern: str) -> str:
    """A reference to the sprite's pictogram, for a place where a label stands beside it."""
    return (
        f'<svg class="pictogram" viewBox="{_VIEW}" aria-hidden="true" focusable="false">'
        f'<use href="#order-{pattern}"/></svg>'
    )


def pictogram_bars(pattern: str) -> str:
    """The bars of a pictogram, 119 by 12 units, as SVG elements."""
    return "".join(
        f'<rect x="{at * _CELL}" y="0" width="{_CELL - 1}" height="{_HEIGHT}" fill="{MAJORITY}"/>'
        if label == "A"
        else f'<rect x="{at * _CELL}" y="{_HEIGHT - _SHORT}" width="{_CELL - 1}" '
        f'height="{_SHORT}" fill="{MINORITY}"/>'
        for at, label in enumerate(toy_order(pattern))
    )


@cache
def pictogram_uri(pattern: str) -> str:
    """The pictogram as a ``data:`` address, for charts."""
    svg = pictogram(pattern, title=False)
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode("ascii")
