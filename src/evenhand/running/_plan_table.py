"""Plans out and in: a Parquet table with one row an experiment and its exact messages."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from evenhand.design import AXES, Experiment
from evenhand.errors import UsageError
from evenhand.pools import Instance
from evenhand.prompts import Message, messages_sha256
from evenhand.running._plan_columns import Columns, row_error
from evenhand.running._plan_source import plan_files
from evenhand.running._table_work import TableTask, TableWork
from evenhand.running._workload import Work, messages_of
from evenhand.tasks import TASKS, load_task

if TYPE_CHECKING:
    import polars as pl

_ROWS = 100
"""Rows held in memory at once: prompts of 250 KB are 25 MB."""


def export_plan(workload: Work, path: Path | str) -> Path:
    """Write a plan as a table that anyone can run.

    One row an experiment: ``experiment_id``, the coordinates (``majority_label`` is the gold
    label), ``labels``, ``messages`` (a list of role and content), ``prompt_sha256``,
    ``instance_ids`` and ``instance_labels`` in reading order, ``pool_source`` and ``pool_filter``
    as the results will have them.

    Args:
        workload: What to export.
        path: A ``.parquet`` file.

    Returns:
        The file.

    Raises:
        UsageError: If the plan holds the ``self`` variant, whose messages a model has yet to
            write, or the file cannot be written.
    """
    import polars as pl

    target = Path(path)
    if target.suffix != ".parquet":
        raise UsageError(f"a plan is written as Parquet: name it {target.with_suffix('.parquet')}")
    staged = [e.id for e in workload.experiments if workload.first_stage(e) is not None]
    if staged:
        raise UsageError(
            f"{staged[0]}: the messages of the self variant are written during a run: "
            "leave it out of the plan to export"
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=target.parent, prefix=".plan-") as folder:
            parts = Path(folder)
            for number, rows in enumerate(_batches(workload)):
                pl.DataFrame(rows, schema=_schema()).write_parquet(parts / f"{number:06}.parquet")
            whole = parts / "whole"
            pl.scan_parquet(parts / "*.parquet").sink_parquet(whole, row_group_size=_ROWS)
            whole.replace(target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error}") from error
    return target


def read_plan(path: Path | str, columns: Mapping[str, str] | None = None) -> TableWork:
    """A workload from a table that someone else made.

    Args:
        path: A Parquet file, or ``hf://datasets/OWNER/NAME[@REVISION][/FILE.parquet]``.
        columns: For a field of the plan, the table's column that holds it (``{"messages":
            "prompt"}``), or a value for all rows after an equals sign (``{"setting": "=hub"}``).
            Fields without an entry are looked for under their own name. ``messages`` is a text
            (one user message) or a list of role and content. ``order_seed`` and ``repeat`` may be
            missing, ``labels`` too for built-in tasks; ``prompt_sha256`` is checked where it is.
            Without ``pool_source`` the table is the source.

    Raises:
        UsageError: Names the file, row and column of what is missing, malformed or contradicts
            its hash.
    """
    experiments: list[Experiment] = []
    tasks: dict[str, TableTask] = {}
    hashes: dict[str, str] = {}
    sizes: dict[str, int] = {}
    packed: dict[str, bytes] = {}
    for where, row in _rows(path, Columns(dict(columns or {}))):
        experiment = _experiment(where, row)
        messages = _messages(where, row["messages"])
        sha = messages_sha256(messages)
        given = row.get("prompt_sha256")
        if given is not None and given != sha:
            raise row_error(where, "prompt_sha256", "is not the hash of the messages")
        if experiment.id in hashes:
            raise row_error(where, "experiment_id", f"is there twice: {experiment.id}")
        _add_task(tasks, where, experiment, row, str(path))
        experiments.append(experiment)
        hashes[experiment.id] = sha
        sizes[experiment.id] = sum(len(message.content) for message in messages)
        packed[experiment.id] = _pack(messages, row)
    if not experiments:
        raise UsageError(f"{path} holds no experiment")
    return TableWork(tuple(experiments), tasks, hashes, lambda key: _unpack(packed[key]), sizes)


def _batches(workload: Work) -> Iterator[list[dict[str, Any]]]:
    experiments = workload.experiments
    origins = {task: origin for task, (_, origin) in workload.snapshot().pools.items()}
    for start in range(0, len(experiments), _ROWS):
        yield [
            _row(workload, experiment, origins[experiment.task])
            for experiment in experiments[start : start + _ROWS]
        ]


def _row(workload: Work, experiment: Experiment, origin: Mapping[str, str]) -> dict[str, Any]:
    messages = messages_of(workload, experiment)
    instances = workload.instances(experiment)
    return {
        "experiment_id": experiment.id,
        **experiment.coordinates(),
        "labels": list(workload.labels(experiment)),
        "messages": [{"role": m.role, "content": m.content} for m in messages],
        "prompt_sha256": messages_sha256(messages),
        "instance_ids": [instance.id for instance in instances],
        "instance_labels": [instance.label for instance in instances],
        "pool_source": origin.get("source"),
        "pool_filter": origin.get("filter"),
    }


def _schema() -> dict[str, pl.DataType]:
    import polars as pl

    numbers = {"n", "set_seed", "order_seed", "output_budget", "repeat"}
    texts = pl.List(pl.String())
    return {
        "experiment_id": pl.String(),
        **{axis: pl.Int64() if axis in numbers else pl.String() for axis in AXES},
        "labels": texts,
        "messages": pl.List(pl.Struct({"role": pl.String(), "content": pl.String()})),
        "prompt_sha256": pl.String(),
        "instance_ids": texts,
        "instance_labels": texts,
        "pool_source": pl.String(),
        "pool_filter": pl.String(),
    }


def _rows(path: Path | str, columns: Columns) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where a row stands, and its fields under the plan's names."""
    import polars as pl

    for file in plan_files(path):
        try:
            table = pl.scan_parquet(file)
            names = table.collect_schema().names()
            wanted = columns.resolve(names, str(path))
            number = 0
            while (rows := table.slice(number, _ROWS).collect()).height:
                for at, row in enumerate(rows.iter_rows(named=True), number + 1):
                    yield f"{file.name}, row {at}", columns.fields(row, wanted)
                number += rows.height
        except (OSError, pl.exceptions.PolarsError) as error:
            raise UsageError(f"cannot read the plan {path}: {error}") from error


def _experiment(where: str, row: Mapping[str, Any]) -> Experiment:
    from evenhand.design import proportion

    values: dict[str, Any] = {axis: row.get(axis) for axis in AXES}
    if values["repeat"] is None:
        values["repeat"] = 0
    for axis in ("n", "set_seed", "order_seed", "output_budget", "repeat"):
        value = values[axis]
        if value is None and axis == "order_seed":
            continue
        try:
            values[axis] = int(value)
        except (TypeError, ValueError):
            raise row_error(where, axis, f"must be a whole number, not {value!r}") from None
    for axis in ("setting", "task", "pool", "majority_label", "pattern", "variant"):
        if not isinstance(values[axis], str):
            raise row_error(where, axis, f"must be a text, not {values[axis]!r}")
    try:
        values["p"] = format(proportion(values["p"]), "f")
        return Experiment(**values)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error


def _messages(where: str, value: object) -> tuple[Message, ...]:
    if isinstance(value, str) and value:
        return (Message("user", value),)
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        found = tuple(Message(item.get("role"), item.get("content")) for item in value)
        if all(
            message.role in ("system", "user", "assistant") and isinstance(message.content, str)
            for message in found
        ):
            return found
    raise row_error(where, "messages", "must be a text, or a list of role and content")


def _add_task(
    tasks: dict[str, TableTask],
    where: str,
    experiment: Experiment,
    row: Mapping[str, Any],
    source: str,
) -> None:
    labels = row.get("labels")
    if isinstance(labels, str):
        labels = [label.strip() for label in labels.split(",")]
    if labels is None and experiment.task in TASKS:
        labels = load_task(experiment.task).labels
    if labels is None:
        raise row_error(where, "labels", "is missing: map it, such as labels==no,yes")
    if len(labels) != 2 or experiment.majority_label not in labels:
        gold = experiment.majority_label
        raise row_error(where, "labels", f"must be two, one of them the gold label {gold!r}")
    definition = json.dumps({"labels": list(labels)}, ensure_ascii=False)
    origin = {"source": row.get("pool_source") or f"plan {source}", "plan": source}
    if row.get("pool_filter"):
        origin["filter"] = row["pool_filter"]
    task = TableTask(definition, experiment.pool, origin)
    known = tasks.setdefault(experiment.task, task)
    if known != task:
        raise row_error(
            where, "labels", f"or pool, its source or filter, differ within task {experiment.task}"
        )


def _pack(messages: tuple[Message, ...], row: Mapping[str, Any]) -> bytes:
    ids, labels = row.get("instance_ids") or [], row.get("instance_labels") or []
    if len(ids) != len(labels):
        ids = labels = []
    value = [[[m.role, m.content] for m in messages], ids, labels]
    return zlib.compress(json.dumps(value).encode("ascii"), 1)


def _unpack(data: bytes) -> tuple[tuple[Message, ...], tuple[Instance, ...]]:
    messages, ids, labels = json.loads(zlib.decompress(data))
    return (
        tuple(Message(role, content) for role, content in messages),
        tuple(Instance(key, "", label) for key, label in zip(ids, labels, strict=True)),
    )
