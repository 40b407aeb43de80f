"""Contract: the test of order keeps its error rate, and flips are counted over pairs of orders."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.audit import _statistics as statistics
from evenhand.audit import flip_rate_of_orders, make_orders, order_test
from evenhand.audit._orders import distinct_orders, is_random


def test_the_test_by_hand() -> None:
    """Four orders, answers A A B B twice each. Of the C(8,4) = 70 ways to deal four As into eight
    places, C(4,2) = 6 leave every pair alike."""
    pairs = [(0.0, 0.0)] * 2 + [(1.0, 1.0)] * 2
    assert order_test(pairs, numbers=False) == pytest.approx(6 / 70, abs=0.01)


def test_numbers_are_compared_by_distance() -> None:
    near = [(10.0, 11.0), (20.0, 21.0), (30.0, 31.0), (40.0, 41.0)]
    assert order_test(near, numbers=True) < 0.05
    assert order_test(near, numbers=False) == 1


def test_nothing_differs() -> None:
    assert order_test([(1.0, 1.0)] * 5, numbers=False) == 1
    assert order_test([(0.0, 1.0)], numbers=False) == 1


@pytest.mark.parametrize("chance", [0.5, 0.85])
def test_an_order_blind_model_is_called_order_sensitive_at_most_at_the_error_rate(
    chance: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers by chance alone: looks after 4, 8 and 12 orders, each at 0.05 / 3."""
    monkeypatch.setattr(statistics, "PERMUTATIONS", 999)
    rng = np.random.default_rng(0)
    wrong, audits = 0, 400
    for number in range(audits):
        answers = (rng.random((12, 2)) < chance).astype(float)
        for end in (4, 8, 12):
            pairs = [(float(one), float(other)) for one, other in answers[:end]]
            if len(set(answers[:end, 0])) > 1 and (
                order_test(pairs, numbers=False, seed=number) <= 0.05 / 3
            ):
                wrong += 1
                break
    assert wrong / audits <= 0.05


def test_flips_by_hand() -> None:
    """A A B: of three pairs of orders two differ; one of two orders changed when asked again."""
    found = flip_rate_of_orders([0, 0, 1], [(0, 0), (0, 1)])
    assert found.rate == pytest.approx(2 / 3)
    assert (found.noise_floor, found.orders, found.repeats) == (0.5, 3, 2)
    assert found.low <= found.rate <= found.high


def test_all_alike_still_has_an_upper_end() -> None:
    found = flip_rate_of_orders([1] * 12, [])
    share = 1 - 0.05 ** (1 / 12)
    assert (found.rate, found.low) == (0, 0)
    assert found.high == pytest.approx(2 * share * (1 - share))
    assert found.noise_floor is None
    share = 1 - 0.05 ** (1 / 10)
    assert flip_rate_of_orders([1] * 12, [], drawn=10).high == pytest.approx(
        2 * share * (1 - share)
    )
    assert flip_rate_of_orders([1] * 3, [], drawn=1).high == 0.5


def test_orders_hold_every_record_once_and_differ() -> None:
    orders = make_orders([0, 2, 3, 5, 7, 8], 5, 0, "digest")
    assert [order.name for order in orders] == [
        "as given", "reversed", "random 1", "random 2", "random 3",
    ]  # fmt: skip
    assert all(sorted(order.places) == [0, 2, 3, 5, 7, 8] for order in orders)
    assert len({order.places for order in orders}) == 5
    assert orders == make_orders([0, 2, 3, 5, 7, 8], 5, 0, "digest")


def test_three_records_have_six_orders() -> None:
    orders = make_orders([0, 1, 2], 12, 0, "digest")
    assert len({order.places for order in orders}) == len(orders) == 6


def test_how_many_orders_there_are_by_hand() -> None:
    """3! = 6; of a a b three; 10 places of which 9 alike have 10; 10! are too many to ask."""
    assert distinct_orders([4, 5, 6]) == 6
    assert distinct_orders([0, 1, 2], {0: "a", 1: "a", 2: "b"}) == 3
    assert distinct_orders(range(10), {k: "ab"[k == 3] for k in range(10)}) == 10
    assert distinct_orders(range(10)) is None
    assert distinct_orders(range(9)) == 362_880


def test_patterns_that_come_to_one_order_are_listed_once() -> None:
    labels = {0: "a", 1: "a", 2: "b"}
    orders = make_orders([0, 1, 2], 12, 0, "digest", labels)
    assert len({order.places for order in orders}) == len(orders) == 6
    assert orders[0].places == (0, 1, 2)
    assert "majority-first" in orders[0].also
    drawn = [order.name for order in orders if is_random(order)]
    assert drawn == [f"random {k}" for k in range(1, len(drawn) + 1)]


def test_of_all_orders_the_rate_is_exact() -> None:
    found = flip_rate_of_orders([0, 0, 1], [], exact=True)
    assert found.low == found.rate == found.high == pytest.approx(2 / 3)
