"""From a reply to the outcome of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evenhand.errors import UsageError
from evenhand.outcomes._finish import was_cut, was_filtered
from evenhand.outcomes._parse import parse_answer

AnswerOutcome = Literal["correct", "mistake", "tie", "parsing_issue", "overlong"]
"""The outcomes that a reply can have; ``invalid_input`` means that there was no reply."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Outcome of one reply.

    Attributes:
        outcome: ``correct``, ``mistake``, ``tie``, ``parsing_issue`` or ``overlong``.
        predicted: The label, None unless ``correct`` or ``mistake``.
        lenient: Whether the label was a bare last line instead of JSON.
        reason: Why there is no answer, in words; None while there is one.
    """

    outcome: AnswerOutcome
    predicted: str | None = None
    lenient: bool = False
    reason: str | None = None

    @property
    def valid(self) -> bool:
        """Whether the experiment counts as valid; a tie does (3.4)."""
        return self.outcome in ("correct", "mistake", "tie")


def judge(
    text: str,
    labels: Sequence[str],
    majority_label: str,
    *,
    finish_reason: str | None = "stop",
    output_tokens: int | None = None,
    output_budget: int | None = None,
) -> Judgement:
    """Judge one reply (3.4, D.1).

    A reply without an answer that used up its budget is overlong even where the provider did
    not say that it cut it. A complete answer stands although the budget is used up: providers
    that keep tokens back for the answer end so (3.2).

    Args:
        text: The visible reply.
        labels: The labels of the task.
        majority_label: The gold label.
        finish_reason: How the reply ended, in the provider's word.
        output_tokens: Tokens billed for the output, reasoning included, if known.
        output_budget: Tokens that were allowed.

    Returns:
        The outcome.

    Raises:
        UsageError: If ``majority_label`` is not a label, or the labels cannot be told apart.
    """
    if majority_label not in labels:
        raise UsageError(
            f"majority label {majority_label!r} is not a label of this task: "
            f"use one of {', '.join(labels)}"
        )
    parsed = parse_answer(text, labels, finish_reason)
    if parsed.tie:
        return Judgement("tie")
    if parsed.label is not None:
        outcome: AnswerOutcome = "correct" if parsed.label == majority_label else "mistake"
        return Judgement(outcome, parsed.label, lenient=parsed.lenient)
    return unanswered(
        text,
        "no JSON answer with one of the labels, or -1",
        finish_reason=finish_reason,
        output_tokens=output_tokens,
        output_budget=output_budget,
    )


def unanswered(
    text: str,
    reason: str,
    *,
    finish_reason: str | None,
    output_tokens: int | None,
    output_budget: int | None,
) -> Judgement:
    """Why a reply holds no answer: cut, out of budget, stopped, empty, or else ``reason``."""
    if was_cut(finish_reason):
        return Judgement("overlong", reason=f"the reply was cut ({finish_reason})")
    if output_tokens is not None and output_budget is not None and output_tokens >= output_budget:
        used = f"no answer within the budget of {output_budget:,} tokens"
        return Judgement("overlong", reason=used)
    if was_filtered(finish_reason):
        return Judgement("parsing_issue", reason=f"the reply was stopped ({finish_reason})")
    if not text.strip():
        return Judgement("parsing_issue", reason="the reply is empty")
    return Judgement("parsing_issue", reason=reason)


def judge_forced(label: str | None, majority_label: str) -> Judgement:
    """Judge a forced choice; None, both labels exactly as likely, is a tie."""
    if label is None:
        return Judgement("tie")
    return Judgement("correct" if label == majority_label else "mistake", label)
