"""Does a language model count every record equally?

The public names below are loaded when first used, so that ``import evenhand`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from evenhand.analysis import accuracy, best_worst_gap, mentioned_ids
    from evenhand.attribution import attribute
    from evenhand.audit import audit
    from evenhand.counting import count
    from evenhand.design import PATTERNS, arrange, select
    from evenhand.outcomes import parse_answer
    from evenhand.pools import load_pool
    from evenhand.results import results
    from evenhand.running import plan, run
    from evenhand.tasks import load_task

_HOMES = {
    "PATTERNS": "design",
    "accuracy": "analysis",
    "arrange": "design",
    "attribute": "attribution",
    "audit": "audit",
    "best_worst_gap": "analysis",
    "count": "counting",
    "load_pool": "pools",
    "load_task": "tasks",
    "mentioned_ids": "analysis",
    "parse_answer": "outcomes",
    "plan": "running",
    "results": "results",
    "run": "running",
    "select": "design",
}

__all__ = [
    "PATTERNS",
    "accuracy",
    "arrange",
    "attribute",
    "audit",
    "best_worst_gap",
    "count",
    "load_pool",
    "load_task",
    "mentioned_ids",
    "parse_answer",
    "plan",
    "results",
    "run",
    "select",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'evenhand' has no attribute {name!r}")
    home = import_module(f"evenhand.{_HOMES[name]}")
    # A room of the same name can be called, and is what Python gives from the second time on.
    return home if name == _HOMES[name] else getattr(home, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
