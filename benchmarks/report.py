"""Time and memory of a full report: 30,000 simulated experiments, all tables and figures.

Limit: 60 s and 1.5 GB on two cores. Run: python benchmarks/report.py
"""

from __future__ import annotations

import random
import resource
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.design import PATTERNS, Experiment
from evenhand.report import LoadedRuns, write_everything
from evenhand.results import RESULTS_SCHEMA

MODELS = 15
LABELS = {
    "math": ("even_number", "odd_number"),
    "ner": ("LOC", "PER"),
    "occurrence": ("exactly_once", "more_than_once"),
    "sentiment": ("negative", "positive"),
    "wsd": ("place", "programming_language"),
}
Axis = tuple[int, ...] | tuple[str, ...]
GRIDS: tuple[tuple[str, Axis, Axis, Axis, Axis, Axis, Axis], ...] = (
    ("core", (2000,), ("0.55",), (0, 1), (0, 1, 2), ("standard",), (20_000,)),
    (
        "counts",
        (100, 200, 500, 1000, 2000),
        ("0.9", "0.7", "0.6", "0.55"),
        (0, 1),
        (1,),
        ("standard",),
        (20_000,),
    ),
    (
        "variants",
        (2000,),
        ("0.55",),
        (0, 1),
        (0, 1, 2),
        ("standard", "hint", "strategy", "self"),
        (20_000, 100_000),
    ),
    (
        "counts",
        (100, 200, 500, 1000, 2000),
        ("0.9", "0.55"),
        (0, 1),
        (1,),
        ("standard",),
        (100_000,),
    ),
)
VARIED = 3
"""Models that also run the prompts and budgets."""
LIMIT_SECONDS, LIMIT_GIB = 60, 1.5


def simulated() -> pl.DataFrame:
    """Core and counts for 15 models, budgets and prompts for three of them: over 30,000 rows."""
    dice = random.Random(0)
    rows: list[dict[str, object]] = []
    for at in range(MODELS):
        model = f"maker/model-{at:02}"
        chance = {
            str(pattern): min(1.0, 0.3 + 0.04 * at + 0.05 * place)
            for place, pattern in enumerate(PATTERNS)
        }
        for setting, *axes in GRIDS if at < VARIED else GRIDS[:2]:
            for cell in product(LABELS, *axes, PATTERNS):
                seeds = (0, 1, 2) if cell[-1] == "random" else (None,)
                rows.extend(_row(setting, model, cell, seed, chance, dice) for seed in seeds)
    return pl.DataFrame(rows, schema=dict(RESULTS_SCHEMA)).with_columns(run=pl.lit(0))


def _row(
    setting: str,
    model: str,
    cell: tuple[Any, ...],
    order_seed: int | None,
    chance: dict[str, float],
    dice: random.Random,
) -> dict[str, object]:
    task, n, p, label, set_seed, variant, budget, pattern = cell
    labels = LABELS[task]
    experiment = Experiment(setting, task, "synthetic", n, p, labels[label], set_seed, pattern,
                            order_seed, variant, budget)  # fmt: skip
    valid = dice.random() < 0.9
    correct = valid and dice.random() < chance[pattern]
    outcome = "correct" if correct else "mistake" if valid else "overlong"
    return {
        **experiment.coordinates(),
        "experiment_id": experiment.id,
        "p": float(p),
        "model": model,
        "answer_mode": "generate",
        "outcome": outcome,
        "predicted": labels[label] if correct else labels[1 - label] if valid else None,
        "valid": valid,
        "correct": correct,
        "lenient": False,
        "attempts": 1,
        "labels": list(labels),
    }


def main() -> int:
    """Print time and memory; exit code 1 over the limit."""
    frame = simulated()
    loaded = LoadedRuns(frame, (Path("simulated.parquet"),), ())
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        report = write_everything(loaded, Path(folder))
        seconds = time.perf_counter() - start
        size = report.page.stat().st_size / 1e6
    gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    made = sum(entry.made for entry in report.manifest)
    sys.stdout.write(
        f"{frame.height:,} experiments: {made} of {len(report.manifest)} exhibits and a page of "
        f"{size:.1f} MB in {seconds:.1f} s, {gib:.2f} GiB at most\n"
    )
    return int(seconds > LIMIT_SECONDS or gib > LIMIT_GIB)


if __name__ == "__main__":
    raise SystemExit(main())
