"""One replay: from a stored generation to its instances' shares."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.attribution._gradient import contrast
from evenhand.attribution._layers import Memory
from evenhand.attribution._replay import NotReplayableError, Stored, prepare
from evenhand.attribution._shares import shares

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True, slots=True)
class Job:
    """A generation to replay.

    Attributes:
        experiment_id: Whose.
        stored: What was generated.
        golds: Gold label of every instance, in reading order.
        majority_label: The gold answer.
    """

    experiment_id: str
    stored: Stored
    golds: tuple[str, ...]
    majority_label: str


@dataclass(frozen=True, slots=True)
class Options:
    """How replays are computed, the same for a whole folder.

    Attributes:
        memory: What is kept for the way back.
        packed: Both labels in one pass.
        chunk: Tokens read together; None chooses by device.
        max_tokens: Longer replays are left out, and counted; None leaves out those that the
            model's positions do not reach.
    """

    memory: Memory = Memory()  # noqa: RUF009 - frozen
    packed: bool = True
    chunk: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one replay.

    Attributes:
        experiment_id: Whose.
        majority: For each instance, whether it has the majority label.
        reason: Why there is no attribution, or None.
        score: S, oriented from the first label to the second.
        log_probabilities: Of the two label strings.
        tokens: Of the prefix and both labels.
        straddling: Tokens that belong to no instance because they hold characters of two things.
        share: See :class:`evenhand.attribution.Shares`.
        push: Likewise.
        seconds: That the computation took.
    """

    experiment_id: str
    majority: tuple[bool, ...]
    reason: str | None = None
    score: float | None = None
    log_probabilities: tuple[float, float] | None = None
    tokens: int | None = None
    straddling: int | None = None
    share: tuple[float | None, ...] = ()
    push: tuple[float | None, ...] = ()
    seconds: float = 0.0


def replay(model: Any, tokenizer: PreTrainedTokenizerBase, job: Job, options: Options) -> Outcome:
    """Replay one generation; one that cannot be replayed gives its reason.

    Args:
        model: Frozen, see :func:`evenhand.attribution.freeze`.
        tokenizer: The model's.
        job: What to replay.
        options: How.

    Raises:
        EvenhandError: If the model is not supported, or gives no finite numbers.
    """
    started = time.perf_counter()
    majority = tuple(gold == job.majority_label for gold in job.golds)
    try:
        prepared = prepare(tokenizer, job.stored)
        tokens = len(prepared.replay.prefix) + sum(map(len, prepared.replay.labels))
        if options.max_tokens is not None and tokens > options.max_tokens:
            raise NotReplayableError(f"longer than {options.max_tokens:,} tokens")
    except NotReplayableError as error:
        return Outcome(job.experiment_id, majority, reason=str(error))
    found = contrast(
        model, prepared.replay, memory=options.memory, packed=options.packed, chunk=options.chunk
    )
    shared = shares(found.contributions, prepared.instances, job.golds, job.stored.labels)
    return Outcome(
        experiment_id=job.experiment_id,
        majority=majority,
        score=found.score,
        log_probabilities=found.log_probabilities,
        tokens=tokens,
        straddling=prepared.instances.straddling,
        share=shared.share,
        push=shared.push,
        seconds=time.perf_counter() - started,
    )
