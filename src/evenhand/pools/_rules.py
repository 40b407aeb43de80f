"""What makes an upstream record eligible, and its gold label (Appendix A, C.1).

Each rule is a function of the record's columns and gives either the instance's text and label, or
the reason why the record is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Eligible:
    """A record that can become an instance; ``answer`` as in :class:`evenhand.pools.Instance`."""

    text: str
    label: str
    answer: int | None = None


Verdict = Eligible | str
"""An eligible record, or the reason why it is left out."""

_FINAL_ANSWER = re.compile(r"####\s*(-?(?:\d{1,3}(?:,\d{3})+|\d+))\s*\Z", re.ASCII)
_LONGEST_ANSWER = 18
"""Characters: what a pool file and a run folder can hold as a number."""
_WORD_THE = re.compile(r"\bthe\b", re.IGNORECASE)
_EDGE_MARKS = re.compile(r"^\W+|\W+$")
_SENSES = {"java_java": "place", "java_java_(programming_language)": "programming_language"}


def answer_parity(question: str, answer: str) -> Verdict:
    """Math: parity of the integer that follows ``####`` (thousands commas and a minus allowed)."""
    found = _FINAL_ANSWER.search(answer)
    if found is None:
        return "no integer final answer"
    if len(found[1]) > _LONGEST_ANSWER:
        return "final answer too long"
    value = int(found[1].replace(",", ""))
    return Eligible(question, "odd_number" if value % 2 else "even_number", value)


def only_entity(tokens: Sequence[str], ner_tags: Sequence[str]) -> Verdict:
    """NER: type of the only entity, PER or LOC, by IOB2 tags; the tokens joined by one space."""
    if len(tokens) != len(ner_tags):
        return "malformed tags"
    kinds = []
    previous = "O"
    for tag in ner_tags:
        prefix, _, kind = tag.partition("-")
        if prefix == "B" and kind:
            kinds.append(kind)
        elif tag != "O" and not (prefix == "I" and previous.partition("-")[2] == kind != ""):
            return "malformed tags"
        previous = tag
    if not kinds:
        return "no entity"
    if len(kinds) > 1:
        return "several entities"
    if kinds[0] not in ("PER", "LOC"):
        return f"entity is {kinds[0]}"
    return Eligible(" ".join(tokens), kinds[0])


def count_the(text: str) -> int | None:
    """How often "the" stands alone in ``text``, in any case; None where that can be disputed.

    Three usual ways of cutting words are asked: between word boundaries; between blanks, with the
    marks at both edges of a word taken off; between blanks and nothing taken off.
    """
    words = text.casefold().split()
    bounded = len(_WORD_THE.findall(text))
    trimmed = sum(_EDGE_MARKS.sub("", word) == "the" for word in words)
    bare = words.count("the")
    return bounded if bounded == trimmed == bare else None


def occurrence_of_the(text: str) -> Verdict:
    """Occurrence: "the" exactly once, or more than once, where its count is beyond dispute."""
    count = count_the(text)
    if count is None:
        return 'disputed count of "the"'
    if count == 0:
        return 'no "the"'
    return Eligible(text, "exactly_once" if count == 1 else "more_than_once", count)


def phrase_polarity(sentence: str, label: int | None) -> Verdict:
    """Sentiment: GLUE's own label, 0 negative and 1 positive."""
    if label not in (0, 1):
        return "no label"
    return Eligible(sentence, "positive" if label else "negative")


def word_sense(text: str, sense: str) -> Verdict:
    """WSD: the place or the programming language."""
    if sense not in _SENSES:
        return f"sense is {sense}"
    return Eligible(text, _SENSES[sense])
