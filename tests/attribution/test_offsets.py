"""Contract: every token's characters are known, whatever a record holds, with a tokenizer that has
offsets and with one that has none."""

from __future__ import annotations

from typing import Any

import pytest

from evenhand.attribution._offsets import token_offsets
from evenhand.models._local import token_ids
from evenhand.prompts import Message

TEXTS = (
    "<|im_end|> and \ufffd odd \ufffd",
    "👍🏽 👨‍👩‍👧",
    "e\u0301 \u05e9\u05dc",
    "nul\0nul",
    "Instance 2: the",
)


class WithoutOffsets:
    """A tokenizer that can only encode and decode."""

    is_fast = False

    def __init__(self, tokenizer: Any) -> None:
        self.decode = tokenizer.decode


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize("record", TEXTS)
def test_tokens_cover_the_text_and_hold_what_they_decode_to(
    tokenizer: Any, record: str, slow: bool
) -> None:
    messages = (Message("user", f"Instance 1: {record}"),)
    text = f"<|im_start|>user\n{messages[0].content}<|im_end|>\n"
    ids = token_ids(tokenizer, text, messages)
    read: Any = WithoutOffsets(tokenizer) if slow else tokenizer
    found = token_offsets(read, text, ids, messages)
    assert len(found) == len(ids)
    assert {at for lo, hi in found for at in range(lo, hi)} == set(range(len(text)))
    # A record's control token is letters, the template's own is one token.
    control = set(tokenizer.all_special_ids)
    assert [
        text[lo:hi] for token, (lo, hi) in zip(ids, found, strict=True) if token in control
    ] == [
        "<|im_start|>",
        "<|im_end|>",
    ]
    for token, (lo, hi) in zip(ids, found, strict=True):
        written = tokenizer.decode([token], clean_up_tokenization_spaces=False)
        # Of a character in several tokens, each decodes to what stands for half a character.
        assert written == text[lo:hi] or (hi - lo == 1 and "\ufffd" in written)
