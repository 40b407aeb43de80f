"""Time the statistics at the size of the paper's study, over simulated answers.

Run: python benchmarks/inference.py [--models 15] [--permutations 10000]

Prints one line a measurement: seconds, and the peak memory of the process at the end. The targets:
all tables and figures' numbers of 30,000 experiments within 60 s and 1.5 GB, and the null of the
gap with 10,000 permutations for 15 models within 20 s.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable

import numpy as np
import polars as pl

from evenhand import analysis
from evenhand.design import PRESETS, make_plan
from evenhand.results import OUTCOMES, RESULTS_SCHEMA
from evenhand.tasks import TASKS, load_task

CHANCES = (0.62, 0.2, 0.02, 0.02, 0.04, 0.1)
"""Of the six outcomes, in the order of OUTCOMES."""

TABLES: tuple[Callable[..., pl.DataFrame], ...] = (
    analysis.core_rows,
    analysis.all_experiments_table,
    analysis.budget_table,
    analysis.accuracy_by_pattern,
    analysis.accuracy_by_task,
    analysis.task_by_pattern,
    analysis.error_types,
    analysis.invalid_counts,
    analysis.counts_grid,
    analysis.variant_changes,
    analysis.budget_outcomes,
    analysis.pooling_warnings,
)


def simulated(preset: str, models: int, seed: int = 0) -> pl.DataFrame:
    """Every experiment of a preset for several models, answered without looking at the order."""
    tasks = {name: load_task(name) for name in TASKS}
    plan = make_plan(PRESETS[preset], tasks, dict.fromkeys(TASKS, "synthetic"))
    one = pl.DataFrame([{"experiment_id": e.id, **e.coordinates()} for e in plan.experiments])
    rng = np.random.default_rng(seed)
    frames = []
    for model in range(models):
        outcome = rng.choice(OUTCOMES, size=one.height, p=CHANCES)
        frames.append(
            one.with_columns(
                pl.lit(f"simulated/{model:02}").alias("model"),
                pl.col("p").cast(pl.Float64),
                pl.Series("outcome", outcome.tolist()),
                pl.lit("generate").alias("answer_mode"),
            )
        )
    rows = pl.concat(frames).with_columns(
        pl.col("outcome").is_in(["correct", "mistake", "tie"]).alias("valid"),
        (pl.col("outcome") == "correct").alias("correct"),
        pl.when(pl.col("outcome") == "correct")
        .then(pl.col("majority_label"))
        .when(pl.col("outcome") == "mistake")
        .then(pl.lit("the other"))
        .alias("predicted"),
    )
    empty = [
        pl.lit(None, dtype).alias(name)
        for name, dtype in RESULTS_SCHEMA.items()
        if name not in rows.columns
    ]
    return rows.with_columns(empty).select(
        [pl.col(name).cast(dtype) for name, dtype in RESULTS_SCHEMA.items()]
    )


def timed(name: str, work: Callable[[pl.DataFrame], pl.DataFrame], frame: pl.DataFrame) -> float:
    """Run once and print seconds and the number of rows that came out."""
    start = time.perf_counter()
    rows = work(frame).height
    seconds = time.perf_counter() - start
    sys.stdout.write(f"{seconds:8.2f} s  {rows:6,} rows  {name}\n")
    return seconds


def main() -> None:
    """Parse the command line, simulate, time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=15)
    parser.add_argument("--permutations", type=int, default=analysis.PERMUTATIONS)
    arguments = parser.parse_args()
    models, permutations = arguments.models, arguments.permutations

    core = simulated("core", models)
    sys.stdout.write(f"core setting, {models} models: {core.height:,} experiments\n")
    timed(
        f"gap_null, {permutations:,} permutations",
        lambda frame: analysis.gap_null(frame, permutations=permutations),
        core,
    )
    timed(
        f"contrasts, {permutations:,} permutations",
        lambda frame: analysis.contrasts(frame, permutations=permutations),
        core,
    )
    timed("flip_rate", analysis.flip_rate, core)
    timed("split_half_gap", analysis.split_half_gap, core)
    timed("invalid_bounds", analysis.invalid_bounds, core)

    grid = pl.concat([core, simulated("counts", models)])
    sys.stdout.write(f"core and counts, {models} models: {grid.height:,} experiments\n")
    total = timed("overview_table, core rows", analysis.overview_table, analysis.core_rows(grid))
    for work in TABLES:
        total += timed(work.__name__, work, grid)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    sys.stdout.write(f"{total:8.2f} s  all tables and figures' numbers; peak {peak:.2f} GiB\n")


if __name__ == "__main__":
    main()
