"""Messages with an exact number of the word "the" (Occurrence).

Nothing but that word may tell the labels apart. So both labels draw their clauses alike; every
clause holds nouns that read well with the article and without; the label only decides how many of
them get it. A tail then fills the message to a length that was drawn before the label mattered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from evenhand.pools._synthetic._data import Entries, read_toml
from evenhand.pools._synthetic._draw import Draws
from evenhand.pools._synthetic._grammar import (
    Template,
    compile_lexicons,
    compile_template,
    fill,
)
from evenhand.pools._synthetic._made import Made, Maker

ARTICLE = "the"
MARK = "~"

# Characters that article and tail take together. The range is wide, so that how much of it the
# tail fills says little about the article.
_SHORTEST, _LONGEST = 22, 76
# Of the messages with more than one article: two, three or four (in twentieths).
_COUNTS = (2,) * 14 + (3,) * 5 + (4,)
_JOINS = (". ", "! ", "... ", ", ", " - ", "; ", " and ", " but ", ". ", "! ")
_ENDS = ("", ".", "!", "...", "?!", "!!", ",", " -")


class OccurrenceData(BaseModel):
    """The data file: word lists, the tail's pieces, the ways to start."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: dict[str, Entries]
    tail: dict[str, Entries]


def occurrence_maker(task: str, labels: tuple[str, str]) -> Maker:
    """The maker of messages.

    Args:
        task: Name of the data file.
        labels: The label for exactly one article, then the label for more.
    """
    data = OccurrenceData.model_validate(read_toml(task))
    lexicons = compile_lexicons(data.words)
    two, one = compile_template("{clause}"), compile_template("{single}")
    starts = data.tail["start"]
    tails = Tails(data.tail["pieces"], _LONGEST)
    once = labels[0]

    def make(label: str, draws: Draws) -> Made:
        clauses = [fill(two, lexicons, draws)]
        if (second := draws.below(6)) < 3:
            clauses.append(fill(two if second == 0 else one, lexicons, draws))
        text = clauses[0] + "".join(draws.pick(_JOINS) + clause for clause in clauses[1:])
        text += draws.pick(_ENDS)
        if draws.below(5) < 2:
            text = f"{draws.pick(starts)} {text}"
        length = draws.within(_SHORTEST, _LONGEST)
        places = text.count(MARK)
        count = draws.pick(_COUNTS)
        count = 1 if label == once else min(count, places)
        tail = tails.draw(length - count * (len(ARTICLE) + 1), draws)
        text = _with_articles(text, draws.subset(places, count), draws)
        if draws.below(4):
            text = text[0].upper() + text[1:]
        return Made(f"{text} {tail}", count)

    return make


def load_clauses(task: str) -> tuple[Template, ...]:
    """Every clause that a message is made of."""
    words = OccurrenceData.model_validate(read_toml(task)).words
    return tuple(map(compile_template, (*words["clause"], *words["single"])))


class Tails:
    """Tails of an exact length, made of pieces joined by spaces."""

    def __init__(self, pieces: Sequence[str], longest: int) -> None:
        self._fitting: Mapping[int, tuple[str, ...]] = _fitting(pieces, longest)

    def draw(self, length: int, draws: Draws) -> str:
        """A tail of exactly ``length`` characters."""
        chosen: list[str] = []
        while length > 0:
            # The longer of two, so that a tail is a remark or two rather than many scraps.
            fitting = self._fitting[length]
            piece = max(draws.pick(fitting), draws.pick(fitting), key=len)
            chosen.append(piece)
            length -= len(piece) + 1
        return " ".join(chosen)


def _fitting(pieces: Sequence[str], longest: int) -> dict[int, tuple[str, ...]]:
    """For each length that can be filled exactly: the pieces that may come first."""
    fitting: dict[int, tuple[str, ...]] = {}
    for length in range(1, longest + 1):
        first = tuple(
            piece for piece in pieces if len(piece) == length or length - len(piece) - 1 in fitting
        )
        if first:
            fitting[length] = first
    return fitting


def _with_articles(text: str, chosen: frozenset[int], draws: Draws) -> str:
    head, *nouns = text.split(MARK)
    pieces = [head]
    for place, noun in enumerate(nouns):
        if place in chosen:
            pieces.append(("THE" if draws.below(30) == 0 else ARTICLE) + " ")
        pieces.append(noun)
    return "".join(pieces)
