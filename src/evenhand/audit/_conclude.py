"""The result of an audit: the verdict and what it rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from evenhand.audit._answers import answer_shares, number_spread
from evenhand.audit._auditor import Auditor
from evenhand.audit._next import Origin, next_step
from evenhand.audit._orders import is_pattern, is_random, orders_in_words
from evenhand.audit._result import Audit, OrderAnswer, Verdict
from evenhand.audit._statistics import flip_rate_of_orders
from evenhand.audit._work import IMPOSSIBLE
from evenhand.counting import spending


def conclude(auditor: Auditor, origin: Origin) -> Audit:
    """The verdict and what it rests on."""
    setup = auditor.setup
    firsts = auditor.firsts()
    codes = [auditor.code(answer) for answer in firsts.values()]
    pairs = auditor.pairs()
    verdict, words = _verdict(auditor, firsts)
    spent = spending(setup.folders())
    every = len(auditor.replied()) == setup.there_are
    return Audit(
        verdict=verdict,
        sentence=words,
        p_value=auditor.p_value,
        error_rate=setup.error_rate,
        looks=auditor.looks,
        planned_looks=len(setup.looks()),
        answers=tuple(_answer(auditor, number) for number in range(auditor.asked)),
        shares=answer_shares(
            [
                firsts.get(number)
                for number in auditor.replied()
                if every or not is_pattern(setup.orders[number].name)
            ],
            exact=every,
        ),
        flips=flip_rate_of_orders(
            codes,
            pairs,
            drawn=sum(is_random(setup.orders[number]) for number in firsts),
            exact=len(firsts) == setup.there_are,
        ),
        every_order=every,
        spread=None if setup.labels or not codes else number_spread(codes, pairs),
        records=len(setup.orders[0].places),
        left_out=setup.left_out,
        unread=len(auditor.replied()) - len(firsts),
        impossible=_impossible(auditor),
        pending=auditor.pending,
        calls=spent.calls,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cost_usd=spent.cost_usd,
        unsettled=spent.unsettled,
        unsettled_usd=spent.unsettled_usd,
        model=setup.model.name,
        ask=setup.ask,
        labels=setup.labels,
        answer_mode=setup.options.answer_mode,
        seed=setup.seed,
        tolerance=setup.tolerance,
        next_step=next_step(auditor, origin, verdict),
        out=setup.out,
        message=auditor.message,
    )


def _answer(auditor: Auditor, number: int) -> OrderAnswer:
    first, margin, reason = auditor.found.get((number, 0), (None, None, "no answer yet"))
    second = auditor.found.get((number, 1), (None, None, None))[0]
    again = (number, 1) in auditor.found
    order = auditor.setup.orders[number]
    return OrderAnswer(
        order.name, first, second, again, margin, None if first else reason, order.also
    )


def _impossible(auditor: Auditor) -> int:
    return sum(
        (reason or "").startswith(IMPOSSIBLE)
        for (_, repeat), (answer, _, reason) in auditor.found.items()
        if not repeat and answer is None
    )


def _verdict(auditor: Auditor, firsts: Mapping[int, str]) -> tuple[Verdict, str]:
    if auditor.pending:
        calls = "1 call" if auditor.pending == 1 else f"{auditor.pending} calls"
        return "undecided", f"Undecided: {calls} got no answer yet."
    unread = len(auditor.replied()) - len(firsts)
    if not firsts:
        why = next((reason for *_, reason in auditor.found.values() if reason), "unknown")
        return "undecided", (
            f"Undecided: no answer of {orders_in_words(auditor.asked)} could be read ({why})."
        )
    common, most = Counter(firsts.values()).most_common(1)[0]
    if len(set(firsts.values())) == 1:
        share = auditor.unseen(firsts)
        if unread:
            return "undecided", (
                f"Undecided: {orders_in_words(len(firsts))} answered {common}, and {unread} gave "
                "no answer that can be read."
            )
        if share > auditor.setup.tolerance:
            return "undecided", (
                f"Undecided: all {len(firsts)} orders answered {common}, but so few random "
                f"ones leave room for another answer from up to {share:.0%} of orders: ask "
                "for more orders."
            )
        if not share:
            return "stable", (
                f"Stable: all {len(firsts)} orders that there are answered {common}. Stable "
                "does not mean right."
            )
        return "stable", (
            f"Stable: all {len(firsts)} orders answered {common}; at most {share:.0%} of all "
            "orders can give another answer (95%). Stable does not mean right."
        )
    p = auditor.p_value if auditor.p_value is not None else 1.0
    differ = f"{most} of {auditor.asked} orders answered {common}, the others did not"
    if unread:
        differ = (
            f"{most} of {auditor.asked} orders answered {common}, {len(firsts) - most} did not, "
            f"and {unread} gave no answer that can be read"
        )
    if not auditor.setup.labels:
        numbers = sorted(firsts.values(), key=float)
        differ = f"{len(firsts)} orders gave numbers from {numbers[0]} to {numbers[-1]}"
        if unread:
            differ += f", {unread} gave no answer that can be read"
    if p <= auditor.level:
        return "order-sensitive", (
            f"Order-sensitive: {differ}, and an order asked twice repeats itself more than "
            f"chance (p = {p:.2g})."
        )
    return "undecided", (
        f"Undecided: {differ}, but answers also change when one order is asked twice, or too "
        f"few differ (p = {p:.2g})."
    )
