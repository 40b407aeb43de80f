"""Contract: records that stayed without a label can be asked again in the same folder, and only
they are; how often a batch is tried is no part of what a folder keeps to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.counting.scripted import Scripted

from evenhand.counting import Count, Forecast, count, read_ledger, verify
from evenhand.errors import UsageError
from evenhand.running import RunOptions

TEXTS = [f"good {k}" for k in range(7)] + [f"bad {k}" for k in range(5)]
BAD = ("good 1", "good 2", "bad 3")


def by_word(text: str) -> str:
    return text.split()[0]


def in_a_bad_hour(text: str) -> str:
    return "?" if text in BAD else by_word(text)


def ask(model: Any, out: Path, attempts: int = 1, **more: Any) -> Count:
    given: dict[str, Any] = {"batch": 5, **more}
    return count(TEXTS, ask="?", labels=["good", "bad"], model=model, out=out,
                 options=RunOptions(max_attempts=attempts, progress=False), **given)  # fmt: skip


def test_only_the_unresolved_are_asked_again(tmp_path: Path) -> None:
    first = ask(Scripted(in_a_bad_hour), tmp_path)
    assert (first.statuses["unresolved"], first.calls) == (3, 3 + 3)
    heard: list[Forecast] = []
    model = Scripted(by_word)
    again = ask(model, tmp_path, again="unresolved", announce=heard.append)
    assert model.asked == [1, 1, 1]
    assert (heard[0].calls, heard[0].worst_calls) == (3, 3)
    assert (again.statuses["unresolved"], again.counts) == (0, {"good": 7, "bad": 5})
    assert again.unlabelled == {}
    assert read_ledger(again.ledger)["reply"].str.starts_with("again-1-").sum() == 3
    assert all(check.ok for check in verify(again.ledger, TEXTS))
    idle = Scripted(by_word)
    plain = ask(idle, tmp_path)
    assert (idle.asked, plain.counts) == ([], {"good": 7, "bad": 5})


def test_as_often_as_wanted(tmp_path: Path) -> None:
    ask(Scripted(in_a_bad_hour), tmp_path, batch=1)
    still = Scripted(in_a_bad_hour)
    ask(still, tmp_path, batch=1, again="unresolved")
    assert still.asked == [1, 1, 1]
    better = Scripted(lambda text: "?" if text == "bad 3" else by_word(text))
    found = ask(better, tmp_path, batch=1, again="unresolved")
    assert (better.asked, found.statuses["unresolved"]) == ([1, 1, 1], 1)
    last = Scripted(by_word)
    found = ask(last, tmp_path, batch=1, again="unresolved")
    assert (last.asked, found.statuses["unresolved"]) == ([1], 0)
    assert all(check.ok for check in verify(found.ledger, TEXTS))


def test_a_round_that_was_broken_off_is_the_one_that_goes_on(tmp_path: Path) -> None:
    class Dies(Scripted):
        async def generate(self, *args: Any) -> Any:
            if len(self.asked) >= 2:
                raise KeyboardInterrupt
            return await super().generate(*args)

    ask(Scripted(in_a_bad_hour), tmp_path)
    once = RunOptions(max_attempts=1, concurrency=1, progress=False)
    with pytest.raises(KeyboardInterrupt):
        count(TEXTS, ask="?", labels=["good", "bad"], model=Dies(in_a_bad_hour), out=tmp_path,
              batch=5, again="unresolved", options=once)  # fmt: skip
    model = Scripted(by_word)
    found = ask(model, tmp_path, again="unresolved")
    assert (model.asked, found.statuses["unresolved"]) == ([1], 2)


def test_refused_records_are_asked_where_that_is_said(tmp_path: Path) -> None:
    ask(Scripted(by_word, finish_reason="content_filter"), tmp_path, batch=4)
    idle = Scripted(by_word)
    assert ask(idle, tmp_path, batch=4, again="unresolved").statuses["refused"] == 12
    assert idle.asked == []
    found = ask(Scripted(by_word), tmp_path, batch=4, again="unlabelled")
    assert found.counts == {"good": 7, "bad": 5}
    assert all(check.ok for check in verify(found.ledger, TEXTS))


def test_second_labels_stay_those_of_the_same_records(tmp_path: Path) -> None:
    ask(Scripted(in_a_bad_hour), tmp_path, repeat=2, repeat_share=0.5)
    model = Scripted(by_word)
    ask(model, tmp_path, repeat=2, repeat_share=0.5, again="unresolved")
    assert model.asked == [1, 1, 1]


@pytest.mark.parametrize(("before", "after", "calls"), [(1, 4, 0), (4, 1, 0)])
def test_attempts_may_differ(before: int, after: int, calls: int, tmp_path: Path) -> None:
    ask(Scripted(in_a_bad_hour), tmp_path, attempts=before)
    model = Scripted(in_a_bad_hour)
    ask(model, tmp_path, attempts=after)
    assert len(model.asked) == calls
    ask(model, tmp_path, attempts=after, again="unresolved")
    assert len(model.asked) == 3 * after


def test_fewer_attempts_than_were_made_decide_with_the_next(tmp_path: Path) -> None:
    class Dies(Scripted):
        async def generate(self, *args: Any) -> Any:
            if len(self.asked) >= 3:
                raise KeyboardInterrupt
            return await super().generate(*args)

    once = RunOptions(max_attempts=9, concurrency=1, progress=False)
    with pytest.raises(KeyboardInterrupt):
        count(["good"], ask="?", labels=["good", "bad"], model=Dies(lambda _: "?"), out=tmp_path,
              batch=1, options=once)  # fmt: skip
    model = Scripted(lambda _: "?")
    found = count(["good"], ask="?", labels=["good", "bad"], model=model, out=tmp_path,
                  batch=1, options=RunOptions(max_attempts=2, progress=False))  # fmt: skip
    assert (model.asked, found.pending, found.statuses["unresolved"]) == ([1], 0, 1)


def test_other_words_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"again \(--again\) is 'everything': say unresolved or unlabelled"
    ):
        ask(Scripted(by_word), tmp_path, again="everything")
