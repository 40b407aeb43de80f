"""The orders in which an audit shows the records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand._rank import first_ranked, rank_part
from evenhand.design import PATTERNS, arrange
from evenhand.errors import UsageError

TURNS = 20
"""Random orders drawn for each that is wanted: a few records have only so many orders."""
MOST_ORDERS = 1_000
GIVEN, REVERSED, RANDOM = "as given", "reversed", "random"


@dataclass(frozen=True, slots=True)
class Order:
    """One order of the records.

    Attributes:
        name: ``as given``, ``reversed``, ``random 1``, ..., or a pattern's name.
        places: Places of the records (from 0), in reading order.
    """

    name: str
    places: tuple[int, ...]


def make_orders(
    places: Sequence[int],
    count: int,
    seed: int,
    digest: str,
    labels: Mapping[int, str] | None = None,
) -> tuple[Order, ...]:
    """As given, reversed, with labels the patterns, and random orders by hash rank.

    Args:
        places: Places of the records to show, in file order.
        count: Orders in all, patterns not counted; at least 3. A few records have fewer: then
            all that there are.
        seed: Of the random orders.
        digest: Of the records, so that other records get other orders.
        labels: Place to label. The six structured patterns are added, the label with more
            records as the majority.

    Raises:
        UsageError: For fewer than 3 orders or more than 1,000, fewer than 2 records, or labels
            without a majority.
    """
    if count < 3:
        raise UsageError(f"--orders {count}: an audit needs at least 3 orders")
    if count > MOST_ORDERS:
        raise UsageError(f"--orders {count}: use at most {MOST_ORDERS:,}")
    if len(places) < 2:
        raise UsageError("there is only one record: it has no order")
    orders = [Order(GIVEN, tuple(places)), Order(REVERSED, tuple(reversed(places)))]
    left = math.factorial(len(places)) if len(places) < 10 else count
    parts = [rank_part(place) for place in places]
    seen = {order.places for order in orders}
    for turn in range(1, TURNS * count):
        if len(orders) == min(count, left):
            break
        ranked = first_ranked(len(places), "audit order", seed, digest, turn, last=parts)
        dealt = tuple(places[at] for at in ranked)
        if dealt not in seen:
            seen.add(dealt)
            orders.append(Order(f"{RANDOM} {len(orders) - 1}", dealt))
    structured = _patterns(places, labels) if labels else []
    return (*orders[:2], *structured, *orders[2:])


def is_random(order: Order) -> bool:
    """Whether an order was drawn at random, so that it speaks for others that were not asked."""
    return order.name.startswith(f"{RANDOM} ")


def is_pattern(name: str) -> bool:
    """Whether an order's name is one of the patterns', which nobody's table has by chance."""
    return name in PATTERNS


def are_all(orders: Sequence[Order]) -> bool:
    """Whether these are all orders that the records have."""
    records = len(orders[0].places)
    return records < 10 and len({order.places for order in orders}) == math.factorial(records)


def _patterns(places: Sequence[int], labels: Mapping[int, str]) -> list[Order]:
    missing = [place for place in places if place not in labels]
    if missing:
        raise UsageError(
            f"the patterns need a label for every record, and {len(missing):,} have none, such as "
            f"row {missing[0] + 1}: fill them in, or name no label column"
        )
    words = sorted({labels[place] for place in places})
    if len(words) != 2:
        raise UsageError(
            f"the patterns need records of exactly two labels, and there are {len(words)}"
        )
    first, second = ([p for p in places if labels[p] == word] for word in words)
    if len(first) == len(second):
        raise UsageError("both labels have the same number of records: there is no majority")
    majority, minority = (first, second) if len(first) > len(second) else (second, first)
    return [
        Order(pattern, tuple(arrange(majority, minority, pattern)))
        for pattern in PATTERNS
        if pattern != "random"
    ]
