"""What one experiment showed to the model, made again from the run folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import EvenhandError, UsageError
from evenhand.pools import Instance
from evenhand.prompts import Message, messages_sha256
from evenhand.running import RunStore, open_work


@dataclass(frozen=True, slots=True)
class Arrangement:
    """An experiment's instances in reading order, and its exact messages.

    Attributes:
        experiment_id: Whose.
        instances: In the order in which the model read them; instance k is ``instances[k - 1]``.
            Empty where a plan read from a table did not tell them.
        messages: The exact messages.
        spans: Half-open character range of every instance's text in the last message; empty
            where the instances are unknown.
        prompt_sha256: Of the messages.
        instruction: What stage one wrote (``self``), else None.
    """

    experiment_id: str
    instances: tuple[Instance, ...]
    messages: tuple[Message, ...]
    spans: tuple[tuple[int, int], ...]
    prompt_sha256: str
    instruction: str | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The gold label of every instance in reading order."""
        return tuple(instance.label for instance in self.instances)


def arrangement(path: Path | str, experiment_id: str) -> Arrangement:
    """Make an experiment's prompt again, offline, and check it against the hash of what was sent.

    Args:
        path: A run folder.
        experiment_id: As the results table has it. For the ``self`` variant the prompt is the one
            of the deciding attempt, or of the last one while the experiment is pending.

    Raises:
        UsageError: If there is no such run or experiment, or ``self`` has no instruction yet.
        EvenhandError: If the prompt differs from what was sent.
    """
    with RunStore(Path(path)) as store:
        experiment = store.experiment(experiment_id)
        work = open_work(store, only=experiment)
        sent = store.rows(
            "SELECT prompt_sha256, instruction FROM attempts WHERE experiment_id = ? AND stage = 2 "
            "ORDER BY attempt DESC LIMIT 1",
            (experiment_id,),
        )
        expected = sent[0]["prompt_sha256"] if sent else store.planned_sha256(experiment_id)
        instruction = sent[0]["instruction"] if sent else None
        if work.first_stage(experiment) is not None and instruction is None:
            raise UsageError(
                f"{experiment_id} has no prompt yet: its instruction has not been written"
            )
        prompt = work.prompt(experiment, instruction)
        instances = work.instances(experiment)
        version = store.meta("evenhand")
    sha = messages_sha256(prompt.messages)
    if sha != expected:
        raise EvenhandError(
            f"{experiment_id}: the prompt made again is not the one that was sent. "
            f"{path} was written by evenhand {version}: use that version"
        )
    return Arrangement(
        experiment_id=experiment_id,
        instances=instances,
        messages=prompt.messages,
        spans=prompt.spans,
        prompt_sha256=sha,
        instruction=instruction,
    )
