"""One door to every pool."""

from __future__ import annotations

from pathlib import Path

from evenhand.errors import UsageError
from evenhand.pools._build import PerLabel, upstream_pool
from evenhand.pools._instance import Pool
from evenhand.pools._pool_file import is_pool_file, pool_path
from evenhand.pools._table import TableSource, table_pool
from evenhand.pools._upstream import UPSTREAM
from evenhand.tasks import TASKS, Task


def load_pool(
    task: Task,
    *,
    data: Path | None = None,
    table: TableSource | None = None,
    per_label: PerLabel = None,
) -> Pool:
    """The instances of a task.

    Args:
        task: The task.
        data: Folder with the public data sets, or with pools that ``evenhand filter`` wrote
            (``TASK.pool.parquet``; a filtered pool goes before the set that it came from).
        table: Your own table. Without ``data`` and ``table`` the pool is synthetic.
        per_label: How many instances of each label to keep. None keeps what the paper sampled
            (C.1: 2,500; Sentiment 5,000) of a public set, all of a table or filtered pool, and
            20,000 of a synthetic pool; ``"all"`` keeps every eligible instance. A public set in
            another size than the paper's shows it in its name (``gsm8k-all``, ``gsm8k-500``).

    Raises:
        UsageError: If the source is missing or damaged, does not fit the task, or has fewer
            instances than ``per_label``.
    """
    if data is not None and table is not None:
        raise UsageError("give a data folder or a table, not both")
    if table is not None:
        return table_pool(task, table, per_label)
    if data is not None:
        return _from_folder(task, data, per_label)
    return _synthetic(task, per_label)


def _from_folder(task: Task, data: Path, per_label: PerLabel) -> Pool:
    stored = pool_path(data, task.name)
    if stored.is_file():
        if not is_pool_file(stored):
            raise UsageError(
                f"{stored} is not a pool that `evenhand filter` wrote: give your own table as "
                "--pool"
            )
        return table_pool(task, TableSource(stored), per_label)
    upstream = UPSTREAM.get(task.name)
    if upstream is None:
        raise UsageError(
            f"no public data set serves task {task.name} (only {', '.join(UPSTREAM)}): "
            "give its records as a table"
        )
    _check_labels(task, upstream.labels, upstream.title)
    return upstream_pool(upstream, data, per_label)


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
