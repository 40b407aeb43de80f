"""Selection: which instances make up an instance set (3.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

from evenhand._rank import first_ranked, rank_part
from evenhand.design._experiment import proportion
from evenhand.errors import UsageError
from evenhand.pools import Instance, Pool


@dataclass(frozen=True, slots=True)
class InstanceSet:
    """The instances of one experiment, by label, each in selection order."""

    majority: tuple[Instance, ...]
    minority: tuple[Instance, ...]


def split_count(n: int, p: str | float | Decimal) -> tuple[int, int]:
    """How many majority and minority instances n and p ask for.

    Raises:
        UsageError: If n is not positive or ``p * n`` is not whole; the message names the
            nearest n that works.
    """
    if n < 1:
        raise UsageError(f"n = {n}: an instance set needs at least one instance")
    share = proportion(p)
    numerator, denominator = share.as_integer_ratio()
    if n * numerator % denominator:
        below = n - n % denominator
        nearest = [m for m in (below, below + denominator) if m > 0]
        raise UsageError(
            f"p = {share} of n = {n} is {share * n} instances, not a whole number: "
            f"use n = {' or '.join(map(str, nearest))}"
        )
    majority = n * numerator // denominator
    return majority, n - majority


def ranked(pool: Pool, label: str, set_seed: int) -> list[Instance]:
    """All instances of one label in the order in which a seed would take them.

    The rank of an instance depends on purpose, seed, task, label and its id, and on nothing
    else: not on the pool's order, not on what else is in it.
    """
    known = _labelled(pool, label)
    return _first(len(known), known, pool.task, label, set_seed)


def _labelled(pool: Pool, label: str) -> list[Instance]:
    return [instance for instance in pool.instances if instance.label == label]


def _first(
    count: int, known: list[Instance], task: str, label: str, set_seed: int
) -> list[Instance]:
    last = [rank_part(instance.id) for instance in known]
    return [known[at] for at in first_ranked(count, "select", set_seed, task, label, last=last)]


def select(
    pool: Pool,
    *,
    n: int,
    p: str | float | Decimal,
    majority_label: str,
    set_seed: int,
    labels: Iterable[str] | None = None,
) -> InstanceSet:
    """Draw the instance set of (n, p, majority label, seed) from a pool (3.3, C.3).

    Args:
        pool: Where to draw from.
        n: Number of instances.
        p: Majority proportion; ``p * n`` must be whole.
        majority_label: The label that is to be the more frequent.
        set_seed: Selection seed; sets of one seed are nested in n.
        labels: The task's two labels; by default those that the pool holds.

    Raises:
        UsageError: If p * n is not whole, the label is unknown or the pool too small.
    """
    major_count, minor_count = split_count(n, p)
    known = sorted(set(labels) if labels is not None else {i.label for i in pool.instances})
    if majority_label not in known:
        raise UsageError(
            f"task {pool.task} has no label {majority_label!r}: use one of {', '.join(known)}"
        )
    if len(known) != 2:
        raise UsageError(
            f"pool {pool.name} holds the labels {', '.join(known)}: the design needs exactly two"
        )
    minority_label = next(label for label in known if label != majority_label)
    taken = []
    for label, count in ((majority_label, major_count), (minority_label, minor_count)):
        candidates = _labelled(pool, label)
        if len(candidates) < count:
            raise UsageError(
                f"pool {pool.name} has {len(candidates)} instances of {label!r} and "
                f"n = {n}, p = {proportion(p)} needs {count}: use a smaller n or a larger pool"
            )
        taken.append(tuple(_first(count, candidates, pool.task, label, set_seed)))
    return InstanceSet(majority=taken[0], minority=taken[1])
