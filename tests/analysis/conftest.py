"""Frames for the statistics' tests: a few rows written out, or a whole simulated design."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl
import pytest

from evenhand.design import PATTERNS, PRESETS, Experiment, make_plan
from evenhand.results import RESULTS_SCHEMA, VALID_OUTCOMES
from evenhand.tasks import TASKS, load_task

Row = Mapping[str, object]

DEFAULTS: Row = {
    "setting": "core",
    "model": "reader/coin",
    "task": "sentiment",
    "pool": "synthetic",
    "n": 100,
    "p": 0.55,
    "majority_label": "positive",
    "set_seed": 0,
    "pattern": "majority-first",
    "order_seed": None,
    "variant": "standard",
    "output_budget": 20_000,
    "repeat": 0,
    "answer_mode": "generate",
    "outcome": "correct",
    "margin": None,
    "lenient": False,
    "attempts": 1,
    "labels": ["negative", "positive"],
    "pool_source": "generator",
    "pool_filter": "",
}


def _row(index: int, given: Row) -> dict[str, object]:
    row = {**dict.fromkeys(RESULTS_SCHEMA), **DEFAULTS, "experiment_id": f"e{index}", **given}
    outcome, labels, majority = row["outcome"], row["labels"], row["majority_label"]
    assert isinstance(labels, list)
    if "predicted" not in given and outcome in {"correct", "mistake"}:
        other = next(label for label in labels if label != majority)
        row["predicted"] = majority if outcome == "correct" else other
    return row | {"valid": outcome in VALID_OUTCOMES, "correct": outcome == "correct"}


def _table(rows: Sequence[Row]) -> pl.DataFrame:
    return pl.DataFrame(
        [_row(index, row) for index, row in enumerate(rows)], schema=dict(RESULTS_SCHEMA)
    )


def _cell(
    outcomes: str, *, orders: Sequence[int] | None = None, **coordinates: object
) -> list[dict[str, object]]:
    """One row a letter: r(ight), w(rong), t(ie), i(nvalid input), p(arsing), o(verlong).

    Rows are repeats of one order, or have the order seeds given.
    """
    words = {
        "r": "correct",
        "w": "mistake",
        "t": "tie",
        "i": "invalid_input",
        "p": "parsing_issue",
        "o": "overlong",
    }
    rows: list[dict[str, object]] = []
    for index, letter in enumerate(outcomes):
        order = {"repeat": index} if orders is None else {"order_seed": orders[index]}
        rows.append({**order, **coordinates, "outcome": words[letter]})
    return rows


def _preset(
    name: str, outcome: Callable[[Experiment], str], model: str = "reader/rule", **fixed: object
) -> pl.DataFrame:
    tasks = {task: load_task(task) for task in TASKS}
    plan = make_plan(PRESETS[name], tasks, dict.fromkeys(TASKS, "synthetic"))
    return _table(
        [
            {
                **e.coordinates(),
                "experiment_id": e.id,
                "p": float(e.p),
                "model": model,
                "labels": list(tasks[e.task].labels),
                "outcome": outcome(e),
                **fixed,
            }
            for e in plan.experiments
        ]
    )


@pytest.fixture
def table() -> Callable[[Sequence[Row]], pl.DataFrame]:
    """``table(rows)``: a results frame from partial rows."""
    return _table


@pytest.fixture
def cell() -> Callable[..., list[dict[str, object]]]:
    """``cell("rrw", pattern=..., set_seed=...)``: a row for each letter's outcome."""
    return _cell


@pytest.fixture
def preset() -> Callable[..., pl.DataFrame]:
    """``preset("core", rule, model=...)``: every experiment of a preset, answered by a rule."""
    return _preset


@pytest.fixture
def patterns() -> tuple[str, ...]:
    """The seven patterns."""
    return PATTERNS
