"""Taking a fixed number of instances of each label (C.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from evenhand._rank import rank_key
from evenhand.errors import UsageError
from evenhand.pools._instance import Instance, Pool


def sample(instances: Sequence[Instance], task: str, per_label: int) -> tuple[Instance, ...]:
    """The first ``per_label`` instances of each label, ranked by SHA-256 as the design ranks.

    A sample depends on the ids alone, not on the order of ``instances``; the sample of 100 is
    inside the sample of 2,500. A label that has fewer instances keeps them all.
    """
    ranked = sorted(
        instances,
        key=lambda instance: rank_key("sample", 0, task, instance.label, instance.id),
    )
    taken: dict[str, int] = {}
    chosen = []
    for instance in ranked:
        if taken.get(instance.label, 0) < per_label:
            taken[instance.label] = taken.get(instance.label, 0) + 1
            chosen.append(instance)
    return tuple(chosen)


def sampled_pool(pool: Pool, labels: Sequence[str], per_label: int) -> Pool:
    """``pool`` with ``per_label`` instances of each label; its name and provenance say so.

    Raises:
        UsageError: If a label has fewer.
    """
    if per_label < 1:
        raise UsageError(f"{per_label} instances per label: choose at least 1")
    counts = Counter(instance.label for instance in pool.instances)
    for label in labels:
        if counts[label] < per_label:
            raise UsageError(
                f"pool {pool.name} has {counts[label]:,} instances of {label!r}, fewer than "
                f"{per_label:,} per label: ask for fewer, or for all"
            )
    return replace(
        pool,
        name=f"{pool.name}-{per_label}",
        instances=sample(pool.instances, pool.task, per_label),
        provenance={**pool.provenance, "sample": sample_words(per_label)},
    )


def sample_words(per_label: int) -> str:
    """How a sample is described in a pool's provenance."""
    return f"{per_label:,} per label, the lowest by SHA-256 rank"
