"""A pool as one Parquet file: its instances as rows, its provenance in the file's metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from evenhand._write_whole import write_whole
from evenhand.errors import UsageError
from evenhand.pools._instance import Instance, Pool
from evenhand.tasks import Task

if TYPE_CHECKING:
    import polars as pl

SUFFIX = ".pool.parquet"
_KEY = "evenhand.pool"


@dataclass(frozen=True, slots=True)
class _Header:
    task: str
    name: str
    provenance: Mapping[str, str]


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
        schema=_schema(),
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
        UsageError: If it is not a pool file, is damaged, or holds another task or other labels.
    """
    import polars as pl

    if not is_pool_file(path):
        raise UsageError(f"{path} is not a pool that `evenhand filter` wrote")
    try:
        header = TypeAdapter(_Header).validate_json(pl.read_parquet_metadata(path)[_KEY])
        frame = pl.read_parquet(path, columns=list(_schema())).cast(_schema())
    except (OSError, pl.exceptions.PolarsError, ValidationError) as error:
        raise UsageError(f"{path} is damaged: run `evenhand filter` again") from error
    holes = [name for name in ("id", "text", "label") if frame[name].null_count()]
    if holes or frame["id"].is_duplicated().any():
        fault = f"has no {holes[0]} in some rows" if holes else "holds an id twice"
        raise UsageError(f"{path} {fault}: run `evenhand filter` again")
    if header.task != task.name:
        raise UsageError(f"{path} is a pool of task {header.task}, not of task {task.name}")
    instances = tuple(Instance(*row) for row in frame.iter_rows())
    other = sorted({instance.label for instance in instances} - set(task.labels))
    if other:
        raise UsageError(
            f"{path} holds the label {other[0]!r} and task {task.name} knows "
            f"{' and '.join(map(repr, task.labels))}: filter again with this task"
        )
    return Pool(task.name, header.name, instances, header.provenance)


def _schema() -> pl.Schema:
    import polars as pl

    return pl.Schema(
        {"id": pl.String(), "text": pl.String(), "label": pl.String(), "answer": pl.Int64()}
    )
