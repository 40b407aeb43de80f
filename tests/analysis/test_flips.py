"""Contract: the flip rate counts pairs of orders of one set with different answers, the floor pairs
of repeats of one order; gold labels play no part."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import flip_rate

Table = Callable[..., pl.DataFrame]
ORDERS = ("majority-first", "majority-last", "majority-middle")


def answers(given: dict[str, str], **more: object) -> list[dict[str, object]]:
    """For each pattern, the answers of its repeats: p(ositive), n(egative), t(ie), x invalid."""
    rows: list[dict[str, object]] = []
    for pattern, letters in given.items():
        for repeat, letter in enumerate(letters):
            predicted = {"p": "positive", "n": "negative"}.get(letter)
            outcome = {"p": "correct", "n": "mistake", "t": "tie", "x": "overlong"}[letter]
            rows.append(
                {"pattern": pattern, "repeat": repeat, "outcome": outcome, "predicted": predicted}
                | more
            )
    return rows


def test_pairs_of_orders(table: Table) -> None:
    # p, p, n: two of three pairs differ.
    row = flip_rate(table(answers(dict(zip(ORDERS, "ppn", strict=True))))).row(0, named=True)
    assert (row["flip_rate"], row["order_pairs"], row["sets"]) == (pytest.approx(2 / 3), 3, 1)
    assert (row["noise_floor"], row["excess"], row["repeat_pairs"]) == (None, None, 0)
    assert (row["low"], row["high"]) == (None, None)


def test_a_tie_is_an_answer_and_an_invalid_run_is_none(table: Table) -> None:
    row = flip_rate(table(answers(dict(zip(ORDERS, "ptx", strict=True))))).row(0, named=True)
    assert (row["flip_rate"], row["order_pairs"]) == (1.0, 1)
    alone = flip_rate(table(answers(dict(zip(ORDERS, "pxx", strict=True))))).row(0, named=True)
    assert (alone["flip_rate"], alone["sets"], alone["order_pairs"]) == (None, 0, 0)


def test_floor_and_excess(table: Table) -> None:
    """first pp, last pn: of four pairs between orders two differ; of two repeat pairs one does.
    The second set: first pp, last nn: 4 of 4, and 0 of 2. Flips 3/4, floor 1/4, excess 1/2."""
    rows = [
        *answers({ORDERS[0]: "pp", ORDERS[1]: "pn"}, set_seed=0),
        *answers({ORDERS[0]: "pp", ORDERS[1]: "nn"}, set_seed=1),
    ]
    row = flip_rate(table(rows)).row(0, named=True)
    assert (row["flip_rate"], row["noise_floor"], row["excess"]) == (0.75, 0.25, 0.5)
    assert (row["order_pairs"], row["repeat_pairs"], row["sets"]) == (8, 4, 2)
    assert row["excess_low"] <= 0.5 <= row["excess_high"]


def test_excess_uses_only_sets_with_repeats(table: Table) -> None:
    rows = [
        *answers({ORDERS[0]: "pp", ORDERS[1]: "pp"}, set_seed=0),
        *answers({ORDERS[0]: "p", ORDERS[1]: "n"}, set_seed=1),
    ]
    row = flip_rate(table(rows)).row(0, named=True)
    assert (row["flip_rate"], row["noise_floor"], row["excess"]) == (0.5, 0.0, 0.0)


def test_orders_of_different_sets_or_conditions_are_no_pairs(table: Table) -> None:
    rows = [
        *answers({ORDERS[0]: "p"}),
        *answers({ORDERS[1]: "n"}, set_seed=1),
        *answers({ORDERS[1]: "n"}, variant="hint"),
        *answers({ORDERS[1]: "n"}, n=200),
    ]
    assert flip_rate(table(rows))["order_pairs"].item() == 0


def test_gold_is_not_needed(table: Table) -> None:
    given = dict(zip(ORDERS, "ppn", strict=True))
    known = flip_rate(table(answers(given)))
    blank = table(answers(given)).with_columns(correct=pl.lit(False), outcome=pl.lit("mistake"))
    assert flip_rate(blank).equals(known)


def test_no_rows(table: Table) -> None:
    assert flip_rate(table([])).height == 0
    assert flip_rate(table([]), ()).height == 0
