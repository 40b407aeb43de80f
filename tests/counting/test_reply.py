"""Contract: labels are joined by id from the last JSON that holds one; what is not certain is not
read, and why is said."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.counting._prompt import NONCE_LENGTH, make_nonce, record_ids
from evenhand.counting._reply import read_reply

IDS = ("q7k2m-1", "q7k2m-2")
LABELS = ("yes", "no")
BOTH = '{"q7k2m-1": "yes", "q7k2m-2": "no"}'


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (BOTH, ("yes", "no")),
        (f"Here you are:\n```json\n{BOTH}\n```\nGood luck!", ("yes", "no")),
        ('{"q7k2m-1": "YES", "q7k2m-2": " No "}', ("yes", "no")),
        ('{"q7k2m-2": "no", "q7k2m-1": "yes"}', ("yes", "no")),
        ('{"labels": {"q7k2m-1": "yes", "q7k2m-2": "no"}}', ("yes", "no")),
        ('[{"id": "q7k2m-1", "label": "yes"}, {"id": "q7k2m-2", "label": "no"}]', ("yes", "no")),
        ('{"id": "q7k2m-1", "label": "yes"}\n{"id": "q7k2m-2", "label": "no"}', ("yes", "no")),
        ('[{"q7k2m-1": "yes"}, {"q7k2m-2": "no"}]', ("yes", "no")),
        (f'{{"q7k2m-1": "no", "q7k2m-2": "no"}} No, wait: {BOTH}', ("yes", "no")),
        (f'<think>{{"q7k2m-1": "no"}}</think>{BOTH}', ("yes", "no")),
        (f"{BOTH} as asked in {{this}} and [that]", ("yes", "no")),
        ('{"q7k2m-1": "yes"}', ("yes", None)),
        ('{"q7k2m-1": "yes", "q7k2m-1": "yes", "q7k2m-2": "no"}', (None, "no")),
        ('{"q7k2m-1": "yes", "q7k2m-1": "no", "q7k2m-2": "no"}', (None, "no")),
        ('{"q7k2m-1": "yes", "q7k2m-2": "no way"}', ("yes", None)),
        ('{"q7k2m-1": "yes", "q7k2m-2": null}', ("yes", None)),
        ('{"q7k2m-1": "yes", "q7k2m-2": ["no"]}', ("yes", None)),
        ('{"q7k2m-1": "yes", "q7k2m-2": -1}', ("yes", None)),
        ('{"q7k2m-1": "yes", "zzzzz-2": "no"}', ("yes", None)),
        ('{"Q7K2M-1": "yes", "q7k2m-2": "no"}', (None, "no")),
        ('{"1": "yes", "2": "no"}', (None, None)),
        ('{"answer": "yes"}', (None, None)),
        ("yes, no", (None, None)),
        ("", (None, None)),
        ('{"q7k2m-1": "yes", "q7k2m-2": "no"', (None, None)),
        ("{" * 5_000, (None, None)),
        ("[" * 5_000 + BOTH, (None, None)),
    ],
)
def test_replies(text: str, labels: tuple[str | None, ...]) -> None:
    found = read_reply(text, IDS, LABELS)
    assert found.labels == labels
    assert [reason is None for reason in found.reasons] == [label is not None for label in labels]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"q7k2m-2": "no"}', "its id is missing from the reply"),
        ('{"q7k2m-1": "no", "q7k2m-1": "no"}', "its id comes 2 times in the reply"),
        ('{"q7k2m-1": "maybe"}', "the reply gives it 'maybe', which is no label"),
        ("no", "the reply holds no JSON with an id of the batch"),
    ],
)
def test_reasons(text: str, reason: str) -> None:
    assert read_reply(text, IDS, LABELS).reasons[0] == reason


def test_unknown_ids_are_counted() -> None:
    assert read_reply('{"q7k2m-1": "no", "a-1": "no", "b-2": "no"}', IDS, LABELS).unknown == 2


@pytest.mark.parametrize(("finish", "outcome"), [("length", "too long"), ("safety", "refused")])
def test_a_reply_that_did_not_end_by_itself(finish: str, outcome: str) -> None:
    found = read_reply(BOTH, IDS, LABELS, finish)
    assert (found.outcome, found.labels) == (outcome, (None, None))


@given(st.text())
def test_no_text_raises(text: str) -> None:
    read_reply(text, IDS, LABELS)
    read_reply(f'{{"q7k2m-1": {json.dumps(text)}}}', IDS, LABELS)


@given(st.lists(st.text(alphabet="bcdfghjk23456789-", max_size=40), min_size=1, max_size=5))
def test_a_nonce_stands_in_no_text(texts: list[str]) -> None:
    nonce = make_nonce("key", texts)
    assert len(nonce) == NONCE_LENGTH
    assert not any(nonce in text for text in texts)
    again = make_nonce("key", [*texts, f"x{nonce.upper()}x"])
    assert again != nonce
    assert record_ids(nonce, 2) == (f"{nonce}-1", f"{nonce}-2")
