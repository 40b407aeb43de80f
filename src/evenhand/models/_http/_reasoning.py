"""The visible text and the reasoning of one message, wherever a server puts them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.models._spec import Json, ReasoningPlace

_TAG = r"(?:think|thinking|thought|reasoning|analysis|scratchpad)"
_OPEN = re.compile(rf"\s*(?:<{_TAG}>|\[think\])", re.IGNORECASE)
_CLOSE = re.compile(rf"</{_TAG}>|\[/think\]", re.IGNORECASE)
_THINKING_TYPES = frozenset({"thinking", "reasoning", "reasoning.text", "reasoning_text"})
_SUMMARY_TYPES = frozenset({"summary", "reasoning.summary", "summary_text"})


@dataclass(frozen=True, slots=True)
class Voice:
    """What a message says, and what it says to itself.

    ``source`` names the field that the reasoning came from: ``reasoning``, ``reasoning_content``,
    ``blocks``, ``summary`` or ``think_tags``; None without reasoning. ``unfinished`` says that a
    thinking tag was opened and never closed.
    """

    text: str
    reasoning: str | None = None
    source: str | None = None
    unfinished: bool = False


def read_voice(message: Mapping[str, Json], place: ReasoningPlace | None = None) -> Voice:
    """Separate a message's visible text from its reasoning.

    Args:
        message: The message of a chat completion. Its content may be text, null, or a list of
            blocks; an empty list and null are no text at all.
        place: What the catalog says of this model; ``summary`` marks reasoning that is a summary
            although nothing in the reply says so.
    """
    text, from_blocks = _content(message.get("content"))
    reasoning, source = _separate(message)
    if not reasoning and from_blocks:
        reasoning, source = from_blocks, "blocks"
    unfinished = False
    if not reasoning:
        whole = text
        text, reasoning = _tagged(text)
        source = "think_tags" if reasoning else None
        unfinished = bool(reasoning) and text == whole
    if reasoning and place == "summary":
        source = "summary"
    return Voice(text, reasoning or None, source, unfinished)


def _separate(message: Mapping[str, Json]) -> tuple[str, str | None]:
    details = message.get("reasoning_details")
    for name in ("reasoning", "reasoning_content"):
        value = message.get(name)
        if isinstance(value, str) and value:
            return value, "summary" if _only_summaries(details) else name
    said = _joined(details)
    if said:
        return said, "summary" if _only_summaries(details) else "blocks"
    summary = message.get("summary") or message.get("reasoning_summary")
    said = summary if isinstance(summary, str) else _joined(summary)
    return said, "summary" if said else None


def _only_summaries(details: Json) -> bool:
    if not isinstance(details, Sequence) or isinstance(details, str):
        return False
    kinds = {str(block.get("type")) for block in details if isinstance(block, Mapping)}
    return bool(kinds & _SUMMARY_TYPES) and not kinds & _THINKING_TYPES


def _content(content: Json) -> tuple[str, str]:
    """Visible text and thinking of a message's content."""
    if isinstance(content, str):
        return content, ""
    if not isinstance(content, Sequence):
        return "", ""
    visible: list[str] = []
    thinking: list[str] = []
    for block in content:
        if isinstance(block, str):
            visible.append(block)
        elif isinstance(block, Mapping):
            kind = str(block.get("type", "text"))
            (thinking if kind in _THINKING_TYPES else visible).append(_block_text(block))
    return "".join(visible), "".join(thinking)


def _joined(blocks: Json) -> str:
    if not isinstance(blocks, Sequence) or isinstance(blocks, str):
        return ""
    return "".join(_block_text(block) for block in blocks if isinstance(block, Mapping))


def _block_text(block: Mapping[str, Json]) -> str:
    for name in ("text", "thinking", "reasoning", "summary", "content"):
        value = block.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, Sequence):
            return _joined(value)
    return ""


def _tagged(text: str) -> tuple[str, str]:
    """Split thinking tags off the front of a text.

    A chat template may have opened the tag within the prompt, so a closing tag alone counts too.
    A tag that is never closed stays in the text, for the outcome rules to see; what it holds is
    reasoning all the same.
    """
    opened = _OPEN.match(text)
    start = opened.end() if opened else 0
    closed = _CLOSE.search(text, start)
    if closed is not None:
        return text[closed.end() :].lstrip(), text[start : closed.start()].strip()
    return text, text[start:].strip() if opened else ""
