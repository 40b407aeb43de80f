"""What every model adapter offers, and the records it exchanges with the engine.

An adapter answers one call. It never retries, never parses an answer and knows nothing of
experiments: the engine decides what a failure means from the class of the error raised here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from evenhand.errors import EvenhandError
from evenhand.prompts import Message

AnswerMode = Literal["generate", "forced"]

PARAMETERS_OF_ONE_CALL = frozenset({"seed", "window_room"})
"""Parameters that say something of one call and not of what all calls of a setting ask for: the
repeat's seed, and the tokens that a prompt left free in its window. They are stored; whether two
rows were asked alike does not depend on them."""


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """What one call asks for.

    Attributes:
        output_budget: Cap on output tokens, reasoning included (3.2: 20,000).
        temperature: Sampling temperature (3.2: 0).
        answer_mode: ``generate`` lets the model write; ``forced`` compares the log-probabilities
            of the two ``labels`` after ``{"answer": "`` in the assistant's turn.
        labels: The two labels, in the task's order; needed when ``forced``.
        seed: Passed on where the provider takes one; the repeat index of same-order repeats.
        json_schema: What a written reply should conform to; sent only where the server is known to
            hold replies to a schema.
    """

    output_budget: int = 20_000
    temperature: float = 0.0
    answer_mode: AnswerMode = "generate"
    labels: tuple[str, str] | None = None
    seed: int | None = None
    json_schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider billed them; None where it did not say."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class ForcedChoice:
    """Outcome of comparing the two label strings.

    Attributes:
        label: The likelier label, or None when both are exactly as likely (a tie).
        margin: log P(second label) - log P(first label), natural logarithm.
        label_mass: P(first label) + P(second label), between 0 and 1: how much of the
            model's probability the two labels hold together.
    """

    label: str | None
    margin: float
    label_mass: float


@dataclass(frozen=True, slots=True)
class Generation:
    """One reply, as it came back.

    Attributes:
        text: The visible output, reasoning excluded where the provider separates it.
        finish_reason: ``stop``, ``length``, ``content_filter`` or the provider's own word.
        reasoning: The reasoning trace, or None; ``reasoning_source`` names the field it came
            from (``reasoning``, ``reasoning_content``, ``think_tags``, ``summary``, ...).
        usage: Billed tokens.
        forced: Set when, and only when, the call was a forced choice.
        parameters: What was sent beside the messages, secrets excluded. What differs from
            prompt to prompt stands under a name of :data:`PARAMETERS_OF_ONE_CALL`.
        upstream: Who served the call, where the reply says so: the provider behind a router,
            and the model where it is not the one asked for.
        cost_usd: Cost as the provider states it, else None.
        latency_s: Seconds from sending to the last byte.
    """

    text: str
    finish_reason: str = "stop"
    reasoning: str | None = None
    reasoning_source: str | None = None
    usage: Usage = Usage()
    forced: ForcedChoice | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    upstream: str | None = None
    cost_usd: float | None = None
    latency_s: float = 0.0


@dataclass(frozen=True, slots=True)
class TokenCount:
    """Length of a prompt in tokens; ``exact`` says whether the model's own tokenizer counted."""

    tokens: int
    exact: bool


@runtime_checkable
class Model(Protocol):
    """The one protocol of every adapter."""

    @property
    def name(self) -> str:
        """Full name, ``provider/model``, as the results table shows it."""
        ...

    @property
    def context_window(self) -> int | None:
        """Tokens of input and output together, or None when unknown."""
        ...

    @property
    def max_concurrency(self) -> int | None:
        """Calls that can run at once (1 in process), or None for no limit of its own."""
        ...

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """Answer once, or raise one of the errors below."""
        ...

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        """Count, or estimate, the prompt's tokens without calling anything."""
        ...

    async def aclose(self) -> None:
        """Free connections or memory."""
        ...


class ModelError(EvenhandError):
    """A call got no answer. Never an outcome: the experiment stays pending."""


class TransientError(ModelError):
    """Worth trying again later: rate limits, server faults, cut connections, broken bodies.

    ``retry_after`` is the server's wish in seconds, or None. ``may_cost`` says whether the server
    may charge for the call all the same: it had taken the prompt and did not refuse it, but its
    answer never came, or came broken.
    """

    def __init__(
        self, message: str, *, retry_after: float | None = None, may_cost: bool = False
    ) -> None:
        super().__init__(message)
        self.retry_after = retry_after
        self.may_cost = may_cost


class ContextOverflowError(ModelError):
    """The prompt does not fit the model's window: outcome ``invalid_input``, no retry."""


class ParameterRefusedError(ModelError):
    """The server does not accept a parameter; the message names it and the setting to change."""


class AccessRefusedError(ModelError):
    """Key, credit, permission or model name refused (401, 402, 403, 404): stop at once."""
