"""What one attempt leaves in an Inspect sample's metadata, and how a sample is judged from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evenhand.models import Generation
from evenhand.outcomes import Judgement, judge
from evenhand.results import VALID_OUTCOMES, Outcome

ATTEMPTS = "attempts"
"""Key of the attempts in a sample's metadata."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt, as plain values.

    ``text`` is None when there was no reply because the prompt did not fit; ``instruction`` is
    what stage one of the ``self`` variant wrote. Tokens, cost and latency are sums over stages.
    """

    text: str | None
    finish_reason: str | None = None
    reasoning: str | None = None
    reasoning_source: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None
    latency_s: float = 0.0
    prompt_sha256: str | None = None
    instruction: str | None = None
    parameters: Mapping[str, Any] | None = None
    error: str | None = None

    def stored(self) -> dict[str, Any]:
        """The attempt as JSON has it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Decision:
    """What a sample's attempts come to: the first valid one decides, else the last (3.2)."""

    outcome: Outcome
    predicted: str | None
    lenient: bool
    reason: str | None
    attempt: Attempt
    number: int

    @property
    def valid(self) -> bool:
        """Whether the experiment counts as valid."""
        return self.outcome in VALID_OUTCOMES


def from_generations(
    stages: Sequence[Generation], *, prompt_sha256: str, instruction: str | None = None
) -> Attempt:
    """The record of one attempt's calls; the last one answered."""
    last = stages[-1]
    return Attempt(
        text=last.text,
        finish_reason=last.finish_reason,
        reasoning=last.reasoning,
        reasoning_source=last.reasoning_source,
        input_tokens=_sum([stage.usage.input_tokens for stage in stages]),
        output_tokens=_sum([stage.usage.output_tokens for stage in stages]),
        reasoning_tokens=_sum([stage.usage.reasoning_tokens for stage in stages]),
        cost_usd=_sum([stage.cost_usd for stage in stages]),
        latency_s=sum(stage.latency_s for stage in stages),
        prompt_sha256=prompt_sha256,
        instruction=instruction,
        parameters=dict(last.parameters),
    )


def judge_attempt(
    attempt: Attempt, labels: Sequence[str], majority_label: str
) -> tuple[Outcome, Judgement | None]:
    """The outcome of one attempt; no judgement where there was no reply.

    The cap is not looked at again: the adapter has already said ``length`` where it was reached.
    """
    if attempt.text is None:
        return "invalid_input", None
    judged = judge(attempt.text, labels, majority_label, finish_reason=attempt.finish_reason)
    return judged.outcome, judged


def decide(attempts: Sequence[Attempt], labels: Sequence[str], majority_label: str) -> Decision:
    """Judge a sample by its attempts, at least one."""
    for number, attempt in enumerate(attempts, start=1):
        outcome, judged = judge_attempt(attempt, labels, majority_label)
        if outcome in VALID_OUTCOMES or outcome == "invalid_input" or number == len(attempts):
            return Decision(
                outcome=outcome,
                predicted=None if judged is None else judged.predicted,
                lenient=judged is not None and judged.lenient,
                reason=attempt.error if judged is None else judged.reason,
                attempt=attempt,
                number=number,
            )
    raise ValueError("there is no attempt to judge by")


def _sum(values: Sequence[Any]) -> Any:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None
