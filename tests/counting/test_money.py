"""Contract: a count's and an audit's limit is one for all their rounds, and calls that were cut,
lost to a kill or answered without usage count towards it at their worst case, as in ``run``.

A call costs 100 tokens in and 10 out at a dollar a token: $110, and $140 at worst."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.counting.scripted import Scripted

from evenhand.audit import Audit, audit
from evenhand.counting import Count, count
from evenhand.models import (
    Generation,
    GenerationSettings,
    Price,
    TokenCount,
    TransientError,
    Usage,
)
from evenhand.prompts import Message
from evenhand.running import RunOptions

PRICE = Price(input=1_000_000, output=1_000_000)
TEXTS = [f"good {k}" for k in range(30)] + [f"bad {k}" for k in range(20)]


@dataclass
class Priced(Scripted):
    """A labeller with a price. ``lost`` calls never come home; ``silent`` ones state no usage."""

    price: Price = PRICE
    lost: Mapping[int, Exception] | None = None
    silent: frozenset[int] = frozenset()
    calls: int = 0

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """Label, or fail as told."""
        self.calls += 1
        if self.lost and self.calls in self.lost:
            raise self.lost[self.calls]
        found = await super().generate(messages, settings)
        return replace(found, usage=Usage()) if self.calls in self.silent else found

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        """Always a hundred."""
        return TokenCount(100, exact=True)


def by_word(text: str) -> str:
    return text.split()[0]


def ask(model: Priced, out: Path, limit: float, texts: Sequence[str] = TEXTS, **more: Any) -> Count:
    options = RunOptions(progress=False, concurrency=1, max_cost_usd=limit, backoff_s=0.001)
    return count(texts, ask="?", labels=["good", "bad"], model=model, out=out, batch=10,
                 budget=40, options=options, **more)  # fmt: skip


def test_the_money_ends_before_the_records(tmp_path: Path) -> None:
    found = ask(Priced(by_word), tmp_path, 400)
    assert (found.pending, found.statuses["unread"], found.cost_usd) == (2, 20, 330)
    assert found.exit_code == 3
    assert found.sentence == "Undecided: 2 batches of records got no answer yet."
    assert found.message is not None
    assert "$330.00 of $400.00 are spent, or may be: raise --max-cost" in found.message
    whole = ask(Priced(by_word), tmp_path, 1_000)
    assert (whole.majority, whole.cost_usd) == ("good", 550)
    assert (whole.unsettled, whole.unsettled_usd) == (0, 0)


def test_a_call_lost_to_a_kill_counts_at_its_worst_case(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="killed"):
        ask(Priced(by_word, lost={2: RuntimeError("killed")}), tmp_path, 1_000)
    # 110 known and 140 lost; one more call can end at 390 of 400, and does at 360.
    found = ask(Priced(by_word), tmp_path, 400)
    assert (found.calls, found.cost_usd, found.pending) == (2, 220, 3)
    assert (found.unsettled, found.unsettled_usd) == (1, 140)


@pytest.mark.parametrize(("may_cost", "calls", "unsettled"), [(False, 3, 0), (True, 2, 1)])
def test_a_cut_call_counts_where_it_may_have_been_billed(
    may_cost: bool, calls: int, unsettled: int, tmp_path: Path
) -> None:
    model = Priced(by_word, lost={2: TransientError("cut", may_cost=may_cost)})
    found = ask(model, tmp_path, 400)
    assert (found.calls, found.cost_usd) == (calls, 110 * calls)
    assert (found.unsettled, found.unsettled_usd) == (unsettled, 140 * unsettled)


@pytest.mark.parametrize(("limit", "alone"), [(279, 0), (280, 1)])
def test_a_reply_without_usage_counts_in_the_next_round(
    limit: float, alone: int, tmp_path: Path
) -> None:
    """The first batch leaves an id out and states no usage: $140 before that record's own call."""

    def drop_one(said: dict[str, str]) -> str:
        return json.dumps(dict(list(said.items())[1:]) if len(said) > 1 else said)

    model = Priced(by_word, drop_one, silent=frozenset({1}))
    found = ask(model, tmp_path, limit, TEXTS[25:35])
    assert model.asked == [10, 1][: 1 + alone]
    assert found.pending == 1 - alone
    assert (found.cost_usd, found.unsettled_usd) == (None, 140)


@pytest.mark.parametrize(("limit", "again"), [(469, False), (470, True)])
def test_earlier_rounds_over_other_records_count_too(
    limit: float, again: bool, tmp_path: Path
) -> None:
    """$220 for two batches and $110 for two records a second time, before ten are."""
    texts = TEXTS[:15] + TEXTS[-5:]
    first = ask(Priced(by_word), tmp_path, 1_000, texts, repeat=2)
    assert (first.cost_usd, first.agreement and first.agreement.compared) == (330, 2)
    found = ask(Priced(by_word), tmp_path, limit, texts, repeat=2, repeat_share=0.5)
    assert found.cost_usd == (440 if again else 330)
    assert (found.agreement is not None, found.pending) == (again, 1 - again)


@dataclass
class Voter(Priced):
    """Answers a whole prompt by its first record."""

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """The first record's label."""
        self.calls += 1
        first = messages[-1].content.partition("Instance 1: ")[2].split()[0]
        usage = Usage() if self.calls in self.silent else Usage(100, None, 10)
        return Generation(json.dumps({"answer": first}), usage=usage)


def audited(model: Voter, out: Path, limit: float) -> Audit:
    options = RunOptions(progress=False, concurrency=1, max_cost_usd=limit)
    return audit(TEXTS, ask="?", labels=["good", "bad"], model=model, out=out, orders=4,
                 budget=40, options=options)  # fmt: skip


def test_an_audit_has_one_limit_for_all_its_looks(tmp_path: Path) -> None:
    """Four orders without usage are $560; of the four to be asked again one fits under $700."""
    model = Voter(by_word, silent=frozenset({1, 2, 3, 4}))
    found = audited(model, tmp_path, 700)
    assert (found.calls, found.pending, found.cost_usd) == (5, 3, None)
    assert (found.unsettled, found.unsettled_usd) == (4, 560)
    assert found.message is not None
    assert "$670.00 of $700.00 are spent, or may be" in found.message
