"""What a caller chooses about a run, and what the run says of itself at the end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from evenhand.errors import UsageError
from evenhand.models import AnswerMode

Stop = Literal["gave_up", "max_cost", "interrupted", "decided"]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run a workload.

    The first four decide what is sent and counted: a folder keeps those that it was begun with.
    The others may differ each time.

    Attributes:
        answer_mode: ``generate`` (the paper's) or ``forced``.
        temperature: 0 in the paper (3.2).
        max_attempts: Attempts an experiment has, the first valid output kept (3.2).
        cache_instruction: For the ``self`` variant, ask once per (task, model, n) for the
            instruction and use it for every experiment, instead of once an attempt.
        concurrency: Calls at once; None starts low, grows, and adapts to rate limits.
        give_up_after_s: Seconds of failing calls, without one success, that end the run.
        max_cost_usd: Most that the run folder may cost in all, calls in flight counted at their
            worst case and those of unknown cost too; None for no limit.
        spent_before_usd: Dollars of other folders that count towards the same limit.
        rerun: ``overlong`` runs again, with the workload's raised output budget, those
            experiments of the folder that came to ``overlong``, and nothing else.
        backoff_s: First wait after a failed call; doubles with every further failure in a row.
        progress: Show progress on stderr.
    """

    answer_mode: AnswerMode = "generate"
    temperature: float = 0.0
    max_attempts: int = 3
    cache_instruction: bool = False
    concurrency: int | None = None
    give_up_after_s: float = 600.0
    max_cost_usd: float | None = None
    spent_before_usd: float = 0.0
    rerun: Literal["overlong"] | None = None
    backoff_s: float = 1.0
    progress: bool = True

    def __post_init__(self) -> None:
        if self.answer_mode not in ("generate", "forced"):
            raise UsageError(f"unknown answer mode {self.answer_mode!r}: use generate or forced")
        if self.rerun not in (None, "overlong"):
            raise UsageError(f"cannot rerun {self.rerun!r}: only overlong experiments can")
        if self.max_attempts < 1:
            raise UsageError(f"max attempts = {self.max_attempts}: use 1 or more")
        if self.concurrency is not None and self.concurrency < 1:
            raise UsageError(f"concurrency = {self.concurrency}: use 1 or more")
        if not self.temperature >= 0:
            raise UsageError(f"temperature = {self.temperature}: use 0 or more")
        if not (self.give_up_after_s > 0 and self.backoff_s > 0):
            raise UsageError("give-up-after and the back-off are seconds above 0")
        if self.max_cost_usd is not None and not self.max_cost_usd >= 0:
            raise UsageError(f"max cost = {self.max_cost_usd}: use 0 dollars or more")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run folder holds when a run ends.

    Attributes:
        experiments: Experiments in the plan.
        done: Those that have an outcome.
        pending: Those that have none; the same command goes on with them.
        outcomes: Outcome to number of experiments.
        calls: Calls that came back, over all runs of the folder.
        input_tokens: Billed, as far as the server said.
        output_tokens: Billed, reasoning included, as far as the server said.
        cost_usd: Money spent; None when the cost of any call is unknown.
        faults: Calls of this run that got no answer.
        wall_s: Seconds this run took.
        unsettled: Calls that were begun at a known price and whose cost is not known: lost to a
            kill, cut on the way back, or answered without usage; over all runs of the folder.
        unsettled_usd: What those cost at worst, together; ``cost_usd`` leaves it out.
        stop: Why the run ended early, if it did: ``gave_up``, ``max_cost``, ``interrupted``,
            or ``decided`` where the workload had heard enough.
        message: The same in a sentence, with what to do next.
    """

    experiments: int
    done: int
    pending: int
    outcomes: Mapping[str, int]
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    faults: int
    wall_s: float
    unsettled: int = 0
    unsettled_usd: float = 0.0
    stop: Stop | None = None
    message: str | None = None

    @property
    def exit_code(self) -> int:
        """0 when every experiment has an outcome, 3 when some are pending."""
        return 3 if self.pending else 0
