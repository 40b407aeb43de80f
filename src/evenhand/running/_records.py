"""The records that pass between engine and store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from evenhand.models import ForcedChoice, Usage

AttemptOutcome = Literal[
    "correct", "mistake", "tie", "invalid_input", "parsing_issue", "overlong", "instruction"
]
"""An experiment's outcomes, and ``instruction`` for a first stage that wrote one."""

VALID = frozenset({"correct", "mistake", "tie"})
ANSWERING_STAGE = 2
INSTRUCTION_STAGE = 1


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One finished call of one attempt.

    Attributes:
        experiment_id: Whose.
        attempt: From 1.
        stage: 1 writes the instruction of the ``self`` variant, 2 answers.
        outcome: What the call came to.
        prompt_sha256: Of the messages sent, or that would have been sent.
        predicted: The label, if there is one.
        lenient: Whether the label was read leniently.
        reason: Why there is no answer.
        text: The visible output; None when no call was made.
        counted_tokens: Prompt tokens counted before the call, if they were.
        counted_exactly: Whether the model's own tokenizer counted them.
        cost_usd: As billed, else from the price, else None: unknown.
        instruction: The instruction that the answering stage used.
        error: Why the prompt was refused (``invalid_input``).
        settles: Number of the noted call whose cost this is (:meth:`RunStore.begin_call`).

    The rest is :class:`evenhand.models.Generation`, field by field.
    """

    experiment_id: str
    attempt: int
    stage: int
    outcome: AttemptOutcome
    prompt_sha256: str
    predicted: str | None = None
    lenient: bool = False
    reason: str | None = None
    text: str | None = None
    reasoning: str | None = None
    reasoning_source: str | None = None
    finish_reason: str | None = None
    forced: ForcedChoice | None = None
    counted_tokens: int | None = None
    counted_exactly: bool | None = None
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    latency_s: float | None = None
    upstream: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    instruction: str | None = None
    error: str | None = None
    settles: int | None = None

    @property
    def valid(self) -> bool:
        """Whether the attempt gave a valid output (3.4)."""
        return self.outcome in VALID


@dataclass(frozen=True, slots=True)
class Totals:
    """What a run folder holds so far.

    Attributes:
        experiments: Experiments that are to have an outcome (a rerun replaces its original).
        outcomes: Outcome to number of experiments.
        calls: Calls that came back.
        input_tokens: Billed, where the server said so.
        output_tokens: Billed, reasoning included, where the server said so.
        cost_usd: Sum of the known costs.
        unpriced: Calls whose cost is unknown.
        unsettled: Calls begun at a known price whose cost is not known: lost to a kill, cut on
            the way back, or answered without usage.
        unsettled_usd: What those cost at worst, together.
    """

    experiments: int
    outcomes: Mapping[str, int]
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    unpriced: int
    unsettled: int = 0
    unsettled_usd: float = 0.0

    @property
    def done(self) -> int:
        """Experiments that have an outcome."""
        return sum(self.outcomes.values())

    @property
    def pending(self) -> int:
        """Experiments that have none yet."""
        return self.experiments - self.done
