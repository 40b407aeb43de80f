"""The scorer: the outcome of each experiment, and accuracy by order pattern."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

# Inspect evaluates the annotations of scorers and metrics, so these names must exist at run time.
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from evenhand.inspecting._record import ATTEMPTS, Attempt, decide


@metric(name="evenhand/accuracy")
def valid_accuracy() -> Metric:
    """Share of valid experiments that are correct (3.4); nan when none is valid."""

    def compute(scores: list[SampleScore]) -> float:
        return _accuracy(scores)

    return compute


@metric(name="evenhand/invalid_rate")
def invalid_rate() -> Metric:
    """Share of experiments without a valid output."""

    def compute(scores: list[SampleScore]) -> float:
        return _share(not _told(score)["valid"] for score in scores)

    return compute


@metric(name="evenhand/by_pattern")
def by_pattern() -> Metric:
    """Accuracy over valid experiments for every order pattern, and best minus worst (``gap``).

    The gap needs its null to be read: ``evenhand import`` and ``evenhand report`` give both.
    """

    def compute(scores: list[SampleScore]) -> Mapping[str, float]:
        groups: defaultdict[str, list[SampleScore]] = defaultdict(list)
        for score in scores:
            groups[_told(score)["pattern"]].append(score)
        found = {pattern: _accuracy(group) for pattern, group in sorted(groups.items())}
        known = [value for value in found.values() if not math.isnan(value)]
        return found | {"gap": max(known) - min(known) if known else math.nan}

    return compute


@metric(name="evenhand/outcomes")
def outcome_shares() -> Metric:
    """Share of every outcome that occurred."""

    def compute(scores: list[SampleScore]) -> Mapping[str, float]:
        told = [_told(score)["outcome"] for score in scores]
        return {word: told.count(word) / len(told) for word in sorted(set(told))}

    return compute


@scorer(
    metrics=[valid_accuracy(), invalid_rate(), by_pattern(), outcome_shares()],
    name="evenhand/outcome",
)
def outcome_scorer() -> Scorer:
    """The outcome of the attempts: value 1 when correct, 0 otherwise, the rest in metadata."""

    async def score(state: TaskState, target: Target) -> Score:
        attempts = [Attempt(**stored) for stored in state.metadata[ATTEMPTS]]
        decision = decide(attempts, state.metadata["labels"], target.text)
        return Score(
            value=1.0 if decision.outcome == "correct" else 0.0,
            answer=decision.predicted,
            explanation=decision.reason or decision.outcome,
            metadata={
                "outcome": decision.outcome,
                "valid": decision.valid,
                "pattern": state.metadata["pattern"],
                "attempts": len(attempts),
                "lenient": decision.lenient,
            },
        )

    return score


def _told(score: SampleScore) -> dict[str, Any]:
    return score.score.metadata or {}


def _accuracy(scores: Iterable[SampleScore]) -> float:
    return _share(_told(score)["outcome"] == "correct" for score in scores if _told(score)["valid"])


def _share(marks: Iterable[bool]) -> float:
    counted = list(marks)
    return sum(counted) / len(counted) if counted else math.nan
