"""A workload whose prompts came ready-made: from a table, or from a run folder that keeps them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from evenhand.design import Experiment, Plan
from evenhand.pools import Instance
from evenhand.prompts import Message, Prompt
from evenhand.running._workload import Snapshot

Fetch = Callable[[str], tuple[tuple[Message, ...], tuple[Instance, ...]]]
"""From an experiment id to its messages and, where known, its instances in reading order."""


@dataclass(frozen=True, slots=True)
class TableTask:
    """What is known of a task whose prompts came ready-made.

    Attributes:
        definition: JSON object that holds at least ``labels``.
        pool: Name of the pool.
        provenance: Of the pool, or of the table.
    """

    definition: str
    pool: str
    provenance: Mapping[str, str]

    @property
    def labels(self) -> tuple[str, str]:
        """The two labels, first and second."""
        first, second = json.loads(self.definition)["labels"]
        return first, second


class TableWork:
    """Experiments with ready-made prompts.

    Args:
        experiments: In the table's order.
        tasks: Of every task that an experiment names.
        hashes: Experiment id to the hash of its messages.
        fetch: Gives the prompt of an experiment; it is asked again each time.
        sizes: Experiment id to the characters of its prompt, where known.
    """

    def __init__(
        self,
        experiments: tuple[Experiment, ...],
        tasks: Mapping[str, TableTask],
        hashes: Mapping[str, str],
        fetch: Fetch,
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        self.plan = Plan(experiments)
        self.experiments = experiments
        self._tasks = tasks
        self._hashes = hashes
        self._fetch = fetch
        self._sizes = sizes or {}

    def labels(self, experiment: Experiment) -> tuple[str, str]:
        """The two labels, first and second, of an experiment's task."""
        return self._tasks[experiment.task].labels

    def first_stage(self, experiment: Experiment) -> None:
        """None: a ready-made prompt is one call."""

    def messages(
        self, experiment: Experiment, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """The exact messages of an experiment."""
        return self._fetch(experiment.id)[0]

    def prompt(self, experiment: Experiment, instruction: str | None = None) -> Prompt:
        """The exact messages; with spans where all ``Instance k:`` lines are found in the last."""
        messages = self._fetch(experiment.id)[0]
        return Prompt(messages, instance_spans(messages[-1].content, experiment.n))

    def instances(self, experiment: Experiment) -> tuple[Instance, ...]:
        """The instances in reading order, their texts cut out of the prompt; empty if unknown."""
        messages, known = self._fetch(experiment.id)
        content = messages[-1].content
        spans = instance_spans(content, experiment.n)
        if len(spans) != len(known):
            return known
        return tuple(
            replace(instance, text=content[start:end])
            for instance, (start, end) in zip(known, spans, strict=True)
        )

    def prompt_sha256(self, experiment: Experiment) -> str:
        """The hash of the exact messages."""
        return self._hashes[experiment.id]

    def characters(self, experiment: Experiment) -> int:
        """Length of the prompt in characters."""
        size = self._sizes.get(experiment.id)
        if size is not None:
            return size
        return sum(len(message.content) for message in self.messages(experiment))

    def shared_characters(self, one: Experiment, other: Experiment) -> int:
        """Length of the common beginning of two prompts in characters, to whole lines."""
        texts = [
            "\n".join(message.content for message in self.messages(experiment))
            for experiment in (one, other)
        ]
        return texts[0].rfind("\n", 0, _common(*texts)) + 1

    def snapshot(self) -> Snapshot:
        """The prompts themselves: nothing else could make them again."""
        return Snapshot(
            kind="table",
            tasks={name: task.definition for name, task in self._tasks.items()},
            pools={name: (task.pool, task.provenance) for name, task in self._tasks.items()},
            prompts=((e.id, *self._fetch(e.id)) for e in self.experiments),
        )


def instance_spans(content: str, n: int) -> tuple[tuple[int, int], ...]:
    """Where the texts of ``Instance 1:`` to ``Instance n:`` stand, each on a line of its own.

    Returns:
        Half-open character ranges, or nothing unless all n are there, in order.
    """
    spans = []
    at = 0
    for k in range(1, n + 1):
        header = f"Instance {k}: "
        found = 0 if k == 1 and content.startswith(header) else content.find(f"\n{header}", at) + 1
        if found == 0 and not (k == 1 and content.startswith(header)):
            return ()
        start = found + len(header)
        end = content.find("\n", start)
        at = len(content) if end < 0 else end
        spans.append((start, at))
    return tuple(spans)


def _common(one: str, other: str) -> int:
    """Length of the common beginning, by halving: comparing slices is fast, characters slow."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
