"""What the models of a filter made of every instance alone."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from evenhand.running import RunStore, alone_runs

VERDICTS_SCHEMA: dict[str, pl.DataType] = {
    "task": pl.String(),
    "instance_id": pl.String(),
    "model": pl.String(),
    "correct": pl.Boolean(),
}
"""Columns of :func:`verdicts`, in order."""


def verdicts(out: Path | str) -> pl.DataFrame:
    """Every verdict that a filter has so far (C.1).

    Args:
        out: Output folder of ``evenhand filter``.

    Returns:
        A row an instance and model, columns and types of :data:`VERDICTS_SCHEMA`; an answer that
        is not valid is not correct. Empty if the folder is no filter's.
    """
    rows: list[tuple[str, str, str, bool]] = []
    for run in alone_runs(Path(out)):
        with RunStore(run) as store:
            model = str(store.settings()["model"])
            outcomes = store.rows("SELECT experiment_id, outcome FROM outcomes")
            for name, outcome in outcomes:
                _, (instance,) = store.stored_prompt(name)
                task = store.experiment(name).task
                rows.append((task, instance.id, model, outcome == "correct"))
    return pl.DataFrame(rows, schema=VERDICTS_SCHEMA, orient="row")
