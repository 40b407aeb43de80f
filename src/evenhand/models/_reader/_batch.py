"""A reader that is shown a batch of records with ids: one label for each, no majority.

A record is a line of its id (a word, a dash, a number from 1), a colon and its text as a JSON
string, after a line ``Records:``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from evenhand.errors import UsageError
from evenhand.models._reader._prompt import look_up
from evenhand.models._reader._rule import Rule
from evenhand.prompts import Message, fold

_LINE = re.compile(r'^([a-z0-9]+-[1-9][0-9]*): (".*")$', re.MULTILINE)
_HEAD = "\n\nRecords:\n"
_LABELS = re.compile(r"^Labels: (.*)$", re.MULTILINE)
_QUOTED = re.compile(r'"([^"\n]*)"')

Draw = Callable[..., int]


def batch_records(messages: Sequence[Message]) -> list[tuple[str, str]]:
    """Ids and texts of a batch, in order; empty where the prompt holds none."""
    if not messages:
        return []
    _, head, listed = messages[-1].content.partition(_HEAD)
    return [(line[1], json.loads(line[2])) for line in _LINE.finditer(listed)] if head else []


def batch_labels(messages: Sequence[Message]) -> tuple[str, ...]:
    """The labels that the prompt offers."""
    line = _LABELS.search(messages[-1].content)
    return tuple(_QUOTED.findall(line[1])) if line else ()


def answer_batch(
    rule: Rule,
    records: Sequence[tuple[str, str]],
    labels: Sequence[str],
    answer_key: Mapping[str, str],
    draw: Draw,
) -> str:
    """The reply of a rule to a batch: a JSON object of ids and labels.

    A rule that reads only some records leaves the ids of the others out. ``noisy`` errs by its own
    name and the text, so the same way in every batch; ``coin`` draws by the id.

    Raises:
        UsageError: If a text is not in the answer key, or the rule's label is not offered.
    """
    if rule.kind == "label":
        if rule.label not in labels:
            raise UsageError(f"reader/{rule.spec}: the prompt offers no label {rule.label!r}")
        return _object({id_: rule.label for id_, _ in records})
    if rule.kind == "coin":
        return _object({id_: labels[draw("coin", id_) % len(labels)] for id_, _ in records})
    truth = look_up([fold(text) for _, text in records], answer_key)
    said = {}
    for at in rule.reads(len(records)):
        (id_, text), label = records[at - 1], truth[at - 1]
        if rule.kind == "noisy":
            number = draw("noisy", rule.spec, text)
            if number / 2**64 >= rule.accuracy:
                others = [other for other in labels if other != label]
                label = others[number % len(others)]
        said[id_] = label
    return _object(said)


def _object(said: Mapping[str, str]) -> str:
    return json.dumps(said, ensure_ascii=False)
