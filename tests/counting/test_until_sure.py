"""Contract: reading stops once the majority is sure, in the random order whatever the replies'."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.counting.scripted import Scripted

from evenhand.counting import StoppingRule, count, read_ledger, verify
from evenhand.counting._assemble import Prefix
from evenhand.counting._reply import BatchReply
from evenhand.errors import UsageError
from evenhand.models import Generation, GenerationSettings
from evenhand.prompts import Message
from evenhand.running import RunOptions

TEXTS = [f"good {k}" for k in range(300)] + [f"bad {k}" for k in range(100)]


def ask(model: Any, out: Path, **more: Any) -> Any:
    given: dict[str, Any] = {"until_sure": 0.999, "batch": 10, **more}
    return count(
        TEXTS, ask="Good or bad?", labels=["good", "bad"], model=model, out=out,
        options=RunOptions(progress=False, concurrency=2), **given,
    )  # fmt: skip


def by_word(text: str) -> str:
    return text.split()[0]


def test_it_stops_early_and_says_so(tmp_path: Path) -> None:
    model = Scripted(by_word)
    found = ask(model, tmp_path)
    assert found.majority == "good"
    assert found.statuses["unread"] == 400 - sum(model.asked) > 200
    assert found.sure_after <= sum(model.asked)
    assert f"{found.statuses['unread']:,} unread" in found.certificate
    low, high = found.labels[0].low, found.labels[0].high
    assert low <= 300 <= high
    assert all(check.ok for check in verify(found.ledger, TEXTS))


def test_a_decided_count_reads_no_more(tmp_path: Path) -> None:
    first = ask(Scripted(by_word), tmp_path)
    idle = Scripted(by_word)
    again = ask(idle, tmp_path)
    assert idle.asked == []
    assert read_ledger(again.ledger).equals(read_ledger(first.ledger))


def test_reading_to_the_end_goes_on_where_it_stopped(tmp_path: Path) -> None:
    first = ask(Scripted(by_word), tmp_path)
    model = Scripted(by_word)
    whole = ask(model, tmp_path, until_sure=None)
    assert sum(model.asked) == first.statuses["unread"]
    assert whole.counts == {"good": 300, "bad": 100}


def test_a_tie_is_read_to_the_end_and_undecided(tmp_path: Path) -> None:
    texts = [*TEXTS[:100], *TEXTS[300:]]
    found = count(texts, ask="?", labels=["good", "bad"], model=Scripted(by_word), out=tmp_path,
                  until_sure=0.999, batch=50, options=RunOptions(progress=False))  # fmt: skip
    assert found.statuses["unread"] == 0
    assert found.sentence == "Undecided: good and bad are level at 100 each."


def test_the_most_frequent_of_three_labels_is_called_early(tmp_path: Path) -> None:
    texts = [f"{word} {k}" for word, n in (("a", 90), ("b", 230), ("c", 80)) for k in range(n)]
    model = Scripted(by_word)
    found = count(texts, ask="?", labels=["a", "b", "c"], model=model, out=tmp_path, batch=10,
                  until_sure=0.99, options=RunOptions(progress=False, concurrency=1))  # fmt: skip
    assert found.majority == "b"
    assert found.sure_after is not None
    assert found.sure_after <= sum(model.asked) == 400 - found.statuses["unread"] < 200
    assert found.sentence.startswith(
        f"The majority is b, at a risk of at most 0.01 from not reading the other "
        f"{found.statuses['unread']} records (of those read: a "
    )
    truth = {"a": 90, "b": 230, "c": 80}
    assert all(each.low <= truth[each.label] <= each.high for each in found.labels)
    assert all(check.ok for check in verify(found.ledger, texts))


def test_replies_out_of_order_are_heard_in_order() -> None:
    rule, straight = (StoppingRule(2, 60, 0.2) for _ in range(2))
    replies = [
        BatchReply(("a",) * 6, (None,) * 6),
        BatchReply(("b",) * 6, (None,) * 6),
        BatchReply(("a", None) * 3, (None,) * 6),
    ]
    prefix = Prefix(rule, ("a", "b"))
    prefix.take(2, replies[2])
    prefix.take(1, replies[1])
    assert rule.read == 0
    prefix.take(0, replies[0])
    for reply in replies:
        straight.feed(np.asarray([{"a": 0, "b": 1, None: -1}[x] for x in reply.labels], np.int16))
    assert rule._leads[0].logs.tolist() == straight._leads[0].logs.tolist()
    assert (
        (rule.read, rule.winner, rule.called_after)
        == (18, 0, 6)
        == (
            straight.read,
            straight.winner,
            straight.called_after,
        )
    )


def test_slow_replies_of_one_label_do_not_bend_the_sample(tmp_path: Path) -> None:
    """Batches whose first record is bad come back late; the count still sees them in turn."""

    class Slow(Scripted):
        async def generate(
            self, messages: Sequence[Message], settings: GenerationSettings
        ) -> Generation:
            first = messages[-1].content.partition("Records:\n")[2].splitlines()[0]
            await asyncio.sleep(0.05 if '"bad' in first else 0)
            return await super().generate(messages, settings)

    found = ask(Slow(by_word), tmp_path)
    ledger = read_ledger(found.ledger).drop_nulls("batch")
    batches = sorted(set(ledger["batch"]))
    assert found.sure_after <= 10 * len(batches)
    assert batches[: -(-found.sure_after // 10)] == list(range(-(-found.sure_after // 10)))


@pytest.mark.parametrize("degree", [0.2, 1.0, 99.9])
def test_a_degree_that_is_none(degree: float, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--until-sure"):
        ask(Scripted(by_word), tmp_path, until_sure=degree)
