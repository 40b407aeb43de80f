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
    "agrees": pl.Boolean(),
    "tokens": pl.Int64(),
    "straddling": pl.Int64(),
    "seconds": pl.Float64(),
    "majority": pl.List(pl.Boolean()),
    "share": pl.List(pl.Float32()),
    "push": pl.List(pl.Float32()),
}
"""Columns of :func:`attributions` beside an experiment's coordinates. ``share`` and ``push`` hold a
value an instance in reading order, and are empty where there is a ``reason`` for none. ``agrees``
says whether the score points to the label that was answered, as it should where the weights that
replay are those that answered and no chance was in it."""


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
                    "majority": list(outcome.majority),
                    "share": outcome.share,
                    "push": outcome.push,
                }
            )
    schema = {"experiment_id": pl.String(), **REPLAYS_SCHEMA}
    frame = pl.DataFrame(rows, schema=schema)
    known = results(run).select(*CONDITION, pl.col("labels").list.last().alias("second"))
    joined = known.join(frame, on="experiment_id", how="inner", maintain_order="left")
    agrees = (pl.col("score") > 0) == (pl.col("predicted") == pl.col("second"))
    return joined.with_columns(
        agrees.alias("agrees"), pl.lit(str(settings.get("model"))).alias("replay_model")
    ).drop("second")


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
