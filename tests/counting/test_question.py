"""Contract: labels that can be told apart are labels, whatever is in them, up to a thousand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.counting.scripted import Scripted

from evenhand.counting import count, make_question, open_records, read_label, verify
from evenhand.counting._work import MOST_CHOICES, BatchWork
from evenhand.errors import UsageError
from evenhand.running import RunOptions

QUIET = RunOptions(progress=False)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["yes"], "1 label: a count needs at least two"),
        (["Straße", "STRASSE"], "not distinct once case is ignored"),
        (["ﬁne", "FINE"], "not distinct"),
        (["é", "e\u0301"], "not distinct"),
        (["yes", "yes "], "not distinct"),
        (["yes", ""], "none of them empty"),
        (["yes", "n\u200bo"], "control character"),
        (['{"a": 1}', "b"], "no quotation mark"),
        (["y" * 101, "n"], "up to 100 characters"),
        ([f"L{k}" for k in range(10_001)], "10,001 labels: a count takes at most 1,000"),
    ],
)
def test_labels_that_are_none(labels: list[str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make_question("?", labels)


@pytest.mark.parametrize(
    ("value", "labels", "label"),
    [
        ("A, b", ("a, b", "c"), "a, b"),
        ("a", ("a, b", "c"), None),
        ("[1, 2]", ("[1, 2]", "{a: b}"), "[1, 2]"),
        (1, ("1", "2"), "1"),
        (1.0, ("1", "2"), None),
        (True, ("true", "false"), "true"),
        (None, ("null", "none"), None),
        ("</think>yes", ("yes", "no"), None),
        ('{"answer": "yes"}', ("yes", "no"), None),
    ],
)
def test_what_a_reply_gives(value: object, labels: tuple[str, ...], label: str | None) -> None:
    assert read_label(value, labels) == label


def test_labels_with_commas_and_brackets_are_counted(tmp_path: Path) -> None:
    labels = ["none, or [1]", "{a: b}"]
    model = Scripted(lambda text: labels[text == "x"])
    found = count(["x", "y", "x"], ask="?", labels=labels, model=model, out=tmp_path, options=QUIET)
    assert found.counts == {"none, or [1]": 1, "{a: b}": 2}


def test_more_labels_than_a_byte_numbers(tmp_path: Path) -> None:
    labels = [f"L{k}" for k in range(300)]
    texts = [*labels, "L299"]
    model = Scripted(lambda text: text)
    found = count(texts, ask="?", labels=labels, model=model, out=tmp_path, options=QUIET,
                  until_sure=0.999)  # fmt: skip
    assert (found.majority, found.counts["L299"], found.counts["L298"]) == ("L299", 2, 1)
    assert found.sentence == (
        "The majority is L299 (L299 2, L0 1, L1 1, L2 1, L3 1; 295 other labels)."
    )
    assert all(check.ok for check in verify(found.ledger, texts))


@pytest.mark.parametrize("labels", [12, 13])
def test_a_schema_holds_no_more_choices_than_servers_take(labels: int) -> None:
    question = make_question("?", [f"L{k}" for k in range(labels)])
    work = BatchWork(question, open_records(["x"] * 40), np.arange(40), 40, "count", 100)
    schema = work.schema(work.experiments[0])
    assert len(schema["required"]) == 40
    choices = [len(each.get("enum", ())) for each in schema["properties"].values()]
    assert choices == [labels if 40 * labels <= MOST_CHOICES else 0] * 40
