"""Error messages that a person can read: short, without keys, without the prompt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evenhand.models._keys import redact_message
from evenhand.prompts import Message

LONGEST = 300
_SCANNED = 2_000
_SHORTEST_ECHO = 32
_STEP = 8


def brief(text: str, *, secrets: Iterable[str] = (), prompt: Sequence[Message] = ()) -> str:
    """One line of at most 300 characters, all of them printable.

    Args:
        text: What the server said, of any length.
        secrets: Keys to be masked.
        prompt: What was sent; any run of 32 or more characters of it is replaced by ``[prompt]``.
    """
    head = redact_message(text[:_SCANNED], secrets)
    for message in prompt:
        head = _without_echo(head, message.content)
    line = " ".join(head.split())
    line = "".join(letter if letter.isprintable() else "\ufffd" for letter in line)
    if len(line) > LONGEST or len(text) > _SCANNED:
        line = line[: LONGEST - 2].rstrip() + " …"
    return line


def _without_echo(text: str, sent: str) -> str:
    """The text with long runs that also stand in ``sent`` replaced."""
    kept: list[str] = []
    at = start = 0
    while at + _SHORTEST_ECHO <= len(text):
        if text[at : at + _SHORTEST_ECHO] not in sent:
            at += 1
            continue
        end = at + _SHORTEST_ECHO
        while end < len(text) and text[at : end + _STEP] in sent:
            end += _STEP
        kept += [text[start:at], "[prompt]"]
        at = start = min(end, len(text))
    kept.append(text[start:])
    return "".join(kept)
