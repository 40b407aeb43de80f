"""An audit in words: as the terminal prints it, and the sentences that its page shares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.audit._orders import is_pattern, orders_in_words
from evenhand.counting import cost_words, lost_calls

if TYPE_CHECKING:
    from evenhand.audit._result import Audit

NO_ANSWER = "no readable answer"
"""How an order without one is called among the answers."""
FEWEST_ORDERS = 8
"""Fewer orders than two looks of an audit give no share that is worth a percentage: of 7 alike,
the 95% interval still goes down to 65%."""


def audit_text(found: Audit) -> str:
    """An audit as a person reads it: the verdict first."""
    lines = [found.sentence]
    if found.message:
        lines.append(found.message)
    width = max((len(each.name) for each in found.answers), default=0)
    for each in found.answers:
        again = f", asked again: {each.second or 'no answer'}" if each.asked_again else ""
        margin = "" if each.margin is None else f"  (margin {each.margin:+.2f})".replace("-", "−")
        lines.append(f"  {each.name:{width}}  {each.first or each.reason}{again}{margin}")
    if found.margin_sign:
        lines.append(f"  {found.margin_sign}")
    if found.shares:
        lines.append(f"with one order only, you would have got: {rests_on(found)}")
    if found.shows_shares:
        lines += [
            f"  {each.words}: {each.orders} of {found.counted} orders, {each.share:.0%}"
            f"{between(each.low, each.high)}"
            for each in found.shares
        ]
    if found.unread:
        lines.append(f"no readable answer: {unread_words(found)}")
    lines += _flips(found)
    if found.left_out:
        records = "record" if found.left_out == 1 else "records"
        lines.append(f"left out: {found.left_out:,} {records} without a usable text")
    lines.append(
        f"looks: {found.looks} of {found.planned_looks}; calls: {found.calls:,}, input tokens: "
        f"{found.input_tokens:,}, output tokens: {found.output_tokens:,}, cost: "
        f"{cost_words(found.cost_usd)}"
    )
    lines += lost_calls(found.unsettled, found.unsettled_usd)
    lines.append(f"next: {found.next_step}")
    lines.append(f"kept in {found.out}")
    return "\n".join(lines)


def between(low: float, high: float) -> str:
    """`` (25% to 75%)``; nothing where the ends are one, as a share of all orders is exact."""
    return "" if low == high else f" ({low:.0%} to {high:.0%})"


def rests_on(found: Audit) -> str:
    """Which orders the shares rest on, or why there are too few for any."""
    if found.every_order:
        return f"of all {found.counted} orders that there are"
    patterns = sum(is_pattern(each.order) for each in found.answers)
    left_out = "" if not patterns else (
        f"; the {patterns} patterns are left out, as nobody's table has one by chance"
        if patterns > 1
        else "; the pattern is left out, as nobody's table has it by chance"
    )  # fmt: skip
    if found.shows_shares:
        return f"of {found.counted} orders as given, reversed or random{left_out}"
    return (
        f"not shown, as only {found.counted} of the orders asked were as given, reversed or "
        f"random, and fewer than {FEWEST_ORDERS} are too few for a share{left_out}"
    )


def unread_words(found: Audit) -> str:
    """How many orders gave no answer that can be read, impossible counts apart."""
    words = f"{found.unread} of {orders_in_words(len(found.answers))}"
    if not found.impossible:
        return words
    return (
        f"{words}, {found.impossible} of them with an impossible count (below 0, above the "
        f"{found.records:,} records, or no whole number)"
    )


def why_not_twice(found: Audit) -> str:
    """Why there is no noise floor."""
    if not found.flips.orders:
        return "there is no answer that could be compared"
    if found.pending:
        return "some calls got no answer yet"
    if found.unread:
        return (
            f"the {orders_in_words(found.flips.orders)} with a readable answer agreed, and "
            f"{found.unread} had none, so nothing was asked twice"
        )
    return "all answers agreed, so nothing was asked twice"


def _flips(found: Audit) -> list[str]:
    floor = (
        f"not measured: {why_not_twice(found)}"
        if found.flips.noise_floor is None
        else f"{found.flips.noise_floor:.0%} of {orders_in_words(found.flips.repeats)} asked twice"
    )
    rate = (
        "not measured: fewer than two orders have an answer"
        if found.flips.orders < 2
        else f"{found.flips.rate:.0%} of pairs of orders"
        f"{between(found.flips.low, found.flips.high)}"
    )
    lines = [f"flip rate: {rate}; noise floor: {floor}"]
    if found.spread is not None:
        inside = found.spread.repeat_sd
        words = "" if inside is None else f", within one order {inside:.1f}"
        lines.append(
            f"numbers from {found.spread.lowest:g} to {found.spread.highest:g}, mean "
            f"{found.spread.mean:.1f}, standard deviation over orders {found.spread.sd:.1f}{words}"
        )
    return lines
