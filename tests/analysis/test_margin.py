"""Contract: a margin is turned towards the majority label by the row's own labels; bias is what is
named less what is right."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import label_bias, oriented_margin
from evenhand.errors import UsageError

Table = Callable[..., pl.DataFrame]


def forced(majority: str, margin: float | None, **more: object) -> dict[str, object]:
    """A forced choice between negative (first) and positive (second)."""
    chosen = "positive" if (margin or 0) > 0 else "negative"
    outcome = "correct" if chosen == majority else "mistake"
    return {
        "answer_mode": "forced",
        "majority_label": majority,
        "margin": margin,
        "outcome": outcome,
        **more,
    }


def test_orientation(table: Table) -> None:
    # Towards the majority: +2 and +1 (positive), -0.5 and +1.5 (negative): mean 1 over two seeds.
    rows = [
        forced("positive", 2.0, set_seed=0),
        forced("positive", 1.0, set_seed=1),
        forced("negative", 0.5, set_seed=0),
        forced("negative", -1.5, set_seed=1),
    ]
    row = oriented_margin(table(rows), ("model",)).row(0, named=True)
    assert row["margin"] == pytest.approx(((2 - 0.5) / 2 + (1 + 1.5) / 2) / 2)
    assert (row["seeds"], row["runs"]) == (2, 4)
    assert row["sd"] == pytest.approx(0.5 / 2**0.5)
    # t interval over the four sets: mean 1, SD sqrt(3.5 / 3), t(3, 0.975) = 3.1824.
    half = 3.1824 * (3.5 / 3) ** 0.5 / 2
    assert (row["low"], row["high"]) == pytest.approx((1 - half, 1 + half), abs=1e-4)


def test_runs_without_a_margin_are_left_out(table: Table) -> None:
    assert oriented_margin(table([{}])).height == 0
    row = oriented_margin(table([forced("positive", 1.0)])).row(0, named=True)
    assert (row["margin"], row["sd"], row["low"]) == (1.0, None, None)


def test_a_strange_label_is_an_error(table: Table) -> None:
    with pytest.raises(UsageError, match="is not one of its two labels"):
        oriented_margin(table([forced("place", 1.0, predicted="place")]))


def test_label_bias(table: Table) -> None:
    # Balanced; "positive" is named three times of four: bias 0.75 - 0.5.
    rows = [
        forced("positive", 2.0),
        forced("positive", 1.0),
        forced("negative", 0.5),
        forced("negative", -1.5),
        {"outcome": "tie", "answer_mode": "forced"},
    ]
    row = label_bias(table(rows)).row(0, named=True)
    assert (row["first"], row["second"], row["runs"]) == ("negative", "positive", 4)
    assert (row["named_second"], row["majority_second"], row["bias"]) == (0.75, 0.5, 0.25)
    assert row["mean_margin"] == pytest.approx(0.5)


def test_labels_of_two_tasks_do_not_mix(table: Table) -> None:
    rows = [{}, {"task": "ner", "labels": ["LOC", "PER"], "majority_label": "PER"}]
    with pytest.raises(UsageError, match="add task"):
        label_bias(table(rows), ("model",))
    assert label_bias(table(rows)).height == 2
