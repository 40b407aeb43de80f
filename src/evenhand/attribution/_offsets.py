"""Which characters each token stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.errors import UsageError
from evenhand.prompts import Message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_HALF = "\ufffd"
"""What decoding writes for a character of which some bytes are still to come."""


def token_offsets(
    tokenizer: PreTrainedTokenizerBase,
    text: str,
    ids: Sequence[int],
    messages: Sequence[Message] = (),
) -> list[tuple[int, int]]:
    """Half-open character range of every token.

    The tokenizer's own offsets where it has them and reads the text into the same ids, control
    tokens' names within the messages as letters; else the tokens are decoded one after another and
    followed through the text.

    Args:
        tokenizer: The model's.
        text: What the ids were made from.
        ids: Token ids of the whole text, nothing added.
        messages: What the chat template wrote into the text.

    Raises:
        UsageError: If the tokens, decoded, do not give the text.
    """
    if tokenizer.is_fast:
        for pieces in ([(0, len(text), False)], _pieces(text, messages)):
            read = [_own_offsets(tokenizer, text, *piece) for piece in pieces]
            if [one for found, _ in read for one in found] == list(ids):
                return [one for _, offsets in read for one in offsets]

    def decode(some: Sequence[int]) -> str:
        return str(
            tokenizer.decode(
                list(some), skip_special_tokens=False, clean_up_tokenization_spaces=False
            )
        )

    return align(text, ids, decode)


def _pieces(text: str, messages: Sequence[Message]) -> list[tuple[int, int, bool]]:
    """The messages, to be read as letters, and what the chat template put between them."""
    found: list[tuple[int, int, bool]] = []
    at = 0
    for message in messages:
        content = message.content if message.content in text[at:] else message.content.strip()
        start = max(at, text.find(content, at))
        found += [(at, start, False), (start, start + len(content), True)]
        at = start + len(content)
    return [*found, (at, len(text), False)]


def _own_offsets(
    tokenizer: PreTrainedTokenizerBase, text: str, lo: int, hi: int, letters: bool
) -> tuple[list[int], list[tuple[int, int]]]:
    """Ids of one piece of the text, and their ranges in the whole of it."""
    options: dict[str, Any] = {"split_special_tokens": True} if letters else {}
    read: Any = tokenizer(
        text[lo:hi],
        add_special_tokens=False,
        return_offsets_mapping=True,
        # A text longer than the model reads is left out, not run.
        verbose=False,
        **options,
    )
    ranges = [(int(start) + lo, int(end) + lo) for start, end in read["offset_mapping"]]
    return list(read["input_ids"]), ranges


def align(
    text: str, ids: Sequence[int], decode: Callable[[Sequence[int]], str]
) -> list[tuple[int, int]]:
    """Offsets by decoding: the fallback for tokenizers that have none.

    A token is decoded with the one before it, because some tokenizers drop the space in front of
    the first token they decode. Tokens that hold parts of one character all get its range.

    Args:
        text: What the ids were made from.
        ids: Token ids of the whole text.
        decode: Token ids to text.

    Raises:
        UsageError: If the tokens, decoded, do not give the text.
    """
    found: list[tuple[int, int]] = []
    at = 0
    start = 0
    context: Sequence[int] = ()

    def written(end: int) -> str:
        return decode([*context, *ids[start:end]])[len(decode(context)) if context else 0 :]

    for number in range(len(ids)):
        piece = written(number + 1)
        if piece.endswith(_HALF):
            if not text.startswith(piece, at):
                continue
            # The text may hold this very character; then its bytes may be several tokens too.
            if number + 1 < len(ids) and written(number + 2) == piece:
                continue
        if not text.startswith(piece, at):
            raise UsageError(
                f"the tokenizer's tokens do not spell the prompt from character {at:,} on: "
                "its instances cannot be told apart"
            )
        found += [(at, at + len(piece))] * (number + 1 - start)
        at += len(piece)
        context = ids[start : number + 1]
        start = number + 1
    if at != len(text) or start != len(ids):
        raise UsageError("the tokenizer's tokens do not spell the whole prompt")
    return found
