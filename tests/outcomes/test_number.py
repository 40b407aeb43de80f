"""Numbers in replies: one table of cases, and the judgement that follows from them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.outcomes import judge_number, parse_number

NUMBERS = [
    ("54", "54"),
    (" 54 ", "54"),
    ("0", "0"),
    ("007", "7"),
    ("1,200", "1200"),
    ("1,234,567", "1234567"),
    ("1200.", "1200"),
    ("1200.00", "1200"),
    ("$1,200.00", "1200"),
    ("$1,200.00.", "1200"),
    ("€7", "7"),
    ("-5", "-5"),
    ("−5", "-5"),
    ("-$5", "-5"),
    ("$-5", "-5"),
    ("+5", "5"),
    ("2.5", "2.5"),
    ("50%", "50"),
    ("**54**", "54"),
    ("*54*", "54"),
    ("`54`", "54"),
    ('"54"', "54"),
    ("“54”", "54"),
    ("(54)", "54"),
    ("**54.**", "54"),
    ("$54$", "54"),
    (r"$\boxed{54}$", "54"),
    (r"\boxed{1,200}", "1200"),
    ("５４", "54"),
    ("１，２００", "1200"),
    ("－５４", "-54"),
    ("٥٤", "54"),
    ("#### 54", "54"),
    ("####54", "54"),
    ("Answer: 54", "54"),
    ("Answer:54", "54"),
    ("**Answer:** 54", "54"),
    ("The final answer is 54.", "54"),
    ("The final answer is **$1,200.00**.", "1200"),
    ("She pays 3 + 4 = 7", "7"),
    ("x=7", "7"),
    ("In total there are 12!", "12"),
    ("After 3 days and 4 nights she has 7", "7"),
    ("So much for that. 12", "12"),
    ("Step 3: 12", "12"),
    ("-1", "-1"),
]
NOT_NUMBERS = [
    "",
    " ",
    "fifty-four",
    "5²",
    "²",
    "5³ = 5³",
    "x₂",
    "½",
    "③",
    "3-5",
    "3 - 5",
    "3–5",
    "3 to 5",
    "3 or 5",
    "between 3 and 5",
    "from **3** to **5**",
    "1/2",
    "1 / 2",
    "3+4",
    "3 + 4",
    "3 × 4",
    "2^5",
    "1,20",
    "12,00",
    "1,2345",
    ",200",
    "1 200",
    "1\u202f200",
    "1 200 apples",
    "12 apples",
    "12kg",
    "1e3",
    "0x10",
    "--5",
    "-$-5",
    "1.2.3",
    "12:",
    "about it",
    "NaN",
    "Infinity",
    "$",
    "even_number",
]


@pytest.mark.parametrize(("text", "value"), NUMBERS)
def test_numbers(text: str, value: str) -> None:
    assert parse_number(text) == Decimal(value)


@pytest.mark.parametrize("text", NOT_NUMBERS)
def test_what_is_no_number(text: str) -> None:
    assert parse_number(text) is None


@given(st.integers(-(10**12), 10**12))
def test_every_way_of_writing_an_integer(value: int) -> None:
    for text in (f"{value}", f"{value:,}", f"**{value:,}.00**", f"So the answer is {value:,}."):
        assert parse_number(text) == value


@given(st.text())
def test_no_text_is_an_error(text: str) -> None:
    parse_number(text)
    judge_number(text, 1)


REPLIES = [
    ('{"answer": 1200}', "correct", "1200", False),
    ('{"answer": "1,200"}', "correct", "1200", False),
    ('{"answer": "$1,200.00"}', "correct", "1200", False),
    ('{"answer": 1200.0}', "correct", "1200", False),
    ('{"answer": 1.2e3}', "correct", "1200", False),
    ('Half of 2,400 is 1,200.\n```json\n{"answer": 1200}\n```', "correct", "1200", False),
    ('{"answer": 7}\nNo, wait.\n{"answer": 1200}', "correct", "1200", False),
    ('<think>{"answer": 7}</think>1,200', "correct", "1200", True),
    ("Half of 2,400.\n\nThe answer is **1,200**.\n", "correct", "1200", True),
    ("1200\n```", "correct", "1200", True),
    ('{"answer": 1201}', "mistake", "1201", False),
    ('{"answer": -1}', "mistake", "-1", False),
    ('{"answer": 1200.5}', "mistake", "1200.5", False),
    ("1,199", "mistake", "1199", True),
    ('{"answer": "1,200 dollars"}', "parsing_issue", None, False),
    ('{"answer": "5²"}', "parsing_issue", None, False),
    ('{"answer": true}', "parsing_issue", None, False),
    ('{"answer": null}', "parsing_issue", None, False),
    ('{"answer": [1200]}', "parsing_issue", None, False),
    ('{"answer": 1e999}', "parsing_issue", None, False),
    ("1,200\nI hope this helps.", "parsing_issue", None, False),
    ("", "parsing_issue", None, False),
]


@pytest.mark.parametrize(("text", "outcome", "predicted", "lenient"), REPLIES)
def test_judge_number(text: str, outcome: str, predicted: str | None, lenient: bool) -> None:
    judgement = judge_number(text, 1200)
    assert (judgement.outcome, judgement.predicted, judgement.lenient) == (
        outcome,
        predicted,
        lenient,
    )


def test_a_cut_reply_is_overlong_whatever_it_holds() -> None:
    assert judge_number('{"answer": 1200}', 1200, finish_reason="length").outcome == "overlong"
    spent = judge_number("so far", 1200, output_tokens=500, output_budget=500)
    assert spent.outcome == "overlong"
    kept = judge_number("1200", 1200, output_tokens=500, output_budget=500)
    assert kept.outcome == "correct"
    stopped = judge_number('{"answer": 1200}', 1200, finish_reason="content_filter")
    assert (stopped.outcome, stopped.reason) == (
        "parsing_issue",
        "the reply was stopped (content_filter)",
    )
