"""One door to every pool."""

from __future__ import annotations

from pathlib import Path

from evenhand.errors import UsageError
from evenhand.pools._build import PerLabel, upstream_pool
from evenhand.pools._instance import Pool
from evenhand.pools._upstream import UPSTREAM
from evenhand.tasks import TASKS, Task


def load_pool(task: Task, *, data: Path | None = None, per_label: PerLabel = None) -> Pool:
    """The instances of a task.

    Args:
        task: The task.
        data: Folder with the public data sets. Without it the pool is synthetic.
        per_label: How many instances of each label to keep. None keeps what the paper sampled
            (C.1: 2,500; Sentiment 5,000) of a public set and 20,000 of a synthetic pool;
            ``"all"`` keeps every eligible instance. A pool of another size than the default
            shows it in its name (``gsm8k-all``, ``gsm8k-500``).

    Raises:
        UsageError: If the source is missing or damaged, does not fit the task, or has fewer
            instances than ``per_label``.
    """
    if data is not None:
        upstream = UPSTREAM.get(task.name)
        if upstream is None:
            raise UsageError(
                f"no public data set serves task {task.name} (only {', '.join(UPSTREAM)}): "
                "give its records as a table"
            )
        _check_labels(task, upstream.labels, upstream.title)
        return upstream_pool(upstream, data, per_label)
    return _synthetic(task, per_label)


def _synthetic(task: Task, per_label: PerLabel) -> Pool:
    if task.name not in TASKS:
        raise UsageError(
            f"task {task.name} has no synthetic records: give its own records as a table"
        )
    if per_label == "all":
        raise UsageError("a synthetic pool has no end: say how many instances per label")
    from evenhand.pools._synthetic import synthetic_pool

    pool = synthetic_pool(task.name) if per_label is None else synthetic_pool(task.name, per_label)
    _check_labels(task, tuple(sorted({i.label for i in pool.instances})), "the synthetic pool")
    return pool


def _check_labels(task: Task, labels: tuple[str, ...], source: str) -> None:
    if set(task.labels) != set(labels):
        raise UsageError(
            f"task {task.name} has the labels {', '.join(task.labels)} and {source} has "
            f"{', '.join(labels)}: give your own records as a table"
        )
