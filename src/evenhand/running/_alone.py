"""Every instance of a pool, asked for alone: what the solvable-alone filter runs (C.1)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from evenhand.design import Experiment
from evenhand.errors import UsageError
from evenhand.models import Generation, GenerationSettings, Model, TokenCount
from evenhand.outcomes import Judgement, judge, judge_number, parse_answer
from evenhand.pools import Instance, Pool
from evenhand.prompts import Message, Prompt, fold, messages_sha256, render_alone
from evenhand.running._workload import Snapshot
from evenhand.tasks import Task

SETTING = "alone"
_HEADER = "Instance 1: "


class AloneWork:
    """A workload of one experiment an instance.

    An instance asked for alone is an instance set of one: n = 1, p = 1, its label the majority
    label. ``set_seed`` is its place in the pool by id, so that experiment ids do not depend on the
    pool's order. A task whose ``alone`` answer is a number is judged by the exact number.

    Args:
        task: The task.
        pool: Its pool.
        output_budget: Output tokens allowed for each instance.

    Raises:
        UsageError: If the task asks for numbers and an instance has none.
    """

    def __init__(self, task: Task, pool: Pool, output_budget: int) -> None:
        self.task = task
        self.pool = pool
        self._instances = tuple(sorted(pool.instances, key=lambda instance: instance.id))
        if task.alone.answer == "number":
            without = [i.id for i in self._instances if i.answer is None]
            if without:
                raise UsageError(
                    f"task {task.name} asks for exact numbers and {len(without):,} instances of "
                    f'pool {pool.name} have none, such as {without[0]}: set answer = "label" '
                    "under [alone] in the task file"
                )
        self.experiments = tuple(
            Experiment(
                setting=SETTING,
                task=task.name,
                pool=pool.name,
                n=1,
                p="1",
                majority_label=instance.label,
                set_seed=place,
                pattern="random",
                order_seed=0,
                variant="standard",
                output_budget=output_budget,
            )
            for place, instance in enumerate(self._instances)
        )

    def instance(self, experiment: Experiment) -> Instance:
        """The instance that an experiment asks for."""
        return self._instances[experiment.set_seed]

    def labels(self, experiment: Experiment) -> tuple[str, str]:
        """The task's two labels."""
        return self.task.labels

    def first_stage(self, experiment: Experiment) -> None:
        """None: one call each."""

    def prompt(self, experiment: Experiment, instruction: str | None = None) -> Prompt:
        """The exact message."""
        return render_alone(self.task, self.instance(experiment))

    def instances(self, experiment: Experiment) -> tuple[Instance, ...]:
        """The one instance."""
        return (self.instance(experiment),)

    def prompt_sha256(self, experiment: Experiment) -> str:
        """SHA-256 of the exact message."""
        return messages_sha256(self.prompt(experiment).messages)

    def characters(self, experiment: Experiment) -> int:
        """Length of the prompt in characters."""
        return len(self.prompt(experiment).messages[-1].content)

    def shared_characters(self, one: Experiment, other: Experiment) -> int:
        """Length of what every prompt begins with."""
        return self.prompt(one).spans[0][0]

    def snapshot(self) -> Snapshot:
        """The ready-made prompts, one an instance."""
        return Snapshot(
            kind="table",
            tasks={self.task.name: json.dumps(self.task.model_dump(mode="json"), sort_keys=True)},
            pools={self.task.name: (self.pool.name, dict(self.pool.provenance))},
            prompts=((e.id, self.prompt(e).messages, self.instances(e)) for e in self.experiments),
        )

    def judge(self, experiment: Experiment, generation: Generation) -> Judgement:
        """By the exact number where the task has one, else by the label."""
        exact = self.instance(experiment).answer
        if self.task.alone.answer == "number" and exact is not None:
            return judge_number(
                generation.text,
                exact,
                finish_reason=generation.finish_reason,
                output_tokens=generation.usage.output_tokens,
                output_budget=experiment.output_budget,
            )
        return judge(
            generation.text,
            self.task.labels,
            experiment.majority_label,
            finish_reason=generation.finish_reason,
            output_tokens=generation.usage.output_tokens,
            output_budget=experiment.output_budget,
        )


class CountingReader:
    """A simulated reader that is asked for numbers: right where it would give the right label.

    Readers know labels only. This one answers with the instance's exact number where its reader
    gives the instance's label, and with the next number where it does not.

    Args:
        reader: A model that answers prompts of one instance with a label.
        labels: The task's labels.
        instances: Whose numbers it knows.
    """

    def __init__(
        self, reader: Model, labels: tuple[str, str], instances: Sequence[Instance]
    ) -> None:
        self._reader = reader
        self._labels = labels
        self._by_text = {fold(instance.text): instance for instance in instances}

    @property
    def name(self) -> str:
        """The reader's."""
        return self._reader.name

    @property
    def context_window(self) -> int | None:
        """The reader's."""
        return self._reader.context_window

    @property
    def max_concurrency(self) -> int | None:
        """The reader's."""
        return self._reader.max_concurrency

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """Answer with a number."""
        told = await self._reader.generate(messages, replace(settings, labels=self._labels))
        instance = self._by_text[messages[-1].content.rpartition(_HEADER)[2]]
        right = parse_answer(told.text, self._labels).label == instance.label
        number = (instance.answer or 0) + (0 if right else 1)
        return replace(told, text=json.dumps({"answer": number}), reasoning=None)

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        """The reader's."""
        return self._reader.count_tokens(messages)

    async def aclose(self) -> None:
        """Close the reader."""
        await self._reader.aclose()
