"""Messages into token ids."""

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


def token_ids(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    """Token ids of text that a chat template has written, with nothing added."""
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids
