"""The seven order patterns (3.3, C.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

from evenhand._rank import rank_key
from evenhand.errors import UsageError

Pattern = Literal[
    "random",
    "majority-first",
    "majority-last",
    "majority-edges",
    "majority-middle",
    "soft-majority-edges",
    "soft-majority-middle",
]
PATTERNS: tuple[Pattern, ...] = (
    "random",
    "majority-first",
    "majority-last",
    "majority-edges",
    "majority-middle",
    "soft-majority-edges",
    "soft-majority-middle",
)
STRUCTURED_PATTERNS: tuple[Pattern, ...] = PATTERNS[1:]

T = TypeVar("T")


def arrange(
    majority: Sequence[T],
    minority: Sequence[T],
    pattern: str,
    order_seed: int | None = None,
) -> list[T]:
    """Put one instance set into one order (C.3).

    Args:
        majority: The majority-label items, in selection order.
        minority: The minority-label items, in selection order; no more than the majority.
        pattern: One of :data:`PATTERNS`.
        order_seed: ``random`` needs one, and shuffles the whole list by it. For a structured
            pattern it shuffles the items within each label first (5.2.1); None keeps them.

    Returns:
        All items, each once. A list of odd length is halved with the larger half first.

    Raises:
        UsageError: For an unknown pattern, a random order without a seed, or a minority that is
            larger than the majority.
    """
    if pattern not in PATTERNS:
        raise UsageError(f"unknown order pattern {pattern!r}: use one of {', '.join(PATTERNS)}")
    if len(minority) > len(majority):
        raise UsageError(
            f"the majority has {len(majority)} items and the minority {len(minority)}: swap them"
        )
    if pattern == "random":
        if order_seed is None:
            raise UsageError("the random pattern needs an order seed: pass order_seed=0, 1, ...")
        return _shuffled([*majority, *minority], order_seed)
    if order_seed is None:
        major, minor = list(majority), list(minority)
    else:
        major, minor = _shuffled(majority, order_seed), _shuffled(minority, order_seed)
    match pattern:
        case "majority-first":
            return major + minor
        case "majority-last":
            return minor + major
        case "majority-edges":
            return _around(major, minor)
        case "majority-middle":
            return _around(minor, major)
    alternating = [item for pair in zip(major, minor, strict=False) for item in pair]
    surplus = major[len(minor) :]
    if pattern == "soft-majority-edges":
        return _around(surplus, alternating)
    cut = 2 * _upper_half(len(minor))
    return alternating[:cut] + surplus + alternating[cut:]


def _around(outer: list[T], inner: list[T]) -> list[T]:
    half = _upper_half(len(outer))
    return outer[:half] + inner + outer[half:]


def _upper_half(count: int) -> int:
    return (count + 1) // 2


def _shuffled(items: Sequence[T], order_seed: int) -> list[T]:
    """Rank by what an item is, so that equal sets get equal orders; twins by their place."""
    keyed = sorted(
        range(len(items)), key=lambda at: (rank_key("order", order_seed, *_identity(items[at])), at)
    )
    return [items[at] for at in keyed]


def _identity(item: object) -> tuple[str, ...]:
    """An instance is its label and id; anything else is its own representation."""
    label, identifier = getattr(item, "label", None), getattr(item, "id", None)
    if isinstance(label, str) and isinstance(identifier, str):
        return ("instance", label, identifier)
    return (type(item).__name__, repr(item))
