"""Word problems with a whole-number answer whose parity nothing in the text gives away (Math).

Numbers are drawn evenly from ranges that hold as many even as odd ones. Where the answer's parity
is not the label's, one number that enters it alone and with an odd factor moves to its even or odd
neighbour. Every problem has at least two such numbers, so the parity of each is still a fair coin.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from pydantic import BaseModel, ConfigDict, Field

from evenhand.pools._synthetic._data import Entries, read_toml
from evenhand.pools._synthetic._draw import Draws
from evenhand.pools._synthetic._grammar import (
    Lexicons,
    Template,
    compile_lexicons,
    compile_template,
    fill,
)
from evenhand.pools._synthetic._made import Made, Maker

_TERM = re.compile(r"([+-]?)\s*([^+\-\s]+)")
_SHOWN = re.compile(r"<([^<>]+)>")
_SPACED = re.compile(r" (?=[.,?])")
_RANGE = re.compile(r"(\w+) (\d+)-(\d+)")

Terms = tuple[tuple[int, tuple[str, ...]], ...]


class ProblemData(BaseModel):
    """One problem as the data file holds it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    numbers: str
    answer: str


class MathData(BaseModel):
    """The data file: word lists and problems."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: dict[str, Entries]
    problems: tuple[ProblemData, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem, ready to fill.

    Attributes:
        template: Its text.
        ranges: Number name → lowest and highest value; the lowest is even, the highest odd.
        answer: Sum of products of numbers.
        shown: What the text shows between ``<`` and ``>`` → its terms.
        free: The number that moves to its neighbour to make the parity.
    """

    template: Template
    ranges: Mapping[str, tuple[int, int]]
    answer: Terms
    shown: Mapping[str, Terms]
    free: str


def math_maker(task: str, labels: tuple[str, str]) -> Maker:
    """The maker of word problems.

    Args:
        task: Name of the data file.
        labels: The label for even answers, then the label for odd ones.
    """
    lexicons, problems = load_problems(task)
    scene = compile_template("[{scene}|{scene}|]")
    parity = {label: rest for rest, label in enumerate(labels)}

    def make(label: str, draws: Draws) -> Made:
        problem = draws.pick(problems)
        text = fill((*scene, " ", *problem.template), lexicons, draws)
        values = {name: draws.within(*limits) for name, limits in problem.ranges.items()}
        if evaluate(problem.answer, values) % 2 != parity[label]:
            values[problem.free] ^= 1
        text = _SHOWN.sub(lambda found: str(evaluate(problem.shown[found[1]], values)), text)
        return Made(_SPACED.sub("", text), evaluate(problem.answer, values))

    return make


def load_problems(task: str) -> tuple[Lexicons, tuple[Problem, ...]]:
    """Word lists and problems of the data file."""
    data = MathData.model_validate(read_toml(task))
    return compile_lexicons(data.words), tuple(map(_problem, data.problems))


def parse_terms(text: str) -> Terms:
    """Read a sum of products such as ``3*a + b*c - 10``: coefficient and number names a term."""
    terms = []
    for sign, product in _TERM.findall(text):
        factors = product.split("*")
        names = tuple(factor for factor in factors if not factor.isdigit())
        coefficient = prod(int(factor) for factor in factors if factor.isdigit())
        terms.append((-coefficient if sign == "-" else coefficient, names))
    return tuple(terms)


def evaluate(terms: Terms, values: Mapping[str, int]) -> int:
    """The value of a sum of products."""
    return sum(coefficient * prod(values[name] for name in names) for coefficient, names in terms)


def free_numbers(terms: Terms) -> tuple[str, ...]:
    """The numbers that enter a sum once, alone and with an odd coefficient."""
    used = [name for _, names in terms for name in names]
    return tuple(
        names[0]
        for coefficient, names in terms
        if len(names) == 1 and coefficient % 2 == 1 and used.count(names[0]) == 1
    )


def _problem(data: ProblemData) -> Problem:
    answer = parse_terms(data.answer)
    return Problem(
        template=compile_template(data.text),
        # From an even number to an odd one: as many of each, and a neighbour for every number.
        ranges={
            name: (int(low) & ~1, int(high) | 1) for name, low, high in _RANGE.findall(data.numbers)
        },
        answer=answer,
        shown={shown: parse_terms(shown) for shown in _SHOWN.findall(data.text)},
        free=free_numbers(answer)[-1],
    )
