"""Colours and chart settings, one palette for light and dark.

Every data colour has a relative luminance between 0.13 and 0.30, so that it keeps a contrast of
3:1 or more on both page grounds, and no two that meet in one chart are told apart by hue alone:
they also differ in shape, place or pattern of the label.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from evenhand.design import PATTERNS

if TYPE_CHECKING:
    import altair as alt

MAJORITY = "#0072b2"
MINORITY = "#b27300"
NEUTRAL = "#777c85"
ACCENT = "#c8501e"

PATTERN_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "random": NEUTRAL,
        "majority-first": "#0072b2",
        "majority-last": "#c8501e",
        "majority-edges": "#0b8a6a",
        "majority-middle": "#a8539a",
        "soft-majority-edges": "#5a9a1f",
        "soft-majority-middle": "#8468d8",
    }
)
PATTERN_SHAPES: Mapping[str, str] = MappingProxyType(
    {
        "random": "cross",
        "majority-first": "triangle-left",
        "majority-last": "triangle-right",
        "majority-edges": "square",
        "majority-middle": "diamond",
        "soft-majority-edges": "triangle-up",
        "soft-majority-middle": "circle",
    }
)
OUTCOME_COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "correct": "#0072b2",
        "mistake": "#c8501e",
        "tie": "#b27300",
        "invalid_input": "#5b6270",
        "parsing_issue": "#858b96",
        "overlong": "#a8539a",
    }
)
OUTCOME_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "correct": "right",
        "mistake": "wrong",
        "tie": "said “tie” (counts as wrong)",
        "invalid_input": "no answer: prompt too long",
        "parsing_issue": "no answer: could not be read",
        "overlong": "no answer: output cut off",
    }
)
SERIES = ("#0072b2", "#c8501e", "#0b8a6a", "#a8539a", "#b27300", "#8468d8", "#777c85")
SERIES_SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-left",
)

INK, MUTED, GRID, PAPER = "#1c1e22", "#5a606a", "#e2ded6", "#ffffff"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"
PRINT_FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


def pattern_order(present: object) -> list[str]:
    """The patterns among ``present``, in the paper's order."""
    names = set(present) if isinstance(present, (set, list, tuple)) else set()
    return [name for name in PATTERNS if name in names]


def pattern_colour(present: list[str]) -> alt.Scale:
    """Colour of each pattern, the same in every chart."""
    import altair as alt

    return alt.Scale(domain=present, range=[PATTERN_COLOURS[name] for name in present])


def pattern_shape(present: list[str]) -> alt.Scale:
    """Shape of each pattern, so that charts can be read without colour."""
    import altair as alt

    return alt.Scale(domain=present, range=[PATTERN_SHAPES[name] for name in present])


def print_config() -> dict[str, object]:
    """Chart settings for SVG, PDF and PNG; the page has its own, from its style sheet."""
    text = {"labelColor": INK, "titleColor": MUTED, "labelFontSize": 12, "titleFontSize": 12}
    return {
        "font": PRINT_FONT,
        "background": PAPER,
        "view": {"stroke": None},
        "axis": {
            **text,
            "gridColor": GRID,
            "domain": False,
            "ticks": False,
            "titleFontWeight": "normal",
            "labelPadding": 6,
        },
        "legend": {**text, "titleFontWeight": "normal", "symbolSize": 90},
        "header": {**text, "labelFontWeight": "bold", "labelAnchor": "start"},
        "title": {"color": INK, "anchor": "start", "fontSize": 14},
        "text": {"color": INK},
        "rule": {"color": MUTED},
    }
