"""Orders of the same records as a workload of the run engine."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal

from evenhand.audit._orders import Order
from evenhand.audit._prompt import render_all
from evenhand.counting import Records
from evenhand.design import Experiment
from evenhand.models import Generation
from evenhand.outcomes import Judgement, judge_number, parse_answer, unanswered
from evenhand.pools import Instance
from evenhand.prompts import Message, Prompt, messages_sha256
from evenhand.running import Snapshot

TASK = "records"
TIE = "tie"
IMPOSSIBLE = "impossible count"
"""How the reason begins where a number cannot be a count of the records."""
_NAMES = {
    "correct": "answered",
    "parsing_issue": "unreadable",
    "overlong": "cut off",
    "invalid_input": "too long for the model",
}


class OrderWork:
    """A workload of one experiment an order; ``order_seed`` is the order's number.

    Args:
        ask: The question.
        labels: The labels; empty for a question that asks for a number.
        records: All records.
        orders: Number of the order in the audit, and the order.
        repeat: 0 for the first time an order is asked, 1 for the second.
        output_budget: Output tokens allowed.
    """

    def __init__(
        self,
        ask: str,
        labels: tuple[str, ...],
        records: Records,
        orders: Sequence[tuple[int, Order]],
        repeat: int,
        output_budget: int,
    ) -> None:
        self.ask = ask
        self.asked_labels = labels
        self.records = records
        self._orders = dict(orders)
        self.experiments = tuple(
            Experiment(
                setting="audit",
                task=TASK,
                pool="table",
                n=len(order.places),
                p="1",
                majority_label="none",
                set_seed=0,
                pattern="random",
                order_seed=number,
                variant="standard",
                output_budget=output_budget,
                repeat=repeat,
            )
            for number, order in orders
        )

    @property
    def outcome_names(self) -> dict[str, str]:
        """What an outcome is called while it runs: there is no right answer to be met."""
        return _NAMES

    def labels(self, experiment: Experiment) -> tuple[str, str]:
        """The two labels of a forced choice."""
        first, second, *_ = self.asked_labels
        return first, second

    def first_stage(self, experiment: Experiment) -> None:
        """None: one call each."""

    def messages(
        self, experiment: Experiment, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """The exact message."""
        return self.prompt(experiment).messages

    def prompt(self, experiment: Experiment, instruction: str | None = None) -> Prompt:
        """The exact message, with every record's span."""
        order = self._orders[experiment.order_seed or 0]
        texts = [self.records.line(place) for place in order.places]
        return render_all(self.ask, self.asked_labels, texts)

    def instances(self, experiment: Experiment) -> tuple[Instance, ...]:
        """None are told: labels need not be known."""
        return ()

    def prompt_sha256(self, experiment: Experiment) -> str:
        """SHA-256 of the exact message."""
        return messages_sha256(self.messages(experiment))

    def characters(self, experiment: Experiment) -> int:
        """Length of the prompt in characters."""
        return len(self.messages(experiment)[0].content)

    def shared_characters(self, one: Experiment, other: Experiment) -> int:
        """Length of what every prompt begins with."""
        return len(render_all(self.ask, self.asked_labels, ("",)).messages[0].content)

    def snapshot(self) -> Snapshot:
        """The question, and the ready-made prompts."""
        definition = {"ask": self.ask, "labels": list(self.asked_labels)}
        return Snapshot(
            kind="orders",
            tasks={TASK: json.dumps(definition, ensure_ascii=False, sort_keys=True)},
            pools={
                TASK: (
                    "table",
                    {"source": self.records.source, "records_sha256": self.records.digest},
                )
            },
            prompts=((e.id, self.messages(e), ()) for e in self.experiments),
        )

    def judge(self, experiment: Experiment, generation: Generation) -> Judgement:
        """The answer: a label, a tie or a number. There is no right one here."""
        if generation.forced is not None:
            label = generation.forced.label
            return Judgement("tie") if label is None else Judgement("correct", label)
        budget = {
            "finish_reason": generation.finish_reason,
            "output_tokens": generation.usage.output_tokens,
            "output_budget": experiment.output_budget,
        }
        if not self.asked_labels:
            found = judge_number(generation.text, 0, **budget)  # type: ignore[arg-type]
            if not found.valid:
                return found
            wrong = _impossible(found.predicted, experiment.n)
            if wrong:
                return Judgement("parsing_issue", reason=f"{IMPOSSIBLE}: {wrong}")
            return Judgement("correct", found.predicted, lenient=found.lenient)
        parsed = parse_answer(generation.text, self.asked_labels, generation.finish_reason)
        if parsed.tie:
            return Judgement("tie")
        if parsed.label is not None:
            return Judgement("correct", parsed.label, lenient=parsed.lenient)
        words = "no JSON answer with one of the labels, or -1"
        return unanswered(generation.text, words, **budget)  # type: ignore[arg-type]


def _impossible(number: str | None, records: int) -> str | None:
    """Why a number cannot be how many of the records there are; None where it can."""
    value = Decimal(number or "NaN")
    if value < 0:
        return f"{number} is below 0".replace("-", "−")
    if value > records:
        return f"{number} of {records:,} records"
    return None if value == value.to_integral_value() else f"{number} is no whole number"
