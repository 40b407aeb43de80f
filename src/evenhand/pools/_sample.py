"""Taking a fixed number of instances of each label (C.1)."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand._rank import rank_key
from evenhand.pools._instance import Instance


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
