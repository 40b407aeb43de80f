"""What is to be replayed, how, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.attribution._layers import Memory
from evenhand.attribution._replay import Stored


@dataclass(frozen=True, slots=True)
class Job:
    """A generation to replay.

    Attributes:
        experiment_id: Whose.
        stored: What was generated.
        golds: Gold label of every instance, in reading order; None where it is unknown.
        majority_label: The gold answer.
    """

    experiment_id: str
    stored: Stored
    golds: tuple[str | None, ...]
    majority_label: str


@dataclass(frozen=True, slots=True)
class Options:
    """How replays are computed, the same for a whole folder.

    Attributes:
        memory: What is kept for the way back.
        packed: Both labels in one pass.
        chunk: Tokens read together; None chooses by device.
        max_tokens: Longer replays are left out, and counted.
        positions: Tokens that the model's positions reach; longer replays are left out, too.
    """

    memory: Memory = Memory()  # noqa: RUF009 - frozen
    packed: bool = True
    chunk: int | None = None
    max_tokens: int | None = None
    positions: int | None = None

    def out_of_reach(self, tokens: int) -> bool:
        """Whether the model's positions do not reach so far."""
        return self.positions is not None and tokens > self.positions

    def too_long(self, tokens: int) -> str | None:
        """Why a replay of so many tokens is left out, or None."""
        if self.out_of_reach(tokens):
            return f"longer than the model's {self.positions:,} positions"
        if self.max_tokens is not None and tokens > self.max_tokens:
            return f"longer than {self.max_tokens:,} tokens"
        return None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one replay.

    Attributes:
        experiment_id: Whose.
        majority: For each instance, whether it has the majority label; None where unknown.
        reason: Why there is no attribution, or None.
        score: S, oriented from the first label to the second.
        log_probabilities: Of the two label strings.
        tokens: Of the prefix and both labels.
        straddling: Tokens that belong to no instance because they hold characters of two things.
        share: See :class:`evenhand.attribution.Shares`.
        push: Likewise.
        seconds: That the computation took.
        over: The ``max_tokens`` that it is longer than, where that is the reason.
        dtype: Number format of the weights, where there is an attribution.
    """

    experiment_id: str
    majority: tuple[bool | None, ...]
    reason: str | None = None
    score: float | None = None
    log_probabilities: tuple[float, float] | None = None
    tokens: int | None = None
    straddling: int | None = None
    share: tuple[float | None, ...] = ()
    push: tuple[float | None, ...] = ()
    seconds: float = 0.0
    over: int | None = None
    dtype: str | None = None
