"""A pool as one Parquet file: its instances as rows, its provenance in the file's metadata."""

from __future__ import annotations

import json
from pathlib import Path

from evenhand._write_whole import write_whole
from evenhand.errors import UsageError
from evenhand.pools._instance import Instance, Pool
from evenhand.tasks import Task

SUFFIX = ".pool.parquet"
_KEY = "evenhand.pool"


def pool_path(folder: Path, task: str) -> Path:
    """Where a folder of pool files keeps the pool of a task."""
    return folder / f"{task}{SUFFIX}"


def write_pool(pool: Pool, path: Path) -> None:
    """Write ``pool`` whole or not at all; rows sorted by id, so that equal pools are equal files.

    Raises:
        UsageError: If the file cannot be written.
    """
    import polars as pl

    instances = sorted(pool.instances, key=lambda instance: instance.id)
    frame = pl.DataFrame(
        {
            "id": [instance.id for instance in instances],
            "text": [instance.text for instance in instances],
            "label": [instance.label for instance in instances],
            "answer": [instance.answer for instance in instances],
        },
        schema={"id": pl.String, "text": pl.String, "label": pl.String, "answer": pl.Int64},
    )
    header = {"task": pool.task, "name": pool.name, "provenance": dict(pool.provenance)}
    metadata = {_KEY: json.dumps(header)}
    write_whole(path, lambda partial: frame.write_parquet(partial, metadata=metadata))


def is_pool_file(path: Path) -> bool:
    """Whether ``path`` is a pool written by :func:`write_pool`."""
    import polars as pl

    if path.suffix != ".parquet":
        return False
    try:
        return _KEY in pl.read_parquet_metadata(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UsageError(f"{path}: not a readable Parquet file ({error})") from error


def read_pool(path: Path, task: Task) -> Pool:
    """The pool in a file, checked against the task that it is to serve.

    Raises:
        UsageError: If it is not a pool file, or holds another task or other labels.
    """
    import polars as pl

    if not is_pool_file(path):
        raise UsageError(f"{path} is not a pool that `evenhand filter` wrote")
    header = json.loads(pl.read_parquet_metadata(path)[_KEY])
    if header["task"] != task.name:
        raise UsageError(f"{path} is a pool of task {header['task']}, not of task {task.name}")
    rows = pl.read_parquet(path, columns=["id", "text", "label", "answer"]).iter_rows()
    instances = tuple(Instance(*row) for row in rows)
    other = sorted({instance.label for instance in instances} - set(task.labels))
    if other:
        raise UsageError(
            f"{path} holds the label {other[0]!r} and task {task.name} knows "
            f"{' and '.join(map(repr, task.labels))}: filter again with this task"
        )
    return Pool(task.name, header["name"], instances, header["provenance"])
