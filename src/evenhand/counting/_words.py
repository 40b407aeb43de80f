"""A count in words, as the terminal and Python's ``print`` show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from evenhand.counting._spending import cost_words, lost_calls

if TYPE_CHECKING:
    from evenhand.counting._result import Count

MOST_REASONS = 3
"""Reasons that are named; the ledger has all."""


def count_text(found: Count) -> str:
    """A count as a person reads it: the verdict first; without a line break at the end."""
    lines = [found.sentence]
    lines += [f"  also: {reason}" for reason in found.reasons[1:]]
    if found.message:
        lines.append(found.message)
    width = max(len(each.label) for each in found.labels)
    for each in found.labels:
        span = "" if each.low == each.high else f"  ({each.low:,} to {each.high:,} of all)"
        lines.append(f"  {each.label:{width}}  {each.count:>9,}  {each.share:6.1%}{span}")
    if found.margin:
        lines.append(f"margin: {found.margin}")
    lines += unlabelled_lines(found.unlabelled)
    if found.sure_after is not None:
        lines.append(f"sure after {found.sure_after:,} of {found.records:,} records")
    if found.correction is not None:
        lines.append(
            f"hand-checked: the model agrees on {found.correction.agree:,} of "
            f"{found.correction.checked:,}; corrected shares:"
        )
        lines += [
            f"  {each.label:{width}}  {each.share:6.1%}  ({each.low:.1%} to {each.high:.1%})"
            for each in found.correction.labels
        ]
    if found.agreement is not None:
        lines.append(
            f"asked twice: the same label for {found.agreement.agree:,} of "
            f"{found.agreement.compared:,} records"
        )
    if found.position is not None:
        lines.append(
            f"position in a batch: {'matters' if found.position.matters else 'no effect seen'} "
            f"(p = {found.position.p_value:.2g})"
        )
    lines.append(
        f"calls: {found.calls:,}, input tokens: {found.input_tokens:,}, output tokens: "
        f"{found.output_tokens:,}, cost: {cost_words(found.cost_usd)}"
    )
    lines += lost_calls(found.unsettled, found.unsettled_usd)
    lines.append(f"coverage: {found.certificate}")
    lines.append(f"ledger: {found.ledger}")
    lines.append(f"next: {found.next_step}")
    return "\n".join(lines)


def unlabelled_lines(reasons: Mapping[str, int]) -> list[str]:
    """The commonest reasons why records have no label, with how many each."""
    if not reasons:
        return []
    shown = list(reasons.items())[:MOST_REASONS]
    rest = sum(reasons.values()) - sum(number for _, number in shown)
    if rest:
        shown.append(("for other reasons, which the ledger gives", rest))
    lines = [f"without a label: {sum(reasons.values()):,}"]
    return lines + [f"  {number:>9,}  {reason}" for reason, number in shown]
