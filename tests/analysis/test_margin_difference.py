"""Contract: margins of two orders are compared set by set, by a paired t-test."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import margin_difference

Table = Callable[..., pl.DataFrame]


def _pair(seed: int, edges: float, middle: float, majority: str = "positive") -> list[object]:
    """One set under two orders; margins are given towards the majority."""
    sign = 1 if majority == "positive" else -1
    return [
        {
            "answer_mode": "forced",
            "majority_label": majority,
            "set_seed": seed,
            "pattern": pattern,
            "margin": sign * margin,
        }
        for pattern, margin in (("majority-edges", edges), ("majority-middle", middle))
    ]


def test_by_hand(table: Table) -> None:
    # Differences 1, 2 and 3: mean 2, SD 1, t = 2 sqrt(3) = 3.4641; t(2, 0.975) = 4.3027, so the
    # interval is 2 -+ 4.3027 / sqrt(3); p = 0.0742.
    rows = _pair(0, 1.5, 0.5) + _pair(1, 0.0, -2.0) + _pair(2, 2.0, -1.0, "negative")
    row = margin_difference(table(rows)).row(0, named=True)
    assert row["difference"] == pytest.approx(2)
    assert (row["low"], row["high"]) == pytest.approx((2 - 2.4841, 2 + 2.4841), abs=1e-3)
    assert row["t"] == pytest.approx(3.4641, abs=1e-4)
    assert row["p_value"] == pytest.approx(0.0742, abs=1e-4)
    assert row["sets"] == 3


def test_a_set_without_both_orders_is_left_out(table: Table) -> None:
    row = margin_difference(table(_pair(0, 1.0, 0.5) + _pair(1, 9.0, 0.0)[:1])).row(0, named=True)
    assert (row["difference"], row["low"], row["t"], row["sets"]) == (0.5, None, None, 1)


def test_equal_differences_have_no_t(table: Table) -> None:
    row = margin_difference(table(_pair(0, 1.0, 0.5) + _pair(1, 2.0, 1.5))).row(0, named=True)
    assert (row["difference"], row["t"], row["p_value"]) == (0.5, None, None)


def test_no_pair_no_row(table: Table) -> None:
    assert margin_difference(table(_pair(0, 1.0, 0.5)[:1])).height == 0
    assert margin_difference(table([{}])).height == 0
