"""The results table and the attempts table, read from a run folder."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from pathlib import Path

import polars as pl

from evenhand.design import AXES
from evenhand.errors import UsageError
from evenhand.models import PARAMETERS_OF_ONE_CALL
from evenhand.results._schema import OPTIONAL_COLUMNS, RESULTS_SCHEMA, VALID_OUTCOMES
from evenhand.running import RunStore

ATTEMPTS_SCHEMA: dict[str, pl.DataType] = {
    "experiment_id": pl.String(),
    "attempt": pl.Int64(),
    "stage": pl.Int64(),
    "finished_at": pl.String(),
    "outcome": pl.String(),
    "predicted": pl.String(),
    "lenient": pl.Boolean(),
    "reason": pl.String(),
    "text": pl.String(),
    "reasoning": pl.String(),
    "reasoning_source": pl.String(),
    "finish_reason": pl.String(),
    "forced_label": pl.String(),
    "margin": pl.Float64(),
    "label_mass": pl.Float64(),
    "counted_tokens": pl.Int64(),
    "counted_exactly": pl.Boolean(),
    "input_tokens": pl.Int64(),
    "cached_input_tokens": pl.Int64(),
    "output_tokens": pl.Int64(),
    "reasoning_tokens": pl.Int64(),
    "cost_usd": pl.Float64(),
    "latency_s": pl.Float64(),
    "upstream": pl.String(),
    "parameters": pl.String(),
    "prompt_sha256": pl.String(),
    "instruction": pl.String(),
    "error": pl.String(),
    "decides": pl.Boolean(),
}
"""Columns of :func:`attempts`, in order. ``stage`` is 2 for a call that answers and 1 for one that
writes an instruction (``self``); ``decides`` marks the call that gave the experiment's outcome."""

_RESULTS = f"""
    SELECT
        e.id, {", ".join(f"e.{axis}" for axis in AXES)},
        o.outcome, a.predicted, a.margin, a.lenient, o.attempt, a.finish_reason,
        s.input_tokens, s.output_tokens, s.reasoning_tokens, s.cost_usd, s.latency_s,
        a.prompt_sha256, a.label_mass, a.upstream, a.parameters, a.text IS NULL AS unasked,
        a.reasoning_tokens AS decided_reasoning
    FROM experiments AS e
    JOIN outcomes AS o ON o.experiment_id = e.id
    JOIN attempts AS a ON a.experiment_id = e.id AND a.attempt = o.attempt AND a.stage = (
        SELECT max(stage) FROM attempts AS b
        WHERE b.experiment_id = e.id AND b.attempt = o.attempt
    )
    JOIN (
        SELECT experiment_id,
            CASE WHEN count(input_tokens) = count(*) THEN sum(input_tokens) END AS input_tokens,
            CASE WHEN count(output_tokens) = count(*) THEN sum(output_tokens) END AS output_tokens,
            CASE WHEN count(reasoning_tokens) = count(*) THEN sum(reasoning_tokens) END
                AS reasoning_tokens,
            CASE WHEN count(cost_usd) = count(*) THEN sum(cost_usd) END AS cost_usd,
            CASE WHEN count(latency_s) = count(*) THEN sum(latency_s) END AS latency_s
        FROM attempts GROUP BY experiment_id
    ) AS s ON s.experiment_id = e.id
    WHERE NOT EXISTS (SELECT 1 FROM experiments AS later WHERE later.rerun_of = e.id)
    ORDER BY e.position
"""
"""A sum over attempts is known only where every attempt's part is."""


def results(path: Path | str) -> pl.DataFrame:
    """The results table of a run, one row an experiment that has an outcome.

    Experiments without an answer are not in it: :func:`pending` lists them. An experiment that was
    rerun with a larger budget stands there once, as the rerun.

    Args:
        path: A run folder, or a Parquet file that :func:`export` wrote.

    Returns:
        Columns and types of :data:`RESULTS_SCHEMA`, in the plan's order.

    Raises:
        UsageError: If there is no run at ``path``, or the file's columns are others.
    """
    path = Path(path)
    if path.suffix == ".parquet":
        return _from_parquet(path)
    with RunStore(path) as store:
        model = store.settings()["model"]
        mode = store.settings()["answer_mode"]
        labels = store.labels()
        pools = store.pools()
        budgets = store.reasoning_budgets()
        rows = [
            {
                "experiment_id": row["id"],
                **{axis: row[axis] for axis in AXES},
                "p": float(row["p"]),
                "model": model,
                "answer_mode": mode,
                "outcome": row["outcome"],
                "predicted": row["predicted"],
                "margin": row["margin"],
                "valid": row["outcome"] in VALID_OUTCOMES,
                "correct": row["outcome"] == "correct",
                "lenient": bool(row["lenient"]),
                "attempts": row["attempt"],
                "finish_reason": row["finish_reason"],
                "input_tokens": row["input_tokens"],
                "output_tokens": row["output_tokens"],
                "reasoning_tokens": row["reasoning_tokens"],
                "cost_usd": row["cost_usd"],
                "latency_s": row["latency_s"],
                "prompt_sha256": row["prompt_sha256"],
                "label_mass": row["label_mass"],
                "labels": labels[row["task"]],
                "upstream": row["upstream"],
                "parameters_sha256": None
                if row["unasked"]
                else parameters_sha256(row["parameters"]),
                "pool_source": pools[row["task"]][1].get("source"),
                "pool_filter": pools[row["task"]][1].get("filter"),
                "reasoning_budget": (own := budgets.get(row["output_budget"])),
                "reasoning_exhausted": None
                if own is None
                else _exhausted(own, row["decided_reasoning"], asked=not row["unasked"]),
            }
            for row in store.rows(_RESULTS)
        ]
    return pl.DataFrame(rows, schema=dict(RESULTS_SCHEMA))


def attempts(path: Path | str) -> pl.DataFrame:
    """Every finished call of a run, in the order in which they finished.

    Calls that got no answer are not attempts and are not in it.

    Args:
        path: A run folder.

    Returns:
        Columns and types of :data:`ATTEMPTS_SCHEMA`; ``parameters`` is JSON.

    Raises:
        UsageError: If there is no run at ``path``.
    """
    stored = [name for name in ATTEMPTS_SCHEMA if name != "decides"]
    with RunStore(Path(path)) as store:
        rows = store.rows(
            f"SELECT {', '.join(f'a.{name}' for name in stored)}, "
            "o.attempt IS a.attempt AND a.stage = (SELECT max(stage) FROM attempts AS b WHERE "
            "b.experiment_id = a.experiment_id AND b.attempt = a.attempt) AS decides "
            "FROM attempts AS a LEFT JOIN outcomes AS o ON o.experiment_id = a.experiment_id "
            "ORDER BY a.rowid"
        )
    frame = pl.DataFrame(
        [tuple(row) for row in rows],
        schema={
            name: pl.Int64() if kind == pl.Boolean() else kind
            for name, kind in ATTEMPTS_SCHEMA.items()
        },
        orient="row",
    )
    return frame.cast(dict(ATTEMPTS_SCHEMA))  # type: ignore[arg-type]  # polars wants looser keys


def pending(path: Path | str) -> pl.DataFrame:
    """The experiments of a run that have no outcome yet, with their coordinates.

    Args:
        path: A run folder.

    Returns:
        ``experiment_id`` and the plan's axes, with the results table's types.

    Raises:
        UsageError: If there is no run at ``path``.
    """
    with RunStore(Path(path)) as store:
        rows = [
            {"experiment_id": e.id, **e.coordinates(), "p": float(e.p)} for e in store.pending()
        ]
    schema = {name: RESULTS_SCHEMA[name] for name in ("experiment_id", *AXES)}
    return pl.DataFrame(rows, schema=schema)


@lru_cache(maxsize=64)
def parameters_sha256(parameters: str) -> str:
    """SHA-256 of what the parameters ask for: those of one call alone are left out.

    Args:
        parameters: JSON object.
    """
    kept = {
        name: value
        for name, value in json.loads(parameters).items()
        if name not in PARAMETERS_OF_ONE_CALL
    }
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def _exhausted(budget: int, tokens: int | None, *, asked: bool) -> bool | None:
    """Whether reasoning used its budget up; a prompt that was never sent used nothing."""
    if not asked:
        return False
    return None if tokens is None else tokens >= budget


def _from_parquet(path: Path) -> pl.DataFrame:
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UsageError(f"cannot read {path}: {error}") from error
    missing = [name for name in RESULTS_SCHEMA if name not in frame.columns]
    needed = [name for name in missing if name not in OPTIONAL_COLUMNS]
    if needed:
        raise UsageError(f"{path} is not a results table: it has no column {', '.join(needed[:3])}")
    frame = frame.with_columns(pl.lit(None).alias(name) for name in missing)
    return frame.select(pl.col(name).cast(kind) for name, kind in RESULTS_SCHEMA.items())
