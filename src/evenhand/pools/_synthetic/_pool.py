"""The synthetic pool of a task, and the exact numbers behind its labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from evenhand.errors import UsageError
from evenhand.pools._instance import Instance, Pool
from evenhand.pools._synthetic._carriers import carrier_maker
from evenhand.pools._synthetic._draw import Draws
from evenhand.pools._synthetic._made import Maker
from evenhand.pools._synthetic._math import math_maker
from evenhand.pools._synthetic._occurrence import occurrence_maker
from evenhand.tasks import load_task

DEFAULT_PER_LABEL = 20_000
CAPACITY = 200_000
"""Instances per label that every task's generator can make distinct."""

# Part of every draw's key. Raise it whenever a frame or word list changes: pools of two versions
# must not pass for the same.
VERSION = 1

_ATTEMPTS = 1_000
_MAKERS: Mapping[str, Callable[[str, tuple[str, str]], Maker]] = {
    "math": math_maker,
    "ner": carrier_maker,
    "occurrence": occurrence_maker,
    "sentiment": carrier_maker,
    "wsd": carrier_maker,
}


def synthetic_pool(task: str, per_label: int = DEFAULT_PER_LABEL, seed: int = 0) -> Pool:
    """A task's synthetic pool: our own texts, labelled exactly by construction.

    The same arguments give the same pool on every machine. The first k instances of a label do
    not depend on ``per_label``; no text occurs twice in a pool.

    Args:
        task: One of the built-in tasks.
        per_label: Instances of each label, up to :data:`CAPACITY`.
        seed: Another seed gives other texts under the same ids.

    Returns:
        A pool named ``synthetic``, or for another size or seed ``synthetic-40000``,
        ``synthetic-seed3``, ``synthetic-40000-seed3``. Ids are ``label:index``, from 0.

    Raises:
        UsageError: For an unknown task, or a ``per_label`` outside 1 to :data:`CAPACITY`.
    """
    return Pool(
        task=task,
        name=_name(per_label, seed),
        instances=tuple(_generate(task, per_label, seed)),
        provenance={
            "source": "synthetic",
            "generator_version": str(VERSION),
            "per_label": str(per_label),
            "seed": str(seed),
        },
    )


def synthetic_answers(
    task: str, per_label: int = DEFAULT_PER_LABEL, seed: int = 0
) -> Mapping[str, int]:
    """The exact number behind each instance of ``synthetic_pool(task, per_label, seed)``.

    Math: the final answer. Occurrence: how often the word "the" stands in the text.

    Returns:
        Instance id → number.

    Raises:
        UsageError: As :func:`synthetic_pool`; also for a task whose answers are labels.
    """
    answers = {
        instance.id: instance.answer
        for instance in _generate(task, per_label, seed)
        if instance.answer is not None
    }
    if not answers:
        raise UsageError(f"task {task} has no exact numbers: its answers are labels")
    return answers


def _generate(task: str, per_label: int, seed: int) -> Iterator[Instance]:
    if task not in _MAKERS:
        raise UsageError(
            f"there is no synthetic pool for task {task!r}: use one of {', '.join(_MAKERS)}"
        )
    if not 1 <= per_label <= CAPACITY:
        raise UsageError(
            f"the synthetic {task} pool holds 1 to {CAPACITY} instances per label, "
            f"not {per_label}: ask for fewer, or draw a second pool with another seed"
        )
    labels = load_task(task).labels
    make = _MAKERS[task](task, labels)
    seen: set[str] = set()
    # The labels take turns, so that which of two equal texts is drawn again never depends on
    # per_label.
    for index in range(per_label):
        for label in labels:
            for attempt in range(_ATTEMPTS):
                made = make(label, Draws("synthetic", VERSION, task, seed, label, index, attempt))
                if made.text not in seen:
                    break
            else:
                raise UsageError(
                    f"the synthetic {task} pool has no further distinct text for {label} "
                    f"after {index}: ask for {index} per label"
                )
            seen.add(made.text)
            yield Instance(f"{label}:{index}", made.text, label, made.answer)


def _name(per_label: int, seed: int) -> str:
    parts = ["synthetic"]
    if per_label != DEFAULT_PER_LABEL:
        parts.append(str(per_label))
    if seed != 0:
        parts.append(f"seed{seed}")
    return "-".join(parts)
