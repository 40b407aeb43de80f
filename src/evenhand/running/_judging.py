"""A workload may judge replies by a rule of its own, and say when it has heard enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from evenhand.design import Experiment
from evenhand.models import Generation
from evenhand.outcomes import Judgement
from evenhand.running._records import AttemptRecord


@runtime_checkable
class JudgesReplies(Protocol):
    """A :class:`~evenhand.running.Work` that does not ask for a majority label.

    Where a workload has this method, it decides what a reply comes to, in both answer modes.
    """

    def judge(self, experiment: Experiment, generation: Generation) -> Judgement:
        """The outcome of one reply."""
        ...


@runtime_checkable
class NamesOutcomes(Protocol):
    """A :class:`~evenhand.running.Work` whose outcomes have other names on the progress line."""

    @property
    def outcome_names(self) -> Mapping[str, str]:
        """Outcome to how it is called; what is not in it keeps its name."""
        ...


@runtime_checkable
class StopsEarly(Protocol):
    """A :class:`~evenhand.running.Work` that may be decided before everything is asked."""

    def enough(self, experiment: Experiment, record: AttemptRecord) -> str | None:
        """Told of every outcome once it is stored; a sentence ends the run, None goes on."""
        ...


@runtime_checkable
class WantsSchema(Protocol):
    """A :class:`~evenhand.running.Work` whose replies should conform to a JSON schema."""

    def schema(self, experiment: Experiment) -> Mapping[str, Any]:
        """The schema of one experiment's reply; servers that take none are sent none."""
        ...
