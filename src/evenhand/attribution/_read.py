"""Replays as a table, offline."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl

from evenhand.attribution._store import ReplayStore
from evenhand.errors import UsageError
from evenhand.results import results

FOLDER = "attribution"
"""Where a run folder keeps its replays unless told otherwise."""

CONDITION = (
    "experiment_id", "setting", "model", "task", "n", "p", "majority_label", "set_seed", "pattern",
    "order_seed", "variant", "output_budget", "repeat", "answer_mode", "predicted", "correct",
)  # fmt: skip
REPLAYS_SCHEMA: dict[str, pl.DataType] = {
    "reason": pl.String(),
    "score": pl.Float64(),
    "first_log_probability": pl.Float64(),
    "second_log_probability": pl.Float64(),
    "tokens": pl.Int64(),
    "straddling": pl.Int64(),
    "seconds": pl.Float64(),
    "majority": pl.List(pl.Boolean()),
    "share": pl.List(pl.Float32()),
    "push": pl.List(pl.Float32()),
}
"""Columns of :func:`attributions` beside an experiment's coordinates. ``share`` and ``push`` hold a
value an instance in reading order, and are empty where there is a ``reason`` for none."""


def attributions(run: Path | str, folder: Path | None = None) -> pl.DataFrame:
    """Every replay of a run, with its experiment's coordinates.

    Args:
        run: The run folder.
        folder: Where the replays are; None is ``attribution`` in the run folder.

    Returns:
        One row a replay: coordinates, and the columns of :data:`REPLAYS_SCHEMA`;
        ``replay_model`` is the model that replayed.

    Raises:
        UsageError: If there is no run, or it has no replays.
    """
    run = Path(run)
    with ReplayStore(folder or run / FOLDER) as store:
        settings = store.settings()
        rows = []
        for outcome in store.outcomes():
            first, second = outcome.log_probabilities or (None, None)
            rows.append(
                {
                    "experiment_id": outcome.experiment_id,
                    "reason": outcome.reason,
                    "score": outcome.score,
                    "first_log_probability": first,
                    "second_log_probability": second,
                    "tokens": outcome.tokens,
                    "straddling": outcome.straddling,
                    "seconds": outcome.seconds,
                    "majority": outcome.majority,
                    "share": outcome.share,
                    "push": outcome.push,
                }
            )
    frame = pl.DataFrame(rows, schema={"experiment_id": pl.String(), **REPLAYS_SCHEMA})
    known = results(run).select(CONDITION)
    joined = known.join(frame, on="experiment_id", how="inner", maintain_order="left")
    return joined.with_columns(pl.lit(str(settings["model"])).alias("replay_model"))


def write_table(frame: pl.DataFrame, target: Path) -> Path:
    """Write a Parquet file, whole or not at all.

    Raises:
        UsageError: If it cannot be written.
    """
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        frame.write_parquet(partial)
        partial.replace(target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error}") from error
    finally:
        partial.unlink(missing_ok=True)
    return target
