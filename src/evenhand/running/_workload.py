"""What a run has to do: experiments, and the exact messages of each, made when needed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from evenhand.design import Experiment, Plan
from evenhand.errors import UsageError
from evenhand.pools import Instance, Pool
from evenhand.prompts import Message, Prompt, messages_sha256, render, self_instruction_prompt
from evenhand.running._deck import Deck
from evenhand.tasks import Task


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a run folder keeps so that every prompt can be made again offline.

    Attributes:
        kind: ``pools`` when prompts are rendered from instances, ``table`` when they came ready.
        tasks: Task name to its definition (JSON).
        pools: Task name to the pool's name and provenance.
        instances: Task name and instance, of the instances used, each once.
        prompts: Experiment id, messages and instances (where known), for ready-made prompts only.
        may_differ: Settings with which the folder may be gone on although they have changed.
    """

    kind: str
    tasks: Mapping[str, str]
    pools: Mapping[str, tuple[str, Mapping[str, str]]]
    instances: Iterable[tuple[str, Instance]] = ()
    prompts: Iterable[tuple[str, tuple[Message, ...], tuple[Instance, ...]]] = ()
    may_differ: frozenset[str] = frozenset()


class Work(Protocol):
    """What the engine needs of a workload, whether rendered from pools or read from a table."""

    @property
    def experiments(self) -> tuple[Experiment, ...]:
        """The experiments, in the plan's order."""
        ...

    def labels(self, experiment: Experiment) -> tuple[str, str]:
        """The two labels, first and second, of an experiment's task."""
        ...

    def first_stage(self, experiment: Experiment) -> tuple[Message, ...] | None:
        """The messages that ask for an instruction (``self``), or None for one-call variants."""
        ...

    def prompt(self, experiment: Experiment, instruction: str | None = None) -> Prompt:
        """The exact messages of an experiment, with the instances' spans where known."""
        ...

    def instances(self, experiment: Experiment) -> tuple[Instance, ...]:
        """The instances in reading order; empty where a table did not tell them."""
        ...

    def prompt_sha256(self, experiment: Experiment) -> str:
        """Planned hash: of the exact messages, or for ``self`` of both stages' fixed parts."""
        ...

    def characters(self, experiment: Experiment) -> int:
        """Length of the prompt in characters."""
        ...

    def shared_characters(self, one: Experiment, other: Experiment) -> int:
        """Length of the common beginning of two prompts in characters, to whole lines."""
        ...

    def snapshot(self) -> Snapshot:
        """What the run folder has to keep."""
        ...


@runtime_checkable
class WritesMessages(Protocol):
    """A :class:`Work` that can make the messages faster than the whole prompt with its spans."""

    def messages(
        self, experiment: Experiment, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """The exact messages of an experiment."""
        ...


def messages_of(
    work: Work, experiment: Experiment, instruction: str | None = None
) -> tuple[Message, ...]:
    """The exact messages of an experiment, the fastest way that its workload knows."""
    if isinstance(work, WritesMessages):
        return work.messages(experiment, instruction)
    return work.prompt(experiment, instruction).messages


class Workload:
    """A plan with the tasks and pools that it names.

    Prompts are rendered when asked for and never kept: a plan of 30,000 prompts of 250 KB
    needs no more memory than its instances.

    Args:
        plan: The experiments.
        tasks: Task name to task.
        pools: Task name to the pool its sets are drawn from.

    Raises:
        UsageError: If a task or pool is missing, or a pool is too small for the plan.
    """

    def __init__(self, plan: Plan, tasks: Mapping[str, Task], pools: Mapping[str, Pool]) -> None:
        self.plan = plan
        by_task: dict[str, list[Experiment]] = {}
        for experiment in plan.experiments:
            by_task.setdefault(experiment.task, []).append(experiment)
        for what, known in (("task", tasks), ("pool", pools)):
            missing = [name for name in by_task if name not in known]
            if missing:
                raise UsageError(
                    f"the plan needs a {what} for {', '.join(missing)}: none was given"
                )
        self._decks = {
            name: Deck(tasks[name], pools[name], experiments)
            for name, experiments in by_task.items()
        }

    @property
    def experiments(self) -> tuple[Experiment, ...]:
        """The experiments, in the plan's order."""
        return self.plan.experiments

    @property
    def tasks(self) -> dict[str, Task]:
        """The tasks that the plan uses."""
        return {name: deck.task for name, deck in self._decks.items()}

    def labels(self, experiment: Experiment) -> tuple[str, str]:
        """The two labels, first and second, of an experiment's task."""
        return self._decks[experiment.task].task.labels

    def first_stage(self, experiment: Experiment) -> tuple[Message, ...] | None:
        """The messages that ask for an instruction (B.2.3), or None for one-call variants."""
        if experiment.base_variant != "self":
            return None
        return self_instruction_prompt(self._decks[experiment.task].task, experiment.n)

    def messages(
        self, experiment: Experiment, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """The exact messages of an experiment; faster than :meth:`prompt`, without the spans.

        Args:
            experiment: One of the plan's.
            instruction: What stage one wrote; for the ``self`` variant only.
        """
        return self._decks[experiment.task].messages(experiment, instruction)

    def prompt(self, experiment: Experiment, instruction: str | None = None) -> Prompt:
        """The exact messages of an experiment, with every instance's place.

        Args:
            experiment: One of the plan's.
            instruction: What stage one wrote; for the ``self`` variant only.
        """
        deck = self._decks[experiment.task]
        return render(
            deck.task,
            deck.arranged(experiment),
            experiment.base_variant,
            swapped=experiment.swapped,
            instruction=instruction,
        )

    def instances(self, experiment: Experiment) -> tuple[Instance, ...]:
        """The instances of an experiment in reading order."""
        return tuple(self._decks[experiment.task].arranged(experiment))

    def prompt_sha256(self, experiment: Experiment) -> str:
        """SHA-256 of the exact messages; for ``self``, of both stages' parts known beforehand."""
        planned = self._decks[experiment.task].sha256(experiment)
        first = self.first_stage(experiment)
        if first is None:
            return planned
        return messages_sha256([*first, Message("user", planned)])

    def characters(self, experiment: Experiment) -> int:
        """Length of the prompt in characters."""
        return self._decks[experiment.task].characters(experiment)

    def shared_characters(self, one: Experiment, other: Experiment) -> int:
        """Length of the common beginning of two prompts in characters, to whole lines."""
        if one.task != other.task:
            return 0
        return self._decks[one.task].shared_characters(one, other)

    def snapshot(self) -> Snapshot:
        """What the run folder has to keep."""
        decks = self._decks
        return Snapshot(
            kind="pools",
            tasks={name: _canonical(deck.task) for name, deck in decks.items()},
            pools={name: (d.pool.name, dict(d.pool.provenance)) for name, d in decks.items()},
            instances=((name, i) for name, deck in decks.items() for i in deck.instances),
        )


def _canonical(task: Task) -> str:
    return json.dumps(task.model_dump(mode="json"), ensure_ascii=False, sort_keys=True)
