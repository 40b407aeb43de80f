"""Which characters each token stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from evenhand.errors import UsageError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_HALF = "\ufffd"
"""What decoding writes for a character of which some bytes are still to come."""


def token_offsets(
    tokenizer: PreTrainedTokenizerBase, text: str, ids: Sequence[int]
) -> list[tuple[int, int]]:
    """Half-open character range of every token.

    The tokenizer's own offsets where it has them and reads the text into the same ids; else the
    tokens are decoded one after another and followed through the text.

    Args:
        tokenizer: The model's.
        text: What the ids were made from.
        ids: Token ids of the whole text, nothing added.

    Raises:
        UsageError: If the tokens, decoded, do not give the text.
    """
    if tokenizer.is_fast:
        read: Any = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        if list(read["input_ids"]) == list(ids):
            return [(int(lo), int(hi)) for lo, hi in read["offset_mapping"]]

    def decode(some: Sequence[int]) -> str:
        return str(
            tokenizer.decode(
                list(some), skip_special_tokens=False, clean_up_tokenization_spaces=False
            )
        )

    return align(text, ids, decode)


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
    for number in range(len(ids)):
        group = ids[start : number + 1]
        written = decode([*context, *group])[len(decode(context)) if context else 0 :]
        if written.endswith(_HALF) and not text.startswith(written, at):
            continue
        if not text.startswith(written, at):
            raise UsageError(
                f"the tokenizer's tokens do not spell the prompt from character {at:,} on: "
                "its instances cannot be told apart"
            )
        found += [(at, at + len(written))] * len(group)
        at += len(written)
        context = group
        start = number + 1
    if at != len(text) or start != len(ids):
        raise UsageError("the tokenizer's tokens do not spell the whole prompt")
    return found
