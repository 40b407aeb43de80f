"""What to do after an audit, with the command spelled out."""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import dataclass

from evenhand.audit._auditor import Auditor, Setup
from evenhand.audit._orders import MOST_ORDERS, is_pattern, is_random
from evenhand.audit._result import NextStep, Verdict
from evenhand.audit._statistics import LEVEL

RECORD_QUESTION, RECORD_LABELS = "Does it mention delivery?", ("yes", "no")
"""An example of a question about one record, for an audit whose question was about all."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What an audit was called with, as it came.

    Attributes:
        table: The file of the records; None for a list or a frame.
        text: The column of the texts.
        gold: The column of labels.
        model: The model's name, with an address where one was given.
        models: The catalog file.
    """

    table: str | None
    text: str | None
    gold: str | None
    model: str
    models: str | None


def next_step(auditor: Auditor, origin: Origin, verdict: Verdict) -> NextStep:
    """What follows from a verdict.

    Args:
        auditor: After its last round.
        origin: What the audit was called with.
        verdict: Its verdict.
    """
    firsts = auditor.firsts()
    count = count_command(auditor.setup, origin)
    if verdict == "stable":
        answer = next(iter(firsts.values()))
        return NextStep(
            f"stable does not prove that {answer} is right: a model that says {answer} whatever it "
            f"reads is stable too. {_count_words(auditor.setup)}",
            count,
        )
    if verdict == "order-sensitive":
        return NextStep(
            "do not rely on one order, whichever it is. " + _count_words(auditor.setup), count
        )
    if auditor.pending:
        return NextStep("the same command goes on where it stopped.", None)
    if len(firsts) < auditor.asked:
        folder = next(
            each.folder
            for start, end in auditor.setup.looks()
            if (each := auditor.setup.round(start, end, repeat=0))
            and not set(range(start, end)) <= set(firsts)
        )
        return NextStep(
            "see in the replies why some cannot be read, in Python as below; a larger --budget or "
            "another model may help.",
            f"evenhand.results.attempts({str(folder)!r})['text'].to_list()",
        )
    if auditor.differ():
        plain = sum(not is_pattern(order.name) for order in auditor.setup.orders)
        more = min(2 * plain, MOST_ORDERS)
        return NextStep(
            f"more orders (--orders {more}) tell noise from order better. "
            + _count_words(auditor.setup),
            count,
        )
    return NextStep(f"ask for more orders: --orders {_enough(auditor.setup)}.", None)


def count_command(setup: Setup, origin: Origin) -> str:
    """The count of the same records, as one types it; in Python where there is no file."""
    ask, labels = setup.ask, setup.labels
    if not labels:
        ask, labels = RECORD_QUESTION, RECORD_LABELS
    # A simulated reader knows no label but those it is given.
    gold = origin.gold if origin.model.startswith("reader/") else None
    forced = setup.options.answer_mode == "forced"
    if origin.table is None:
        given = {"text": origin.text, "ask": ask, "labels": list(labels), "model": origin.model}
        given |= {"gold": gold, "answer": "forced" if forced else None, "models": origin.models}
        words = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
        return f"evenhand.count(records, {words})"
    plain = not any("," in label or label != label.strip() for label in labels)
    listed = ",".join(labels) if plain and not labels[0].startswith("[") else None
    options: list[tuple[str, object]] = [
        ("--text", origin.text),
        ("--ask", ask),
        ("--labels", listed or json.dumps(list(labels), ensure_ascii=False)),
        ("--model", origin.model),
        ("--gold", gold),
        ("--answer", "forced" if forced else None),
        ("--models", origin.models),
        ("--concurrency", setup.options.concurrency),
        ("--max-cost", setup.options.max_cost_usd),
    ]
    words_ = [str(word) for option in options if option[1] is not None for word in option]
    return shlex.join(["evenhand", "count", origin.table, *words_])


def _count_words(setup: Setup) -> str:
    words = "evenhand count labels the records in small batches in random order and adds up in code"
    if setup.labels:
        return f"{words}:"
    return f"{words}; it needs a question about one record, and its labels, such as:"


def _enough(setup: Setup) -> int:
    """Orders of which so many are random that agreement leaves room for the tolerance only."""
    random = math.ceil(math.log(1 - LEVEL) / math.log(1 - setup.tolerance))
    others = sum(not is_random(o) and not is_pattern(o.name) for o in setup.orders)
    return min(random + others, MOST_ORDERS)
