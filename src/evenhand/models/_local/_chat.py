"""Messages into text and token ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evenhand.errors import UsageError
from evenhand.prompts import Message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

ANSWER_PREFIX = '{"answer": "'
"""What a forced choice writes into the assistant's turn before it compares the labels."""


def chat_text(
    tokenizer: PreTrainedTokenizerBase, messages: Sequence[Message], *, forced: bool = False
) -> str:
    """The messages as the model's chat template writes them, the assistant's turn opened.

    Args:
        tokenizer: With a chat template.
        messages: In order.
        forced: Ask the template for a turn without thinking, close thinking that it opens
            nevertheless, and begin the answer with :data:`ANSWER_PREFIX`.

    Raises:
        UsageError: If the template refuses the messages (some know no system role).
    """
    from jinja2 import TemplateError

    turns = [{"role": message.role, "content": message.content} for message in messages]
    options: dict[str, Any] = {"enable_thinking": False} if forced else {}
    try:
        text = tokenizer.apply_chat_template(
            turns, tokenize=False, add_generation_prompt=True, **options
        )
    except TemplateError as error:
        raise UsageError(f"the model's chat template refuses these messages: {error}") from None
    if not isinstance(text, str):
        raise TypeError("a chat template renders to text")
    if not forced:
        return text
    if text.rstrip().endswith("<think>"):
        text = f"{text.rstrip()}\n\n</think>\n\n"
    return text + ANSWER_PREFIX


def token_ids(
    tokenizer: PreTrainedTokenizerBase, text: str, messages: Sequence[Message]
) -> list[int]:
    """Token ids of text that a chat template has written, with nothing added.

    A control token's name inside a message (``<|im_end|>`` in a record) is read as the letters
    that it is: no record can end its own turn.

    Args:
        tokenizer: The model's.
        text: From :func:`chat_text`, possibly with more behind it.
        messages: What the text was made from.

    Raises:
        UsageError: If a message holds a control token's name and this tokenizer cannot read it
            as letters.
    """
    control = [token.content for token in tokenizer.added_tokens_decoder.values() if token.special]
    forged = sorted({name for name in control for one in messages if name in one.content})
    if not forged:
        return _encode(tokenizer, text)
    ids: list[int] = []
    at = 0
    for message in messages:
        # Templates may trim a message, never more.
        content = message.content if message.content in text[at:] else message.content.strip()
        start = text.find(content, at)
        if start < 0:
            raise _inseparable(forged)
        ids += _encode(tokenizer, text[at:start])
        ids += _encode(tokenizer, content, split_special_tokens=True)
        at = start + len(content)
    ids += _encode(tokenizer, text[at:])
    if tokenizer.decode(ids, clean_up_tokenization_spaces=False) != text:
        raise _inseparable(forged)
    return ids


def _encode(tokenizer: PreTrainedTokenizerBase, text: str, **options: Any) -> list[int]:
    ids: list[int] = tokenizer(text, add_special_tokens=False, verbose=False, **options)[
        "input_ids"
    ]
    return ids


def _inseparable(forged: list[str]) -> UsageError:
    return UsageError(
        f"a message holds {', '.join(forged)}, which this model's tokenizer can only read as a "
        "control token: leave such records out"
    )
