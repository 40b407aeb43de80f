"""From what the rounds found to the count: verdict, ledger, certificate, costs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from evenhand._write_whole import write_text_whole
from evenhand.counting._agreement import self_agreement
from evenhand.counting._certificate import write_certificate
from evenhand.counting._correction import Correction, codes, correct
from evenhand.counting._counter import Counter
from evenhand.counting._ledger import ledger_frame, write_ledger
from evenhand.counting._next import next_step
from evenhand.counting._one_shot import one_shot_tokens
from evenhand.counting._position import check_position
from evenhand.counting._result import Count, LabelCount
from evenhand.counting._spending import spending
from evenhand.counting._tally import STATUSES, Tally
from evenhand.counting._verdict import (
    Evidence,
    decide,
    label_counts,
    margin_words,
    sentence,
)
from evenhand.models import Model
from evenhand.running import price_of


def conclude(
    counter: Counter, path: str | Path | None, text: str | None, id_column: str | None
) -> Count:
    """The verdict, with ledger and certificate written.

    Args:
        counter: Whose rounds have ended.
        path: The file of the records, if they came from one.
        text: Its text column.
        id_column: Its column of ids.
    """
    setup, tally, labels = counter.setup, counter.tally, counter.labels
    n = len(setup.records)
    statuses: dict[str, int] = {name: tally.with_status(name) for name in STATUSES}
    unread = statuses["unread"]
    unlabelled = n - unread - statuses["labelled"]
    listed = label_counts(tally, labels, unlabelled)
    correction = _correction(counter, listed, n)
    agreement = self_agreement(counter.pairs)
    position = check_position(tally, labels) if setup.batch > 1 else None
    called = counter.rule.winner if counter.rule is not None else None
    evidence = Evidence(
        listed, unlabelled, unread, counter.pending,
        None if called is None else labels[called], correction, agreement, position,
    )  # fmt: skip
    majority, reasons = decide(evidence)
    margin, break_even = margin_words(listed, unread, majority, unlabelled)
    spent = spending(counter.folders())
    one_shot = one_shot_tokens(setup, counter.model, counter.rounds)
    frame = ledger_frame(setup.records, setup.question, tally, counter.rounds, counter.out)
    ledger, ledger_sha = write_ledger(frame, counter.out)
    certificate = write_certificate(
        counter.out, setup, counter.model.name, statuses,
        {each.label: each.count for each in listed}, ledger_sha,
        path=path, text=text, id_column=id_column,
    )  # fmt: skip
    found = Count(
        verdict="undecided" if majority is None else "decided",
        majority=majority,
        reasons=reasons,
        sentence=sentence(majority, reasons, listed, unread, counter.until_sure, correction),
        margin=margin,
        break_even=break_even,
        labels=tuple(listed),
        records=n,
        statuses=statuses,
        unlabelled=tally.commonest_reasons(),
        pending=counter.pending,
        read=n - unread,
        sure_after=None if counter.rule is None else counter.rule.called_after,
        until_sure=counter.until_sure,
        correction=correction,
        agreement=agreement,
        position=position,
        batch=setup.batch,
        calls=spent.calls,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        cost_usd=spent.cost_usd,
        unsettled=spent.unsettled,
        unsettled_usd=spent.unsettled_usd,
        one_shot_input_tokens=one_shot,
        one_shot_cost_usd=_input_cost(one_shot, counter.model),
        certificate=certificate,
        ledger=ledger,
        out=counter.out,
        model=counter.model.name,
        ask=setup.question.ask,
        answer_mode=counter.options.answer_mode,
        next_step=next_step(evidence, statuses, _askable(tally), ledger),
        message=counter.message,
    )
    words = json.dumps(found.as_json(), ensure_ascii=False, indent=2)
    write_text_whole(counter.out / "count.json", words + "\n")
    return found


def _askable(tally: Tally) -> int:
    """Records that were asked and stayed unresolved."""
    return int(((tally.round >= 0) & (tally.status == STATUSES.index("unresolved"))).sum())


def _correction(counter: Counter, listed: Sequence[LabelCount], n: int) -> Correction | None:
    tally, labels = counter.tally, counter.labels
    pairs = [
        (labels[tally.labels[place]], label)
        for place, label in counter.gold.items()
        if tally.labels[place] >= 0
    ]
    if not pairs:
        return None
    return correct(
        codes([given for given, _ in pairs], labels),
        codes([gold for _, gold in pairs], labels),
        [(each.share, each.low / n, each.high / n) for each in listed],
        labels,
        n,
    )


def _input_cost(tokens: int | None, model: Model) -> float | None:
    price = price_of(model)
    if tokens is None or price is None or price.input is None:
        return None
    return tokens * price.input / 1_000_000
