"""The orders in which an audit shows the records."""

from __future__ import annotations

import math
from collections import Counter
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
        also: Names that come to the same order and are not asked a second time.
    """

    name: str
    places: tuple[int, ...]
    also: tuple[str, ...] = ()


def make_orders(
    places: Sequence[int],
    count: int,
    seed: int,
    digest: str,
    labels: Mapping[int, str] | None = None,
    texts: Mapping[int, str] | None = None,
) -> tuple[Order, ...]:
    """As given, reversed, with labels the patterns, and random orders by hash rank.

    No two show a model the same: where two come to one order it is listed once, with both names.

    Args:
        places: Places of the records to show, in file order.
        count: Orders in all, patterns not counted; at least 3. A few records have fewer: then
            all that there are.
        seed: Of the random orders.
        digest: Of the records, so that other records get other orders.
        labels: Place to label. The six structured patterns are added, the label with more
            records as the majority.
        texts: Place to text; orders that differ in records of the same text alone are one. By
            default every record is one of its own.

    Raises:
        UsageError: For fewer than 3 orders or more than 1,000, fewer than 2 records, records that
            are all alike, or labels without a majority.
    """
    if count < 3:
        raise UsageError(f"--orders {count}: an audit needs at least 3 orders")
    if count > MOST_ORDERS:
        raise UsageError(f"--orders {count}: use at most {MOST_ORDERS:,}")
    if len(places) < 2:
        raise UsageError("there is only one record: it has no order")
    there_are = distinct_orders(places, texts)
    if there_are == 1:
        raise UsageError(f"all {len(places):,} records have the same text: they have one order")
    found = _Distinct(texts)
    found.add(GIVEN, tuple(places))
    found.add(REVERSED, tuple(reversed(places)))
    plain = len(found)
    for pattern, dealt in _patterns(places, labels) if labels else ():
        found.add(pattern, dealt)
    parts, drawn = [rank_part(place) for place in places], 0
    for turn in range(1, TURNS * count):
        if plain + drawn == count or len(found) == there_are:
            break
        ranked = first_ranked(len(places), "audit order", seed, digest, turn, last=parts)
        dealt = tuple(places[at] for at in ranked)
        if dealt not in found:
            drawn += 1
            found.add(f"{RANDOM} {drawn}", dealt)
    return found.listed()


class _Distinct:
    """Orders by what a model sees of them."""

    def __init__(self, texts: Mapping[int, str] | None) -> None:
        self._texts = texts
        self._orders: dict[tuple[int | str, ...], Order] = {}

    def _seen(self, places: Sequence[int]) -> tuple[int | str, ...]:
        return tuple(places if self._texts is None else (self._texts[place] for place in places))

    def __contains__(self, places: Sequence[int]) -> bool:
        return self._seen(places) in self._orders

    def __len__(self) -> int:
        return len(self._orders)

    def add(self, name: str, places: tuple[int, ...]) -> None:
        """A new order, or another name of one."""
        key = self._seen(places)
        known = self._orders.get(key)
        self._orders[key] = (
            Order(name, places)
            if known is None
            else Order(known.name, known.places, (*known.also, name))
        )

    def listed(self) -> tuple[Order, ...]:
        """In the order in which they were added."""
        return tuple(self._orders.values())


def distinct_orders(places: Sequence[int], texts: Mapping[int, str] | None = None) -> int | None:
    """How many orders these records have; None where they are too many ever to be asked.

    Args:
        places: Places of the records.
        texts: Place to text, where records of the same text are alike.
    """
    alike = [1] * len(places)
    if texts is not None:
        alike = list(Counter(texts[place] for place in places).values())
    size = math.lgamma(len(places) + 1) - sum(math.lgamma(times + 1) for times in alike)
    # Below the square of the most that can be asked, a float says the whole number exactly.
    return round(math.exp(size)) if size < 2 * math.log(MOST_ORDERS) else None


def orders_in_words(number: int) -> str:
    """``1 order``, ``12 orders``."""
    return "1 order" if number == 1 else f"{number} orders"


def is_random(order: Order) -> bool:
    """Whether an order was drawn at random, so that it speaks for others that were not asked."""
    return order.name.startswith(f"{RANDOM} ")


def is_pattern(name: str) -> bool:
    """Whether an order's name is one of the patterns', which nobody's table has by chance."""
    return name in PATTERNS


def _patterns(
    places: Sequence[int], labels: Mapping[int, str]
) -> list[tuple[str, tuple[int, ...]]]:
    missing = [place for place in places if place not in labels]
    if missing:
        raise UsageError(
            f"the patterns need a label for every record, and {len(missing):,} have none, such as "
            f"row {missing[0] + 1}: fill them in, or leave --gold out"
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
        (pattern, tuple(arrange(majority, minority, pattern)))
        for pattern in PATTERNS
        if pattern != "random"
    ]
