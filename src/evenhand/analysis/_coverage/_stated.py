"""The label that a trace states beside an id (``101: place``)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from evenhand.analysis._coverage._mentions import Mention

_REACH = 400
_QUOTED = re.compile(r'"[^"\n]{0,400}"|“[^”\n]{0,400}”')
_JOINT = re.compile(
    r"[\])\"'*`]{0,3}[ \t]*(?:[,;/&]|and|or)?[ \t]*(?:and|or)?[ \t#]*", re.IGNORECASE
)
_SHORTENED = ("negative", "positive", "programming")
_OTHER_WORDS: Mapping[str, tuple[str, ...]] = {
    "PER": ("person", "people"),
    "LOC": ("location",),
}
"""How traces spell out labels that are abbreviations."""


def label_words(labels: Sequence[str]) -> dict[str, str]:
    """The words by which traces state a label.

    The label itself, with blanks or hyphens for underscores; of a label of two words the first
    (``even`` for ``even_number``); prefixes of three letters or more of ``negative``, ``positive``
    and ``programming``; ``person`` and ``location`` for PER and LOC. A word that would fit both
    labels fits neither.

    Returns:
        Word, in lower case unless the label has at most three letters, to label.
    """
    words: dict[str, str] = {}
    shared: set[str] = set()
    for label in labels:
        parts = re.split(r"[_\s-]+", label)
        forms = {label, " ".join(parts), "-".join(parts), *_OTHER_WORDS.get(label, ())}
        if len(parts) == 2:
            forms.add(parts[0])
        if parts[0].lower() in _SHORTENED:
            forms |= {parts[0][:size] for size in range(3, len(parts[0]) + 1)} - {"pro"}
        for form in forms:
            word = form if len(label) <= 3 and form == label else form.lower()
            if words.get(word, label) != label:
                shared.add(word)
            words[word] = label
    return {word: label for word, label in words.items() if word not in shared}


def stated_labels(text: str, mentions: Sequence[Mention], labels: Sequence[str]) -> dict[int, str]:
    """The label that the trace states for each id that it names; the last statement counts.

    A statement is the last label word between the mention and the next one, on the mention's line
    (or the line below if its own is empty) and within 400 characters; quoted text is passed over.
    Ids in a list (``3, 4 and 5 are negative``) share what follows the list. Ranges state no id's
    label.

    Args:
        text: The trace.
        mentions: From :func:`find_mentions`.
        labels: The two labels.

    Returns:
        Id to label; ids without a statement are missing.
    """
    # Spelt out in every usual case: much faster than a pattern that ignores case.
    words = {
        form: label
        for word, label in label_words(labels).items()
        for form in (
            {word, word.capitalize(), word.title(), word.upper()} if word.islower() else {word}
        )
    }
    pattern = re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(words, key=len, reverse=True)))})(?!\w)"
    )
    statements: list[tuple[int, str]] = []
    inherited: str | None = None
    following: Mention | None = None
    for mention in reversed(mentions):
        stop = following.start if following is not None else len(text)
        between = text[mention.end : min(stop, mention.end + _REACH)]
        same_number = following is not None and following.start < mention.end
        joined = following is not None and (
            same_number
            or (
                mention.kind == "worded" == following.kind
                and mention.end + len(between) == following.start
                and _JOINT.fullmatch(between) is not None
            )
        )
        label = inherited if joined else _last_label(between, pattern, words)
        if mention.kind != "range" and label is not None:
            statements.append((mention.first, label))
        inherited, following = label, mention
    return dict(reversed(statements))


def _last_label(segment: str, pattern: re.Pattern[str], words: Mapping[str, str]) -> str | None:
    line, broken, below = segment.partition("\n")
    if broken and not line.strip(" \t\r:.)*-"):
        line = below.partition("\n")[0]
    if '"' in line or "“" in line:
        line = _QUOTED.sub(" ", line)
    found = pattern.findall(line)
    return words[found[-1]] if found else None
