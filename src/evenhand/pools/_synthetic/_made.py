"""What a generator hands back for one label and one sequence of draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evenhand.pools._synthetic._draw import Draws


@dataclass(frozen=True, slots=True)
class Made:
    """One text, and the exact number behind its label where the task has one."""

    text: str
    answer: int | None = None


Maker = Callable[[str, Draws], Made]
