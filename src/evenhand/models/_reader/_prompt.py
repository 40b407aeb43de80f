"""What a reader sees of a prompt: its instance lines and its labels."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence

from evenhand.errors import UsageError
from evenhand.prompts import Message

_LINE = re.compile(r"^Instance ([0-9]+): (.*)$", re.MULTILINE)
_TEXT = re.compile(r'Text: (".*")')
_QUOTED = re.compile(r'"([^"\n]{1,200})"')


def instance_texts(messages: Sequence[Message]) -> list[str]:
    """The instances' texts in order; empty if the prompt lists none.

    The list starts at the last line that is numbered 1, so that an example in an instruction is
    not taken for it.

    Raises:
        UsageError: If the lines are not numbered 1, 2, 3, ...
    """
    if not messages:
        return []
    lines = [(int(line[1]), line[2]) for line in _LINE.finditer(messages[-1].content)]
    starts = [at for at, (number, _) in enumerate(lines) if number == 1]
    listed = lines[starts[-1] :] if starts else []
    for wanted, (number, _) in enumerate(listed, start=1):
        if number != wanted:
            raise UsageError(
                f"a reader found instance {number} where instance {wanted} should be: "
                "readers read lists numbered 1, 2, 3, ..."
            )
    return [text for _, text in listed]


def single_text(messages: Sequence[Message]) -> str | None:
    """The text of a record asked about on its own; None where the prompt lists instances.

    Such a prompt ends with a line ``Text:`` and the record as a JSON string.
    """
    lines = messages[-1].content.rsplit("\n", 1) if messages else []
    shown = _TEXT.fullmatch(lines[-1]) if lines else None
    if shown is None:
        return None
    try:
        text = json.loads(shown[1])
    except ValueError:
        return None
    return str(text)


def look_up(texts: Sequence[str], answer_key: Mapping[str, str]) -> list[str]:
    """The label of every text.

    Raises:
        UsageError: If a text is not in the key; names the instance.
    """
    try:
        return [answer_key[text] for text in texts]
    except KeyError:
        at, text = next((at, text) for at, text in enumerate(texts, 1) if text not in answer_key)
    shown = text if len(text) <= 60 else text[:57] + "..."
    raise UsageError(
        f"instance {at} ({shown!r}) is not in the reader's answer key: readers only work on "
        "records whose labels are known; use a real model for others"
    )


def prompt_labels(
    messages: Sequence[Message], known: Collection[str], seen: Sequence[str]
) -> tuple[str, str]:
    """The two labels, as the prompt quotes them, or else as the instances hold them.

    Args:
        messages: The prompt.
        known: Every label in the answer key.
        seen: Labels of the prompt's instances.

    Raises:
        UsageError: If that does not make two labels.
    """
    head = messages[-1].content.partition("\nInstance 1: ")[0] if messages else ""
    quoted = [word for word in _QUOTED.findall(head) if word in known]
    for found in (list(dict.fromkeys(quoted)), sorted(set(seen)), sorted(known)):
        if len(found) == 2:
            return found[0], found[1]
    raise UsageError(
        "a reader cannot tell the two labels of this prompt: pass them in the settings, or an "
        "answer key that holds exactly two"
    )
