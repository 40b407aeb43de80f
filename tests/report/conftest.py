"""Simulated results tables for the report's tests: our own numbers, no model behind them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import product

import polars as pl
import pytest

from evenhand.design import PATTERNS, Experiment
from evenhand.results import RESULTS_SCHEMA

LABELS: Mapping[str, tuple[str, str]] = {
    "sentiment": ("negative", "positive"),
    "ner": ("LOC", "PER"),
    "math": ("even_number", "odd_number"),
    "occurrence": ("exactly_once", "more_than_once"),
    "wsd": ("place", "programming_language"),
}
LEANING: Mapping[str, float] = {
    "random": 0.67,
    "majority-first": 0.42,
    "majority-last": 0.58,
    "majority-edges": 0.9,
    "majority-middle": 0.2,
    "soft-majority-edges": 0.83,
    "soft-majority-middle": 0.5,
}
"""Chance of a right answer under each order for a model that loses the middle."""

Simulate = Callable[..., pl.DataFrame]


def simulated(
    model: str = "sim/lost-in-the-middle",
    *,
    setting: str = "core",
    tasks: Sequence[str] = ("sentiment",),
    n: Sequence[int] = (100,),
    p: Sequence[float] = (0.55,),
    seeds: Sequence[int] = (0, 1, 2),
    order_seeds: Sequence[int] = (0, 1, 2),
    variants: Sequence[str] = ("standard",),
    budgets: Sequence[int] = (20_000,),
    chance: Mapping[str, float] = LEANING,
    invalid: float = 0.0,
    forced: bool = False,
    repeats: int = 1,
    seed: int = 7,
) -> pl.DataFrame:
    """Rows in ``RESULTS_SCHEMA`` of a model that is right with the given chances."""
    dice = random.Random(f"{model}/{seed}")
    rows = []
    grid = product(tasks, n, p, (0, 1), seeds, variants, budgets, PATTERNS)
    for task, count, share, label, set_seed, variant, budget, pattern in grid:
        orders = order_seeds if pattern == "random" else (None,)
        for order_seed, repeat in product(orders, range(repeats)):
            experiment = Experiment(
                setting, task, "synthetic", count, f"{share:g}", LABELS[task][label], set_seed,
                pattern, order_seed, variant, budget, repeat,
            )  # fmt: skip
            rows.append(_row(experiment, model, dice, chance, invalid, forced))
    return pl.DataFrame(rows, schema=dict(RESULTS_SCHEMA))


def _row(
    experiment: Experiment,
    model: str,
    dice: random.Random,
    chance: Mapping[str, float],
    invalid: float,
    forced: bool,
) -> dict[str, object]:
    labels = LABELS[experiment.task]
    other = labels[1] if experiment.majority_label == labels[0] else labels[0]
    right = dice.random() < chance[experiment.pattern]
    lost = dice.random() < invalid
    outcome = (
        dice.choice(["parsing_issue", "overlong", "invalid_input"])
        if lost
        else ("correct" if right else "mistake")
    )
    predicted = None if lost else (experiment.majority_label if right else other)
    size = abs(dice.gauss(0.4, 0.25))
    margin = size if predicted == labels[1] else -size
    return {
        **experiment.coordinates(),
        "experiment_id": experiment.id,
        "p": float(experiment.p),
        "model": model,
        "answer_mode": "forced" if forced else "generate",
        "outcome": outcome,
        "predicted": predicted,
        "margin": margin if forced and not lost else None,
        "valid": not lost,
        "correct": outcome == "correct",
        "lenient": False,
        "attempts": 3 if lost else 1,
        "finish_reason": "length" if outcome == "overlong" else "stop",
        "input_tokens": experiment.n * 20,
        "output_tokens": 10,
        "reasoning_tokens": None,
        "cost_usd": None,
        "latency_s": 0.5,
        "prompt_sha256": f"{dice.getrandbits(256):064x}",
        "label_mass": 0.02 if forced and not lost else None,
        "labels": list(labels),
        "upstream": None,
        "parameters_sha256": "0" * 64,
        "pool_source": "synthetic",
        "pool_filter": None,
    }


@pytest.fixture(scope="session")
def simulate() -> Simulate:
    """:func:`simulated`, for tests that need their own rows."""
    return simulated
