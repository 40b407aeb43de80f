"""The caption of planned comparisons explains a wide plain dot beside a smaller diamond, if any."""

from __future__ import annotations

import polars as pl
from tests.report.conftest import Simulate

from evenhand.design import PATTERNS
from evenhand.report.figures._contrasts import planned_contrasts

FIRST = dict.fromkeys(PATTERNS, 1.0) | {"majority-last": 0.0, "random": 0.94}


def _caption(frame: pl.DataFrame) -> str:
    figure = planned_contrasts(frame)
    assert figure is not None
    return figure.reading


def test_a_wide_dot_beside_a_diamond_is_explained(simulate: Simulate) -> None:
    # Six sets: first − last is +100 from two single runs a set (p = 2 / 2**6, not clear after
    # Holm over ten); last − random deals one of four runs, 1 in 4**6.
    assert "wide difference can be a plain dot" in _caption(simulate(chance=FIRST))


def test_else_nothing_is_explained(simulate: Simulate) -> None:
    assert "plain dot" not in _caption(simulate(chance=dict.fromkeys(PATTERNS, 1.0)))
