"""A stored generation as token ids: what is replayed by teacher forcing (F.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from evenhand.attribution._answer import find_answer, inside_json
from evenhand.attribution._gradient import Replay
from evenhand.attribution._offsets import token_offsets
from evenhand.attribution._spans import InstanceTokens, instance_tokens
from evenhand.errors import EvenhandError, UsageError
from evenhand.models._local import chat_text, token_ids
from evenhand.prompts import Message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class NotReplayableError(EvenhandError):
    """One stored generation cannot be replayed; the message is the reason, and is counted."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One generation as the run folder holds it.

    Attributes:
        messages: The exact messages.
        spans: Character range of every instance's text in the last message.
        labels: Of the task, in its order.
        selected: The label that the generation gave.
        forced: Whether the labels were compared instead of a reply written.
        text: The reply, empty where ``forced``.
        reasoning: What the provider gave in a field of its own, or None.
    """

    messages: tuple[Message, ...]
    spans: tuple[tuple[int, int], ...]
    labels: tuple[str, str]
    selected: str
    forced: bool
    text: str = ""
    reasoning: str | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """A generation ready to be replayed: its tokens, and which belong to which instance."""

    replay: Replay
    instances: InstanceTokens


def prepare(tokenizer: PreTrainedTokenizerBase, stored: Stored) -> Prepared:
    """Tokenise a generation up to its answer, once with each label.

    One rendering through the chat template gives the text. Each label is tokenised where it
    stands, with what follows it; the tokens that both labels' texts begin with are the prefix, and
    a label's own tokens end with the last one that holds a character of it. Where one label's
    tokens begin the other's, both are taken with the token that follows: it ends the shorter one.

    Args:
        tokenizer: The model's, with a chat template.
        stored: What was generated.

    Raises:
        NotReplayableError: If the instances, the reply's reasoning or its label cannot be placed,
            or the tokens cannot be followed.
        UsageError: If the chat template refuses the messages.
    """
    if not stored.spans:
        raise NotReplayableError("where its records stand in the prompt is unknown")
    opened = chat_text(tokenizer, stored.messages, forced=stored.forced)
    before, selected, after, alternative = (
        _forced(opened, stored) if stored.forced else _written(tokenizer, opened, stored)
    )
    try:
        return _tokenised(tokenizer, stored, before, (selected, alternative), after)
    except UsageError as error:
        raise NotReplayableError(str(error)) from None


def _tokenised(
    tokenizer: PreTrainedTokenizerBase,
    stored: Stored,
    before: str,
    labels: tuple[str, str],
    after: str,
) -> Prepared:
    """Token ids of the prefix and of both labels, the selected one first in ``labels``."""

    def encode(text: str) -> list[tuple[int, tuple[int, int]]]:
        ids = token_ids(tokenizer, text, stored.messages)
        offsets = token_offsets(tokenizer, text, ids, stored.messages)
        return list(zip(ids, offsets, strict=True))

    (own, own_next), (other, other_next) = (
        _label_ids(encode, before, label, after) for label in labels
    )
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(own, other)))  # noqa: B905
    if own == other or not shared:
        raise NotReplayableError("the two labels are the same tokens")
    if shared in (len(own), len(other)):
        own, other = own + own_next, other + other_next
    rest = tuple(own[shared:]), tuple(other[shared:])
    first = stored.selected == stored.labels[0]
    replay = Replay(tuple(own[:shared]), rest if first else (rest[1], rest[0]))
    prompt = before + labels[0]
    at = _content_start(prompt, stored.messages)
    spans = [(at + lo, at + hi) for lo, hi in stored.spans]
    found = instance_tokens(prompt, [offsets for _, offsets in encode(prompt)], spans)
    if max((hi for _, hi in found.ranges), default=0) > shared:
        raise NotReplayableError("the answer's tokens reach into the instances")
    return Prepared(replay, found)


def _forced(opened: str, stored: Stored) -> tuple[str, str, str, str]:
    own, other = stored.labels if stored.selected == stored.labels[0] else stored.labels[::-1]
    # As the forced choice itself writes them: within a JSON string.
    return opened, inside_json(own), '"}', inside_json(other)


def _written(
    tokenizer: PreTrainedTokenizerBase, opened: str, stored: Stored
) -> tuple[str, str, str, str]:
    place = find_answer(stored.text, stored.labels, stored.selected)
    if place is None:
        raise NotReplayableError("the reply does not spell the label that it was found to give")
    lead = _lead(tokenizer, opened, stored)
    text = stored.text
    return lead + text[: place.lo], text[place.lo : place.hi], text[place.hi :], place.alternative


def _lead(tokenizer: PreTrainedTokenizerBase, opened: str, stored: Stored) -> str:
    """Everything before the visible reply: the opened turn, and separate reasoning in its place.

    Raises:
        NotReplayableError: If there is such reasoning and the chat template does not write it.
    """
    from jinja2 import TemplateError

    if not stored.reasoning or stored.reasoning in stored.text:
        return opened
    turns: list[dict[str, str]] = [
        {"role": message.role, "content": message.content} for message in stored.messages
    ]
    reply = {"role": "assistant", "content": stored.text}
    reply |= dict.fromkeys(("reasoning_content", "reasoning", "thinking"), stored.reasoning)
    render: Any = tokenizer.apply_chat_template
    try:
        whole = str(render([*turns, reply], tokenize=False))
    except TemplateError as error:
        raise NotReplayableError(f"the chat template refuses its reply: {error}") from None
    start = _content_start(whole, stored.messages) + len(stored.messages[-1].content.strip())
    thought = whole.find(stored.reasoning.strip(), start)
    spoken = whole.find(stored.text.strip(), thought + len(stored.reasoning.strip()))
    if thought < 0 or spoken < 0:
        raise NotReplayableError(
            "its reasoning came in a field of its own, and the chat template has no place for it"
        )
    return whole[:spoken] + stored.text[: len(stored.text) - len(stored.text.lstrip())]


def _label_ids(
    encode: Callable[[str], list[tuple[int, tuple[int, int]]]], before: str, label: str, after: str
) -> tuple[list[int], list[int]]:
    """Token ids up to the last one that holds a character of the label, and the next one if any."""
    # What follows can change the label's last token, a few characters far at most.
    read = encode(before + label + after[:32])
    end = len(before) + len(label)
    ids = [token for token, (lo, _) in read if lo < end]
    return ids, [token for token, _ in read[len(ids) : len(ids) + 1]]


def _content_start(text: str, messages: Sequence[Message]) -> int:
    """Where the last message's content begins; a trimmed one begins that much before.

    Raises:
        NotReplayableError: If the chat template changed the messages.
    """
    at = last = 0
    for message in messages:
        content = message.content
        start = text.find(content, at)
        if start < 0:
            start = text.find(content.strip(), at)
            if start < 0:
                raise NotReplayableError("the chat template rewrites the prompt")
            start -= len(content) - len(content.lstrip())
        at, last = start + len(content.rstrip()), start
    return last
