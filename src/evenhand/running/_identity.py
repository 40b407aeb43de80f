"""What makes two runs the same run, and what differs when they are not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from evenhand.design import AXES, Experiment
from evenhand.errors import UsageError
from evenhand.models import GenerationSettings, Model
from evenhand.running._options import RunOptions
from evenhand.running._store import RunStore
from evenhand.running._workload import Snapshot

_SHOWN = 5


@runtime_checkable
class _Describes(Protocol):
    """A model that says what a call sends beside the messages, as the HTTP adapter does."""

    def parameters(self, settings: GenerationSettings) -> Mapping[str, Any]: ...


def run_settings(model: Model, options: RunOptions) -> dict[str, Any]:
    """Everything outside the plan that decides what is sent and which attempt counts.

    Of a model that describes its requests (``parameters``), every field counts: reasoning effort,
    upstream routing, the name of the cap. Budget and seed are the plan's, so they are held fixed.
    """
    settings: dict[str, Any] = {
        "model": model.name,
        "answer_mode": options.answer_mode,
        "temperature": options.temperature,
        "max_attempts": options.max_attempts,
        "cache_instruction": options.cache_instruction,
    }
    if isinstance(model, _Describes):
        fixed = GenerationSettings(temperature=options.temperature, seed=0)
        for name, value in model.parameters(fixed).items():
            settings[f"request.{name}"] = value
    return {name: json.loads(json.dumps(value)) for name, value in settings.items()}


def check_same_run(
    store: RunStore,
    snapshot: Snapshot,
    planned: Sequence[tuple[Experiment, str]],
    settings: Mapping[str, Any],
    *,
    any_budget: bool = False,
) -> None:
    """Refuse to go on in a folder that was begun with something else.

    Args:
        store: The folder's store.
        snapshot: Of the workload at hand.
        planned: Its experiments and their planned hashes.
        settings: Of :func:`run_settings`.
        any_budget: Let output budgets differ.

    Raises:
        UsageError: Names every change.
    """
    changes = [
        *_changed_settings(store.settings(), settings, snapshot.may_differ),
        *_changed_plan([e for e, _ in store.planned()], [e for e, _ in planned], any_budget),
    ]
    if not changes:
        changes = _changed_content(store, snapshot, planned)
    if changes:
        raise UsageError(
            f"{store.folder} was begun with other settings: {'; '.join(changes)}. "
            "Run with those again, or choose another --out"
        )


def _changed_settings(
    before: Mapping[str, Any], now: Mapping[str, Any], free: frozenset[str]
) -> list[str]:
    return [
        f"{name} was {_shown(before.get(name))} and is {_shown(now.get(name))}"
        for name in {**before, **now}
        if name not in free and before.get(name) != now.get(name)
    ]


def _changed_plan(
    before: Sequence[Experiment], now: Sequence[Experiment], any_budget: bool
) -> list[str]:
    axes = [axis for axis in AXES if not (any_budget and axis == "output_budget")]
    changes = []
    for axis in axes:
        old = dict.fromkeys(getattr(e, axis) for e in before)
        new = dict.fromkeys(getattr(e, axis) for e in now)
        if old.keys() != new.keys():
            changes.append(f"{axis} was {_listed(old)} and is {_listed(new)}")
    if changes:
        return changes

    def keys(experiments: Sequence[Experiment]) -> set[tuple[object, ...]]:
        return {tuple(getattr(e, axis) for axis in axes) for e in experiments}

    old_keys, new_keys = keys(before), keys(now)
    if old_keys != new_keys:
        gone, added = len(old_keys - new_keys), len(new_keys - old_keys)
        return [f"{gone} experiments of its plan are missing and {added} are new"]
    return []


def _changed_content(
    store: RunStore, snapshot: Snapshot, planned: Sequence[tuple[Experiment, str]]
) -> list[str]:
    """Same coordinates: compare the prompts, and say what the difference comes from.

    A pool that says another thing of its origin but gives the same prompts is the same pool.
    """
    tasks, pools = store.tasks(), store.pools()
    changes = [
        f"the definition of task {name} has changed"
        for name, definition in snapshot.tasks.items()
        if tasks.get(name) != definition
    ]
    stored = {but_budget(e): sha for e, sha in store.planned()}
    different = [e.id for e, sha in planned if stored.get(but_budget(e)) != sha]
    if not different:
        return changes
    for task, (_, provenance) in snapshot.pools.items():
        before = pools[task][1] if task in pools else {}
        changes += [
            f"the pool of {task}: {key} was {_shown(before.get(key))} "
            f"and is {_shown(provenance.get(key))}"
            for key in {**before, **provenance}
            if before.get(key) != provenance.get(key)
        ]
    changes.append(
        f"the prompts of {len(different)} experiments are different, such as {different[0]} "
        f"(the folder was begun with evenhand {store.meta('evenhand')})"
    )
    return changes


def but_budget(experiment: Experiment) -> tuple[object, ...]:
    """Coordinates of an experiment without its output budget."""
    return tuple(getattr(experiment, axis) for axis in AXES if axis != "output_budget")


def _listed(values: Mapping[Any, Any]) -> str:
    words = [_shown(value) for value in list(values)[:_SHOWN]]
    more = len(values) - len(words)
    return ", ".join(words) + (f" and {more} more" if more > 0 else "")


def _shown(value: object) -> str:
    if value is None:
        return "not set"
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
