"""Math: the answer is exact, positive, and no number shown says anything about its parity."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product

import pytest

from evenhand.pools._synthetic import synthetic_pool
from evenhand.pools._synthetic._math import (
    Problem,
    Terms,
    evaluate,
    free_numbers,
    load_problems,
    parse_terms,
)

_, PROBLEMS = load_problems("math")


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("a", ((1, ("a",)),)),
        ("3*a + b", ((3, ("a",)), (1, ("b",)))),
        ("a*b - 2*c - 10", ((1, ("a", "b")), (-2, ("c",)), (-10, ()))),
        ("4*q", ((4, ("q",)),)),
        ("200", ((200, ()),)),
    ],
)
def test_parse_terms(text: str, terms: Terms) -> None:
    assert parse_terms(text) == terms


def test_evaluate() -> None:
    assert evaluate(parse_terms("3*a + b*c - 2*b - 10"), {"a": 5, "b": 4, "c": 7}) == 25


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("a + b - c", ("a", "b", "c")),
        ("2*a + 3*b", ("b",)),
        ("k*a - a + b", ("b",)),
        ("a*b + 4", ()),
    ],
)
def test_free_numbers(text: str, free: tuple[str, ...]) -> None:
    assert free_numbers(parse_terms(text)) == free


@pytest.mark.parametrize("problem", PROBLEMS, ids=range(len(PROBLEMS)))
def test_every_problem_is_sound(problem: Problem) -> None:
    used = {
        name
        for terms in (problem.answer, *problem.shown.values())
        for _, ns in terms
        for name in ns
    }
    assert used == set(problem.ranges)
    assert {name for _, names in problem.answer for name in names} <= {
        name for terms in problem.shown.values() for _, names in terms for name in names
    }
    for low, high in problem.ranges.values():
        assert (low % 2, high % 2) == (0, 1)
        assert low < high
    # A sum of products of distinct numbers is smallest at a corner of the ranges.
    for corner in product(*problem.ranges.values()):
        values = dict(zip(problem.ranges, corner, strict=True))
        assert evaluate(problem.answer, values) > 0
        assert all(evaluate(terms, values) > 0 for terms in problem.shown.values())


@pytest.mark.parametrize("problem", PROBLEMS, ids=range(len(PROBLEMS)))
def test_no_shown_number_tells_the_parity_of_the_answer(problem: Problem) -> None:
    """Over all evenly likely parities, odd answers are half of all, whatever one number is."""
    assert len(free_numbers(problem.answer)) >= 2
    for terms in problem.shown.values():
        seen: dict[int, list[int]] = {}
        for parities in product((2, 3), repeat=len(problem.ranges)):
            values = dict(zip(problem.ranges, parities, strict=True))
            odd = evaluate(problem.answer, values) % 2
            seen.setdefault(evaluate(terms, values) % 2, []).append(odd)
        assert all(2 * sum(odds) == len(odds) for odds in seen.values())


def test_parity_is_the_label() -> None:
    for instance in synthetic_pool("math", 2_000).instances:
        assert instance.answer is not None
        assert instance.label == ("odd_number" if instance.answer % 2 else "even_number")


# Problems solved again here, from the numbers in the text alone.
SOLVED: dict[str, Callable[..., int]] = {
    r"A train leaves with (\d+) .* stop (\d+) get off and (\d+) get on.* stop (\d+) get off": (
        lambda a, b, c, d: a - b + c - d
    ),
    r" reads (\d+) pages .* times as many pages, .* reads (\d+) pages.* has (\d+) pages": (
        lambda a, b, c: a + 3 * a + b + c
    ),
    r" is (\d+) years old.* is (\d+) years older .* is (\d+) years older than the two": (
        lambda a, b, c: a + (a + b) + c
    ),
    r"In a jar there are (\d+) .* twice as many .* and (\d+) .* out (\d+) .* and (\d+) more": (
        lambda a, b, c, d: a + 2 * a + b - c - d
    ),
    r" bakes (\d+) .* a third of them .* sells (\d+) .* bakes (\d+) more": (
        lambda a, b, c: a - b + c
    ),
    r" scored (\d+) points .*, (\d+) points fewer .* and (\d+) points more": (
        lambda a, b, c: a + (a - b) + (a - b + c)
    ),
    r" of (\d+)\. On \w+ it sold (\d+) full .* and (\d+) single .* brought back (\d+)": (
        lambda k, a, b, c: k * a + b - c
    ),
    r" drives (\d+) miles to .* then (\d+) miles .* back (\d+) miles longer.* with (\d+) miles": (
        lambda a, b, c, d: a + b + (a + b + c) - d
    ),
}


@pytest.mark.parametrize("pattern", SOLVED)
def test_answers_follow_from_the_text(pattern: str) -> None:
    solve = SOLVED[pattern]
    found = 0
    for instance in synthetic_pool("math", 1_500).instances:
        if match := re.search(pattern, instance.text):
            found += 1
            assert instance.answer == solve(*map(int, match.groups())), instance.text
    assert found > 20
