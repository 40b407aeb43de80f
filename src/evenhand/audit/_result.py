"""What an audit comes to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from evenhand.audit._statistics import FlipRate
from evenhand.audit._text import FEWEST_ORDERS, NO_ANSWER, audit_text

Verdict = Literal["stable", "order-sensitive", "undecided"]


@dataclass(frozen=True, slots=True)
class OrderAnswer:
    """What one order got.

    Attributes:
        order: Its name.
        first: The answer; None where there is none that can be read.
        second: The answer when asked again; None where it was not, or cannot be read.
        asked_again: Whether it was.
        margin: Of a forced choice: log P(second label) - log P(first label).
        reason: Why the first answer cannot be read.
        also: Patterns (or "reversed") that come to the same order.
    """

    order: str
    first: str | None
    second: str | None
    asked_again: bool
    margin: float | None
    reason: str | None
    also: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """All names of the order."""
        return self.order if not self.also else f"{self.order} (also {', '.join(self.also)})"


@dataclass(frozen=True, slots=True)
class AnswerShare:
    """How often someone with one order would have got an answer (95% Wilson interval).

    Shares are of all orders asked, read or not. Patterns are not counted here, as no table has its
    rows in one of them by chance; where all orders that there are were asked, all of them count,
    and low and high are the share itself.

    Attributes:
        answer: None for "no readable answer".
        orders: Orders that gave it.
        share: Of the orders counted.
        low: 95% interval.
        high: 95% interval.
    """

    answer: str | None
    orders: int
    share: float
    low: float
    high: float

    @property
    def words(self) -> str:
        """The answer, or that there is none."""
        return NO_ANSWER if self.answer is None else self.answer


@dataclass(frozen=True, slots=True)
class Spread:
    """Numbers over orders.

    Attributes:
        lowest: The smallest answer.
        highest: The largest.
        mean: Their mean.
        sd: Their standard deviation over orders.
        repeat_sd: The standard deviation within one order asked twice; None where none was.
    """

    lowest: float
    highest: float
    mean: float
    sd: float
    repeat_sd: float | None


@dataclass(frozen=True, slots=True)
class NextStep:
    """What follows from a verdict: in words, and as a command where there is one to be run."""

    words: str
    command: str | None

    def __str__(self) -> str:
        """The words, and the command on a line of its own."""
        return self.words if self.command is None else f"{self.words}\n  {self.command}"


@dataclass(frozen=True, slots=True)
class Audit:
    """Does the answer depend on row order?

    Attributes:
        verdict: ``stable``, ``order-sensitive`` or ``undecided``.
        sentence: The same with its reason.
        p_value: Of "order does not matter", at the last look; None where nothing was asked twice.
        error_rate: Chance of calling an order-blind model order-sensitive that was accepted, over
            all looks together.
        looks: Looks taken of those planned.
        planned_looks: Looks planned.
        answers: Every order asked.
        shares: Every answer and "no readable answer", the most frequent first.
        flips: Flip rate and noise floor.
        every_order: Whether all orders that the records have were asked; then shares are exact.
        spread: For numbers; None for labels.
        records: Records shown.
        left_out: Records without a usable text, never shown.
        unread: Orders whose reply holds no answer that can be read.
        impossible: Of these, orders whose number cannot be a count of the records: below 0, above
            their number, or not whole.
        pending: Calls without an answer.
        calls: Calls that came back.
        input_tokens: Billed, as far as the server said.
        output_tokens: Likewise.
        cost_usd: Dollars of all calls that came back; None when any part is unknown.
        unsettled: Calls that were lost, cut, or stated no usage: their cost is not known.
        unsettled_usd: What those cost at worst.
        model: Whom was asked.
        ask: The question.
        labels: The labels; empty for a number.
        answer_mode: ``generate`` or ``forced``.
        seed: Of the random orders.
        tolerance: Share of orders that may hide another answer behind ``stable``.
        next_step: What follows from the verdict.
        out: The audit's folder.
        message: Why calls ended early, if they did.
    """

    verdict: Verdict
    sentence: str
    p_value: float | None
    error_rate: float
    looks: int
    planned_looks: int
    answers: tuple[OrderAnswer, ...]
    shares: tuple[AnswerShare, ...]
    flips: FlipRate
    every_order: bool
    spread: Spread | None
    records: int
    left_out: int
    unread: int
    impossible: int
    pending: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    unsettled: int
    unsettled_usd: float
    model: str
    ask: str
    labels: tuple[str, ...]
    answer_mode: str
    seed: int
    tolerance: float
    next_step: NextStep
    out: Path
    message: str | None = None

    @property
    def margin_sign(self) -> str | None:
        """What the sign of a margin says; None where there is none."""
        if all(each.margin is None for each in self.answers):
            return None
        first, second = self.labels
        return (
            f"a margin above 0 is for {second}, one below 0 for {first}: it is the logarithm of "
            f"how many times more likely {second} is"
        )

    @property
    def counted(self) -> int:
        """Orders that the shares rest on."""
        return sum(each.orders for each in self.shares)

    @property
    def shows_shares(self) -> bool:
        """Whether the shares rest on enough orders to be worth showing."""
        return self.every_order or self.counted >= FEWEST_ORDERS

    @property
    def exit_code(self) -> int:
        """0 stable, 3 order-sensitive or undecided."""
        return 0 if self.verdict == "stable" else 3

    def __str__(self) -> str:
        """As the terminal shows it: the verdict first."""
        return audit_text(self)

    def as_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return asdict(self) | {"out": str(self.out)}
