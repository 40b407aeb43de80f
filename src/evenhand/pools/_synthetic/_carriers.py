"""Texts whose label is that of the frame and words they are made of: NER, Sentiment, WSD.

One TOML file a task: ``[words]`` for both labels, ``[label.words]`` for one, and bands of frames
with a weight each. A band's ``frames`` serve both labels; ``own`` bands name their label. Every
label sees the other's word lists under ``other_...``, for frames such as "not {other_adj}".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.pools._synthetic._data import read_data
from evenhand.pools._synthetic._draw import Draws
from evenhand.pools._synthetic._grammar import (
    Lexicons,
    Template,
    compile_lexicons,
    compile_template,
    fill,
)
from evenhand.pools._synthetic._made import Made, Maker

OTHER = "other_"


@dataclass(frozen=True, slots=True)
class Band:
    """Frames of about one length, with the share of texts (in hundredths) that use them."""

    weight: int
    frames: tuple[Template, ...]


@dataclass(frozen=True, slots=True)
class LabelGrammar:
    """What one label's texts are made of."""

    bands: tuple[Band, ...]
    lexicons: Lexicons


def carrier_maker(task: str, labels: tuple[str, str]) -> Maker:
    """The maker of one of the tasks that are built from frames.

    Args:
        task: Name of the task, and of its data file.
        labels: The task's two labels.
    """
    grammars = load_grammars(task, labels)

    def make(label: str, draws: Draws) -> Made:
        grammar = grammars[label]
        share = draws.below(sum(band.weight for band in grammar.bands))
        for band in grammar.bands:
            share -= band.weight
            if share < 0:
                break
        return Made(fill(draws.pick(band.frames), grammar.lexicons, draws))

    return make


def load_grammars(task: str, labels: tuple[str, str]) -> dict[str, LabelGrammar]:
    """Frames and word lists of both labels."""
    data = read_data(task)
    own = {label: data.words(label) for label in labels}
    grammars = {}
    for label, other in (labels, labels[::-1]):
        words = {
            **data.words(None),
            **_as_other(own[other]),
            **own[label],
        }
        bands = tuple(
            Band(band.weight, tuple(map(compile_template, band.frames)))
            for band in data.bands
            if band.label in (None, label)
        )
        grammars[label] = LabelGrammar(bands, compile_lexicons(words))
    return grammars


def _as_other(words: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The other label's word lists under their new names, in their entries' slots as well."""

    def renamed(slot: re.Match[str]) -> str:
        return f"{{{OTHER}{slot[1]}" if slot[1] in words else slot[0]

    return {
        OTHER + name: [re.sub(r"\{(\w+)", renamed, entry) for entry in entries]
        for name, entries in words.items()
    }
