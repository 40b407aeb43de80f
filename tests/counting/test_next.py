"""Contract: a count says what to do next: check the ledger when it is decided, else what may remove
the weightiest reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.counting.scripted import Scripted

from evenhand.counting import Correction, Count, count
from evenhand.counting._agreement import SelfAgreement
from evenhand.counting._correction import Corrected
from evenhand.counting._next import next_step
from evenhand.counting._position import PositionCheck
from evenhand.counting._result import LabelCount
from evenhand.counting._verdict import Evidence
from evenhand.running import RunOptions

STATUSES = {"labelled": 10, "unresolved": 0, "refused": 0, "too long": 0, "unread": 0}


def evidence(first: int, second: int, **more: Any) -> Evidence:
    labels = [
        LabelCount("yes", first, 0, first, first),
        LabelCount("no", second, 0, second, second),
    ]
    return Evidence(labels, **{"unlabelled": 0, "unread": 0, "pending": 0, **more})


def corrected(low: float) -> Correction:
    each = (Corrected("yes", 0.55, low, 0.6, 0, 0), Corrected("no", 0.45, 0.4, 1 - low, 0, 0))
    return Correction(50, 45, each)


@pytest.mark.parametrize(
    ("case", "statuses", "askable", "words"),
    [
        (evidence(6, 4), {}, 0, "hand labels of a random sample, 50 records or more"),
        (evidence(6, 4), {}, 0, "check that again: evenhand count --verify 'a b/ledger.csv'"),
        (evidence(6, 4, correction=corrected(0.52)), {}, 0, "each record's label stands in the"),
        (evidence(6, 4, pending=1), {}, 0, "the same command goes on"),
        (evidence(6, 4, unread=1), {}, 0, "the same command goes on"),
        (evidence(5, 5), {}, 0, "a tie is the answer as far as the labels are right"),
        (evidence(6, 4, unlabelled=2), {"unresolved": 2}, 2, "again (--again) unresolved, asks"),
        (evidence(6, 4, unlabelled=3), {"unresolved": 1, "refused": 2}, 1,
         "once more (unlabelled: the refused and the too long as well)"),
        (evidence(0, 0, unlabelled=2), {"unresolved": 2}, 2, "again (--again) unresolved, asks"),
        (evidence(6, 4, unlabelled=2), {"refused": 2}, 0, "again (--again) unlabelled, asks"),
        (evidence(6, 4, unlabelled=2), {"too long": 2}, 0, "a larger budget (--budget)"),
        (evidence(6, 4, unlabelled=2), {"unresolved": 2}, 0, "fill in the texts of the records"),
        (evidence(6, 4, correction=corrected(0.48)), {}, 0, "more hand labels of a random sample"),
        (
            evidence(6, 4, agreement=SelfAgreement(10, 5, 0.2, 0.8)), {}, 0,
            "a smaller batch (--batch) or a better model",
        ),
        (
            evidence(6, 4, position=PositionCheck("yes", 1, 0, 0.0, 9)), {}, 0,
            "a smaller batch (--batch), in another folder",
        ),
    ],
)  # fmt: skip
def test_each_reason_has_its_remedy(
    case: Evidence, statuses: dict[str, int], askable: int, words: str
) -> None:
    assert words in next_step(case, STATUSES | statuses, askable, Path("a b/ledger.csv"))


def by_word(text: str) -> str:
    return text.split()[0]


def ask(texts: list[str], model: Any, out: Path) -> Count:
    return count(texts, ask="?", labels=["good", "bad"], model=model, out=out,
                 options=RunOptions(progress=False))  # fmt: skip


def test_the_step_is_printed_last(tmp_path: Path) -> None:
    found = ask(["good"] * 5, Scripted(by_word), tmp_path / "a")
    assert str(found).splitlines()[-1] == f"next: {found.next_step}"
    assert found.next_step.endswith(f"evenhand count --verify {found.ledger}")


def test_texts_that_are_empty_cannot_be_asked_again(tmp_path: Path) -> None:
    empty = ask(["good", " "], Scripted(by_word), tmp_path / "a")
    assert empty.next_step.startswith("fill in the texts")
    mute = ask(["good", "meh"], Scripted(by_word), tmp_path / "b")
    assert "again (--again) unresolved" in mute.next_step
