"""What several models make of the same instances, and the pool that they agree on (C.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from evenhand.errors import UsageError
from evenhand.pools._instance import Pool


@dataclass(frozen=True, slots=True)
class Agreement:
    """How the models agree on one pool (Table 4).

    Attributes:
        task: The task.
        pool: Name of the pool that was asked about.
        instances: Instances asked about.
        all_correct: Those that every model answered right.
        all_wrong: Those that no model answered right.
        only: For each model, those that it alone answered right.
        correct: For each model, those that it answered right.
        unanswered: For each model, those to which it gave no valid answer (counted as wrong).
    """

    task: str
    pool: str
    instances: int
    all_correct: int
    all_wrong: int
    only: Mapping[str, int]
    correct: Mapping[str, int]
    unanswered: Mapping[str, int]

    @property
    def disagreements(self) -> int:
        """Instances that some models, not all, answered right."""
        return self.instances - self.all_correct - self.all_wrong


@dataclass(frozen=True, slots=True)
class AloneAnswers:
    """One model's outcomes on a pool, by instance id: ``correct``, ``mistake``, ..."""

    model: str
    outcomes: Mapping[str, str]


def agreement(pool: Pool, answers: Sequence[AloneAnswers]) -> Agreement:
    """Compare the models' outcomes.

    Raises:
        UsageError: If there is no model, a model is named twice, or an instance has no outcome.
    """
    right = _right(pool, answers)
    times_right = {i.id: sum(i.id in ids for ids in right.values()) for i in pool.instances}
    tally = Counter(times_right.values())
    return Agreement(
        task=pool.task,
        pool=pool.name,
        instances=len(pool.instances),
        all_correct=tally[len(answers)],
        all_wrong=tally[0],
        only={m: sum(times_right[i] == 1 for i in ids) for m, ids in right.items()},
        correct={model: len(ids) for model, ids in right.items()},
        unanswered={
            one.model: sum(o not in ("correct", "mistake", "tie") for o in one.outcomes.values())
            for one in answers
        },
    )


def filtered_pool(pool: Pool, answers: Sequence[AloneAnswers], *, settings: str, day: date) -> Pool:
    """The instances that every model answered right, with the filter in their provenance.

    Args:
        pool: What was asked about.
        answers: One entry a model.
        settings: How the models were asked, in words.
        day: When.

    Raises:
        UsageError: As :func:`agreement`; also if nothing of a label is left.
    """
    result = agreement(pool, answers)
    right = _right(pool, answers)
    kept = tuple(i for i in pool.instances if all(i.id in ids for ids in right.values()))
    counts = Counter(instance.label for instance in kept)
    labels = sorted({instance.label for instance in pool.instances})
    for label in labels:
        if not counts[label]:
            raise UsageError(
                f"no instance of {label!r} in pool {pool.name} was answered right by every "
                "model: nothing is left to draw sets from"
            )
    return Pool(
        task=pool.task,
        name=f"{pool.name}-filtered",
        instances=kept,
        provenance={
            **pool.provenance,
            "filter": "kept where each of these, asked for the instance alone, was right: "
            + ", ".join(right),
            "filter_counts": f"kept {result.all_correct:,} of {result.instances:,}; all wrong "
            f"{result.all_wrong:,}; disagreements {result.disagreements:,}",
            "filter_kept": "; ".join(f"{label}: {counts[label]:,}" for label in labels),
            "filter_settings": settings,
            "filter_date": day.isoformat(),
        },
    )


def _right(pool: Pool, answers: Sequence[AloneAnswers]) -> dict[str, frozenset[str]]:
    """Model to the ids that it answered right."""
    if not answers:
        raise UsageError("a filter needs at least one model")
    right: dict[str, frozenset[str]] = {}
    for one in answers:
        if one.model in right:
            raise UsageError(f"model {one.model} is named twice: name different models")
        missing = [i.id for i in pool.instances if i.id not in one.outcomes]
        if missing:
            raise UsageError(
                f"{one.model} has not answered {len(missing):,} instances, such as {missing[0]}: "
                "run the same command again"
            )
        right[one.model] = frozenset(
            i.id for i in pool.instances if one.outcomes[i.id] == "correct"
        )
    return right
