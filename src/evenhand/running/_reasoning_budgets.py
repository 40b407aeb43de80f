"""Which experiments of a run gave reasoning a budget of its own, kept with the run's facts.

Where it has one, a model that spends it is made to answer and stays valid (D.1). The results can
say so only if the run does: the catalog that knew may have changed by then.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from evenhand.models import AnswerMode, Model
from evenhand.running._workload import Work

_KEY = "reasoning_budgets"


@runtime_checkable
class _SplitsBudgets(Protocol):
    """A model that may keep reasoning and answer apart, as the HTTP adapter does."""

    def reasoning_budget(self, output_budget: int) -> int | None: ...


def reasoning_budgets(model: Model, mode: AnswerMode, work: Work) -> dict[int, int]:
    """Output budget to the reasoning tokens within it that the answer cannot take, or that cannot
    take the answer's. Output budgets that reasoning and answer share are not in it.

    Raises:
        UsageError: If an output budget of the workload leaves no token for reasoning.
    """
    if mode == "forced" or not isinstance(model, _SplitsBudgets):
        return {}
    asked = {
        budget: model.reasoning_budget(budget)
        for budget in sorted({experiment.output_budget for experiment in work.experiments})
    }
    return {budget: own for budget, own in asked.items() if own is not None}


def note(db: sqlite3.Connection, budgets: Mapping[int, int]) -> None:
    """Add to what the run folder says of its budgets; a rerun brings larger ones."""
    both = {**noted(db), **budgets}
    db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_KEY, json.dumps(both)))


def noted(db: sqlite3.Connection) -> dict[int, int]:
    """What the run folder says; empty for a run that was made before it was noted."""
    row = db.execute("SELECT value FROM meta WHERE key = ?", (_KEY,)).fetchone()
    return {} if row is None else {int(budget): own for budget, own in json.loads(row[0]).items()}
