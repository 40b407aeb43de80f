"""Contract of one trace's reading: stated labels, stopping point, class, summaries.

The traces below retell, in our own words and with made-up records, the cases that the paper's
E.1 describes; each must get its class.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.analysis import TRACE_CLASSES, block_boundaries, find_mentions, read_trace
from evenhand.analysis._coverage import (
    TraceClass,
    classify_trace,
    is_summary,
    stated_labels,
    stopping_point,
)
from evenhand.analysis._coverage._table import fails_from
from evenhand.design import PATTERNS

N = 2_000


def lines(ids: range, *labels: str) -> str:
    return "\n".join(f"{at}: {labels[at % len(labels)]}" for at in ids)


ASSUMED_BALANCE = f"""Two labels, place or programming language. I take them one after the other.
{lines(range(1, 501), "prog", "place")}
Once more they take turns, 50 place and 50 prog in this hundred, 250 and 250 in total.
Since the labels alternate all the way, the list must hold 1000 of each. I look at its end too.
{lines(range(1_900, 2_001), "prog", "place")}
The same again. Both labels are equally frequent, so -1."""

EARLY_GUESS = """That is a very long list and I cannot count it by hand. A sample will have to do.
Instances 1-10: 1 programming, 2 place, 3 programming, 4 place, 5 programming, 6 place,
7 programming, 8 place, 9 programming, 10 place. Five of each so far.
Further down there seem to be many about islands and birds. My guess is place."""

STOPPED_AT_TRANSITION = """2000 records, people or places, so I have to estimate.
The early ones are people: an actor, a senator, a painter, a goalkeeper, a novelist.
Instance 551: a village in the hills, which is a location.
Instance 552: a lake town (location).
Instance 553: a county (location).
Instance 554: a bay (location).
So after instance 550 many are places. Take the first 550 as people and the remaining 1450 as
places; then LOC wins."""

CONTRADICTION_IGNORED = f"""I cannot solve 2000 problems one by one, there must be a pattern.
{lines(range(1, 41), "Odd", "Even")}
Even and odd numbers alternate strictly, so there are 1000 of each. Some checks:
{lines(range(50, 950, 50), "Odd")}
Instance 950: 51 - 21 = 30. Even.
Instance 1000: 98 * 3400 = 333200. Even.
Instance 1050: 4 weeks of 50 minutes make 200. Even.
Instance 1100: 8 * 60 = 480. Even.
{lines(range(1_150, 2_001, 50), "Odd")}
It holds. The answer is -1. To be sure, the answer is -1."""

PREFIX_ONLY = f"""I count the word in a few of them to get a feeling.
{lines(range(1, 21), "2 times")}
Nearly all have it twice. As a check I take ten at random.
{lines(range(1, 11), "2")}
English is full of that word, so more_than_once it is.
{lines(range(21, 26), "2 times")}
Clear enough."""

SAMPLING_SHORTCUT = f"""This looks like a well known set of film reviews. One by one then.
{lines(range(1, 201), "negative", "positive", "negative")}
This takes too long. Maybe the set is balanced. Some from the middle and the end:
{lines(range(1_000, 2_001, 50), "negative", "positive")}
About even, but such tasks often want positive."""

TRUNCATED = f"""A mix of towns and people. Let me see where what begins.
Instance 1-444: mostly towns.
I only mark the people, who start appearing around 453.
{lines(range(453, 1_955), "PER")}"""

CASES: list[tuple[str, str, str, TraceClass, int]] = [
    ("E.1.1", ASSUMED_BALANCE, "soft-majority-middle", "assumed balance", 500),
    ("E.1.2", EARLY_GUESS, "soft-majority-middle", "prefix then guess", 10),
    ("E.1.3", STOPPED_AT_TRANSITION, "majority-edges", "extrapolated from a boundary", 0),
    ("E.1.5", CONTRADICTION_IGNORED, "soft-majority-middle", "assumed balance", 40),
    ("E.1.6", PREFIX_ONLY, "majority-last", "prefix then guess", 25),
    ("E.1.7", SAMPLING_SHORTCUT, "random", "prefix and spot checks", 200),
    ("E.1.8", TRUNCATED, "majority-middle", "budget exhausted", 0),
]


@pytest.mark.parametrize(
    ("text", "pattern", "expected", "stopped_at"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_the_cases_of_the_paper(
    text: str, pattern: str, expected: TraceClass, stopped_at: int
) -> None:
    reading = read_trace(text, N)
    used = 19_991 if expected == "budget exhausted" else 9_000
    found = classify_trace(
        text,
        reading.named,
        N,
        reading.stopped_at,
        boundaries=block_boundaries(pattern, N, 0.55),
        tokens=used,
        output_budget=20_000,
    )
    assert found == expected
    assert reading.stopped_at == stopped_at


@pytest.mark.parametrize(
    ("ids", "n", "expected"),
    [
        ((), 10, 0),
        ((1,), 10, 1),
        ((2, 3), 10, 0),
        (range(1, 11), 10, 10),
        (range(1, 201), 2_000, 200),
        ((*range(1, 201), *range(250, 2_001, 50)), 2_000, 200),
        ((*range(1, 20), 21), 30, 21),
        ((*range(1, 10), 11), 30, 9),
        (range(2, 31), 40, 30),
    ],
)
def test_stopping_points(ids: range, n: int, expected: int) -> None:
    assert stopping_point(set(ids), n) == expected


@given(ids=st.sets(st.integers(1, 300), max_size=200))
def test_a_stopping_point_is_as_defined(ids: set[int]) -> None:
    candidates = [k for k in ids if sum(one <= k for one in ids) >= 0.95 * k]
    assert stopping_point(ids, 300) == max(candidates, default=0)


@pytest.mark.parametrize(
    ("named", "text", "expected"),
    [
        (set(), "I guess.", "no instance named"),
        (set(range(1, 191)), "", "exhaustive"),
        (set(range(1, 101)), "", "prefix then guess"),
        ({*range(1, 101), 117, 140}, "", "prefix then guess"),
        (set(range(10, 201, 10)), "", "prefix and spot checks"),
        ({*range(1, 21), 50, 100, 150}, "", "prefix and spot checks"),
        (set(range(150, 201)), "", "scattered"),
        ({*range(1, 21), *range(150, 180)}, "", "scattered"),
        (set(range(1, 101)), "After 90 they are all negative.", "extrapolated from a boundary"),
        (set(range(1, 101)), "After 40 they are all negative.", "prefix then guess"),
        (set(range(1, 101)), "The rest is perfectly balanced.", "assumed balance"),
        (set(range(1, 101)), "There is an alternative.", "prefix then guess"),
        ({5}, "fairly balanced, I think", "scattered"),
    ],
)
def test_class_rules(named: set[int], text: str, expected: TraceClass) -> None:
    at = stopping_point(named, 200)
    assert classify_trace(text, named, 200, at, boundaries=(90,)) == expected
    assert expected in TRACE_CLASSES


def test_a_cut_reply_is_budget_exhausted_unless_all_was_read() -> None:
    some, everything = set(range(1, 51)), set(range(1, 101))
    assert classify_trace("", some, 100, 50, cut=True) == "budget exhausted"
    assert classify_trace("", some, 100, 50, tokens=99, output_budget=100) == "budget exhausted"
    assert classify_trace("", some, 100, 50, tokens=98, output_budget=100) == "prefix then guess"
    assert classify_trace("", everything, 100, 100, cut=True) == "exhaustive"


def test_without_blocks_there_is_no_boundary_to_extrapolate_from() -> None:
    text = "After 40 they are all negative."
    assert classify_trace(text, {1}, 100, 1, boundaries=()) == "prefix then guess"
    assert classify_trace(text, {1}, 100, 1) == "extrapolated from a boundary"


@pytest.mark.parametrize(
    ("pattern", "n", "p", "expected"),
    [
        ("random", 2_000, 0.55, ()),
        ("majority-first", 2_000, 0.55, (1_100,)),
        ("majority-last", 2_000, 0.55, (900,)),
        ("majority-edges", 2_000, 0.55, (550, 1_450)),
        ("majority-middle", 2_000, 0.55, (450, 1_550)),
        ("soft-majority-edges", 2_000, 0.55, (100, 1_900)),
        ("soft-majority-middle", 2_000, 0.55, (900, 1_100)),
        ("majority-edges", 20, 0.7, (7, 13)),
        ("soft-majority-edges", 20, 0.7, (4, 16)),
        ("majority-edges", 10, 0.9, (5, 6)),
        ("soft-majority-middle", 10, 0.9, (2,)),
    ],
)
def test_block_boundaries(pattern: str, n: int, p: float, expected: tuple[int, ...]) -> None:
    assert block_boundaries(pattern, n, p) == expected
    assert pattern in PATTERNS


SENTIMENT = ("negative", "positive")
SENSES = ("place", "programming_language")
PARITIES = ("even_number", "odd_number")


@pytest.mark.parametrize(
    ("text", "labels", "expected"),
    [
        ("101: place", SENSES, {101: "place"}),
        ("7: prog (java app)", SENSES, {7: "programming_language"}),
        ("7: a programming language", SENSES, {7: "programming_language"}),
        ("1: pos\n2: neg\n3: Positive.", SENTIMENT, {1: "positive", 2: "negative", 3: "positive"}),
        ('1: "a positive dud" -> negative', SENTIMENT, {1: "negative"}),
        ('1: negative "positive"', SENTIMENT, {1: "negative"}),
        ("1: negative? no, positive", SENTIMENT, {1: "positive"}),
        ("1: unsure\n2: negative", SENTIMENT, {2: "negative"}),
        ("Instance 1:\nit glows, positive\nnegative", SENTIMENT, {1: "positive"}),
        ("Instances 3, 4 and 5 are negative.", SENTIMENT, dict.fromkeys((3, 4, 5), "negative")),
        ("Instances 3-5 are negative.", SENTIMENT, {}),
        ("1: positive\nAgain: 1: negative\n1: negative", SENTIMENT, {1: "negative"}),
        ("So: 1 pos, 2 neg, 3 pos.", SENTIMENT, {1: "positive", 2: "negative", 3: "positive"}),
        ("1: Odd\n2: 9/3 = 3. even", PARITIES, {1: "odd_number", 2: "even_number"}),
        ("1: more than once", ("exactly_once", "more_than_once"), {1: "more_than_once"}),
        ("1: exactly once", ("exactly_once", "more_than_once"), {1: "exactly_once"}),
        ("1: a poet (PER)\n2: Rome, location", ("LOC", "PER"), {1: "PER", 2: "LOC"}),
        ("1: ten per day", ("LOC", "PER"), {}),
        ("1: positively", SENTIMENT, {}),
        ("no mention, positive", SENTIMENT, {}),
    ],
)
def test_stated_labels(text: str, labels: tuple[str, ...], expected: dict[int, str]) -> None:
    assert stated_labels(text, find_mentions(text, N), labels) == expected


def test_where_the_stated_labels_start_to_fail() -> None:
    ids = list(range(1, 101))
    assert fails_from(ids, [True] * 100) is None
    assert fails_from(ids, [False] * 100) == 1
    # From id 46 on, the window holds 6 wrong ones of 20: the first below 75%.
    assert fails_from(ids, [at <= 59 for at in ids]) == 46
    assert fails_from(ids[:10], [False] * 10) is None


@pytest.mark.parametrize(
    ("characters", "source", "tokens", "expected"),
    [
        (80_000, "reasoning", 20_000, False),
        (80_000, "reasoning_summary", 20_000, True),
        (80_000, "summary", None, True),
        (1_500, "reasoning", 20_000, True),
        (10_000, "reasoning", 20_000, False),
        (9_999, "reasoning", 20_000, True),
        (100, "reasoning", 499, False),
        (1_500, "reasoning", None, False),
        (1_500, None, 20_000, True),
    ],
)
def test_summaries(characters: int, source: str | None, tokens: int | None, expected: bool) -> None:
    assert is_summary("x" * characters, source, tokens) is expected


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "1: positive\n",
            "after 5 all ",
            "start",
            "starting",
            "first 7 ",
            '"',
            '1: "',
            "“",
            "7, 8, ",
        ),
        *("instances 1, 2 and 3 ", "alternat", "exactly ", "12-19 ", "1" * 50 + " ", "\n\n", "٣"),
    ],
)
def test_time_is_linear_in_the_trace(unit: str) -> None:
    # Eight times the text: a quadratic rule would take 64 times as long.
    assert seconds(unit, 480_000) < 24 * seconds(unit, 60_000) + 0.5


def test_five_megabytes_are_read_within_seconds() -> None:
    assert seconds("9" * 40 + ' "12,', 5_000_000) < 20


def seconds(unit: str, size: int) -> float:
    text = unit * (size // len(unit))
    started = time.process_time()
    reading = read_trace(text, N, SENTIMENT)
    classify_trace(text, reading.named, N, reading.stopped_at, boundaries=(1_100,))
    return time.process_time() - started
