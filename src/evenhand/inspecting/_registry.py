"""Inspect's entry point: the tasks ``evenhand/core``, ``counts``, ``variants``, ``budgets`` and
``orderings``, one a preset."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, task

from evenhand.inspecting._dataset import dataset
from evenhand.inspecting._scorer import outcome_scorer
from evenhand.inspecting._solver import attempts_solver
from evenhand.running import plan

__all__ = ["budgets", "core", "counts", "orderings", "variants"]

Words = str | Sequence[str] | None
Numbers = int | Sequence[int] | None


@task
def core(
    tasks: Words = None,
    n: Numbers = None,
    p: str | float | Sequence[str] | Sequence[float] | None = None,
    majority_labels: Words = None,
    set_seeds: Numbers = None,
    patterns: Words = None,
    random_order_seeds: Numbers = None,
    pattern_order_seeds: Numbers = None,
    variants: Words = None,
    output_budgets: Numbers = None,
    repeats: int | None = None,
    counterbalance: bool | None = None,
    data: str | None = None,
    max_attempts: int = 3,
) -> Task:
    """The core setting (3.5); every axis can be overridden: ``-T n=200 -T tasks=sentiment,ner``.

    Args:
        tasks: Task names.
        n: Instance counts.
        p: Majority proportions.
        majority_labels: Labels that take the majority in turn; both by default.
        set_seeds: Selection seeds.
        patterns: Order patterns.
        random_order_seeds: Order seeds of the random pattern.
        pattern_order_seeds: Order seeds of the structured patterns.
        variants: Prompt variants.
        output_budgets: Output tokens allowed.
        repeats: Same-order repeats.
        counterbalance: Also with the labels the other way round.
        data: Folder with the five upstream sets; synthetic pools without it.
        max_attempts: Attempts an experiment has.
    """
    return _probe("core", _given(locals()))


@task
def counts(
    tasks: Words = None,
    n: Numbers = None,
    set_seeds: Numbers = None,
    data: str | None = None,
    max_attempts: int = 3,
) -> Task:
    """Instance counts and label distributions (4.2)."""
    return _probe("counts", _given(locals()))


@task
def variants(
    tasks: Words = None,
    n: Numbers = None,
    set_seeds: Numbers = None,
    data: str | None = None,
    max_attempts: int = 3,
) -> Task:
    """Prompt variants (4.3)."""
    return _probe("variants", _given(locals()))


@task
def budgets(
    tasks: Words = None,
    n: Numbers = None,
    set_seeds: Numbers = None,
    data: str | None = None,
    max_attempts: int = 3,
) -> Task:
    """Output budgets (C.5)."""
    return _probe("budgets", _given(locals()))


@task
def orderings(
    tasks: Words = None,
    n: Numbers = None,
    set_seeds: Numbers = None,
    data: str | None = None,
    max_attempts: int = 3,
) -> Task:
    """Many orders of the same sets (5.2.1)."""
    return _probe("orderings", _given(locals()))


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not None}


def _probe(setting: str, options: dict[str, Any]) -> Task:
    data, max_attempts = options.pop("data", None), options.pop("max_attempts")
    axes = {name: _several(value) for name, value in options.items()}
    workload = plan(setting, data=None if data is None else Path(data), **axes)
    return Task(
        dataset=dataset(workload, f"evenhand-{setting}"),
        solver=attempts_solver(workload, max_attempts),
        scorer=outcome_scorer(),
        name=setting,
        metadata={"evenhand_setting": setting},
    )


def _several(value: Any) -> Any:
    """``a,b`` as a command line may hand it over; lists and single values as they are."""
    if isinstance(value, str):
        parts = [part.strip() for part in value.split(",") if part.strip()]
        return parts if len(parts) > 1 else value
    return value
