"""A workload may judge replies by a rule of its own."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from evenhand.design import Experiment
from evenhand.models import Generation
from evenhand.outcomes import Judgement


@runtime_checkable
class JudgesReplies(Protocol):
    """A :class:`~evenhand.running.Work` that does not ask for a majority label.

    Where a workload has this method, it decides what a reply comes to, in both answer modes.
    """

    def judge(self, experiment: Experiment, generation: Generation) -> Judgement:
        """The outcome of one reply."""
        ...
