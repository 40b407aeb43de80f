"""From a setting's name and what the user overrides to a workload: loads tasks and pools."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from evenhand.design import PRESETS, Setting, load_setting, make_plan, split_count
from evenhand.errors import UsageError
from evenhand.pools import PerLabel, Pool, TableSource, load_pool
from evenhand.prompts import fold
from evenhand.running._table_work import instance_spans
from evenhand.running._workload import Snapshot, Work, Workload
from evenhand.tasks import TASKS, Task, load_task

AXIS_NAMES = frozenset(field.name for field in fields(Setting)) - {"name"}
SCALARS = frozenset({"repeats", "counterbalance"})
SYNTHETIC_PER_LABEL = 20_000


def plan(
    setting: str | Path | Setting | Sequence[Setting] = "core",
    *,
    data: str | Path | None = None,
    table: TableSource | None = None,
    task_files: Sequence[str | Path] = (),
    pools: Mapping[str, Pool] | None = None,
    per_label: PerLabel = None,
    **axes: Any,
) -> Workload:
    """Everything that a run will ask, before anything is asked.

    Args:
        setting: A preset (``core``, ``counts``, ``variants``, ``budgets``, ``orderings``), a TOML
            file, or settings made in Python.
        data: Folder with the five upstream sets; None for the synthetic pools.
        table: Your own records instead of either; then exactly one task is planned.
        task_files: Your own tasks; with any, they are planned unless ``tasks`` says otherwise.
        pools: Pools made in Python, by task name; they take precedence.
        per_label: Instances a label that the pool is to hold; None for the source's own size
            (C.1), or for as many as the largest synthetic set needs.
        **axes: Any axis of :class:`evenhand.design.Setting` to override: ``tasks``, ``n``, ``p``,
            ``majority_labels``, ``set_seeds``, ``patterns``, ``random_order_seeds``,
            ``pattern_order_seeds``, ``variants``, ``output_budgets``, ``repeats``,
            ``counterbalance``. An axis takes one value or several.

    Raises:
        UsageError: For an unknown setting, axis, task, pattern, variant or label, an n * p that is
            not whole, or a pool that is missing or too small.
    """
    own = [load_task(file) for file in task_files]
    if own and "tasks" not in axes:
        axes["tasks"] = tuple(task.name for task in own)
    settings = [_override(each, axes) for each in _settings(setting)]
    tasks = _tasks(dict.fromkeys(name for each in settings for name in each.tasks), own)
    if table is not None and len(tasks) != 1:
        raise UsageError(
            f"a table serves one task, and {len(tasks)} are planned: name it with tasks"
        )
    given = pools or {}
    if per_label is None and data is None and table is None:
        per_label = _synthetic_size(settings)
    found = {
        name: given[name]
        if name in given
        else load_pool(
            task, data=None if data is None else Path(data), table=table, per_label=per_label
        )
        for name, task in tasks.items()
    }
    names = {name: pool.name for name, pool in found.items()}
    return Workload(plan=make_plan(settings, tasks, names), tasks=tasks, pools=found)


def _settings(setting: str | Path | Setting | Sequence[Setting]) -> Sequence[Setting]:
    if isinstance(setting, Setting):
        return (setting,)
    if not isinstance(setting, (str, Path)):
        return setting
    if str(setting) in PRESETS:
        return PRESETS[str(setting)]
    path = Path(setting)
    if path.suffix != ".toml":
        raise UsageError(
            f"unknown setting {str(setting)!r}: use one of {', '.join(PRESETS)}, or a path to a "
            ".toml file"
        )
    try:
        return (load_setting(path.read_text("utf-8-sig"), str(path)),)
    except OSError as error:
        raise UsageError(f"cannot read the setting file {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text ({error.reason}): save it as UTF-8") from error


def _override(setting: Setting, axes: Mapping[str, Any]) -> Setting:
    unknown = sorted(axes.keys() - AXIS_NAMES)
    if unknown:
        raise UsageError(f"unknown axis {unknown[0]!r}: use one of {', '.join(sorted(AXIS_NAMES))}")
    values: dict[str, Any] = {}
    for name, value in axes.items():
        if name in SCALARS:
            values[name] = value
            continue
        several = tuple(value) if isinstance(value, (list, tuple, range)) else (value,)
        values[name] = tuple(map(str, several)) if name == "p" else several
    return replace(setting, **values)


def _tasks(names: Collection[str], own: Sequence[Task]) -> dict[str, Task]:
    files = {task.name: task for task in own}
    clash = sorted(files.keys() & set(TASKS))
    if clash:
        raise UsageError(f"your task file takes the name of the built-in task {clash[0]!r}: rename")
    for name in names:
        if name.endswith(".toml") and name not in files:
            raise UsageError(f"{name} is a file: give it as --task (task_files), and tasks by name")
    return {name: files.get(name) or load_task(name) for name in names}


def _synthetic_size(settings: Sequence[Setting]) -> int | None:
    """Instances a label, or None for the usual size; doubled until the largest set fits.

    The size is part of the pool's name, since selection ranks the whole pool.
    """
    most = max(split_count(n, p)[0] for each in settings for n in each.n for p in each.p)
    if most <= SYNTHETIC_PER_LABEL:
        return None
    size = SYNTHETIC_PER_LABEL
    while size < most:
        size *= 2
    return size


def answer_key(workload: Work) -> dict[str, str]:
    """Instance text, as prompts show it, to gold label: what a simulated reader goes by.

    Raises:
        UsageError: If two instances that read the same have different labels.
    """
    key: dict[str, str] = {}
    for task, text, label in _labelled_texts(workload.snapshot()):
        if key.setdefault(text, label) != label:
            raise UsageError(
                f"task {task}: a simulated reader cannot tell apart two instances that read the "
                f"same and have different labels: {text[:80]!r}"
            )
    return key


def _labelled_texts(kept: Snapshot) -> Iterator[tuple[str, str, str]]:
    for task, instance in kept.instances:
        yield task, fold(instance.text), instance.label
    for task, messages, instances in kept.prompts:
        content = messages[-1].content
        spans = instance_spans(content, len(instances))
        if len(spans) != len(instances):
            raise UsageError(
                f"task {task}: the table's messages do not show their instances one a line, as "
                "Instance 1:, Instance 2:, ..., which a simulated reader goes by"
            )
        for (start, end), instance in zip(spans, instances, strict=True):
            yield task, content[start:end], instance.label
