"""Words: what may stand in an experiment id, and when two answers count as the same word."""

from __future__ import annotations

import re
import unicodedata

WORD_RULE = "one word without spaces, '/', '=' or invisible control characters"

# Controls, marks that turn the direction of what follows, and lone surrogates can be read by
# nobody, and some of them cannot be stored or printed.
_NO_WORD = r"\s/=\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff"
_WORD = re.compile(f"[^{_NO_WORD}]+")
_GAP = re.compile(f"[{_NO_WORD}]+")
_INVISIBLE = "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060"


def is_word(text: str) -> bool:
    """Whether ``text`` can be a part of an experiment id."""
    return _WORD.fullmatch(text) is not None


def as_word(text: str) -> str:
    """``text`` with every run of characters that a word cannot hold made one hyphen."""
    return _GAP.sub("-", text)


def fold_word(word: str) -> str:
    """``word`` as answers are compared: NFKC, case folded, trimmed, without invisible marks."""
    normal = unicodedata.normalize("NFKC", word).casefold()
    return trim_word(unicodedata.normalize("NFKC", normal))


def trim_word(word: str) -> str:
    """Strip blanks and invisible marks; in a loop, since either can hide behind the other."""
    while (shorter := word.strip().strip(_INVISIBLE)) != word:
        word = shorter
    return word
