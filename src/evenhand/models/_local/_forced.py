"""Forced choice: how probable is each of the two labels as the answer string.

What is measured is the probability that the model's JSON string *is* the label: its tokens, and
then a closing quote. Without the quote a label that begins another one ("good", "good_enough")
would take the other's probability as its own.

A closing quote has many tokens (``"``, ``"}``, ``"\\n``), and may have merged with the label's end,
so the quote is not scored as a token of its own. Along the label's own tokens, the probability of
every token that finishes the label and goes on with a quote is added up.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.models._protocol import ForcedChoice

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase


@dataclass(frozen=True, slots=True)
class Question:
    """Token ids of a forced choice.

    Attributes:
        context: What both labels follow: the prompt and the answer prefix. Where a tokenizer
            merges the prefix's end with a label, those last tokens belong to the labels instead.
        labels: Token ids of each label after the context.
    """

    context: tuple[int, ...]
    labels: tuple[tuple[int, ...], ...]


def question(encode: Callable[[str], list[int]], context: str, labels: Sequence[str]) -> Question:
    """Tokenise each label where it stands, and part what the labels share from what they do not.

    Args:
        encode: Text to token ids.
        context: The prompt and the answer prefix.
        labels: As a JSON string would hold them once escaped.
    """
    alone = encode(context)
    whole = [encode(context + _inside_json(label)) for label in labels]
    shared = min(_common(alone, ids) for ids in whole)
    return Question(
        context=tuple(alone[:shared]), labels=tuple(tuple(ids[shared:]) for ids in whole)
    )


def choose(
    tokenizer: PreTrainedTokenizerBase,
    asked: Question,
    labels: tuple[str, str],
    logits: Sequence[torch.Tensor],
) -> ForcedChoice:
    """Compare the two labels.

    Args:
        tokenizer: The model's.
        asked: From :func:`question`, for the same labels.
        labels: In the task's order.
        logits: For each label, shape (label tokens + 1, vocabulary): row j after the context and
            the label's first j tokens.

    Returns:
        The choice; None as the label when both are exactly as likely.
    """
    first, second = (
        string_log_probability(tokenizer, asked.context[-1], ids, rows)
        for ids, rows in zip(asked.labels, logits, strict=True)
    )
    margin = second - first
    label = None if margin == 0 else labels[1] if margin > 0 else labels[0]
    mass = min(1.0, math.exp(first) + math.exp(second))
    return ForcedChoice(label=label, margin=margin, label_mass=mass)


def string_log_probability(
    tokenizer: PreTrainedTokenizerBase, before: int, ids: Sequence[int], logits: torch.Tensor
) -> float:
    """log P(the label, then a closing quote | the context), natural logarithm.

    Args:
        tokenizer: The model's.
        before: The context's last token: some tokenizers write a text's first token differently.
        ids: The label's tokens, at least one.
        logits: Shape (len(ids) + 1, vocabulary).
    """
    import torch

    log_p = torch.log_softmax(logits.double(), dim=-1)
    written = [_text(tokenizer, before, ids[:count]) for count in range(len(ids) + 1)]
    closers = _quote_tokens(tokenizer, before)
    paths: list[torch.Tensor] = []
    so_far = torch.zeros((), dtype=log_p.dtype, device=log_p.device)
    for count in range(len(ids) + 1):
        # A token may end inside a character; what is left of the label is then unknown text.
        if written[-1].startswith(written[count]):
            wanted = written[-1][len(written[count]) :] + '"'
            ends = [token for token, text in closers.items() if text.startswith(wanted)]
            if ends:
                paths.append(so_far + torch.logsumexp(log_p[count, ends], dim=0))
        if count < len(ids):
            so_far = so_far + log_p[count, ids[count]]
    return float(torch.logsumexp(torch.stack(paths), dim=0)) if paths else -math.inf


def _quote_tokens(tokenizer: PreTrainedTokenizerBase, before: int) -> dict[int, str]:
    """Every token with a quote in it, and the text it writes after another token, by number.

    A vocabulary comes in another order each time it is asked for, and sums depend on the order.
    """
    special = set(tokenizer.all_special_ids)
    quoted = sorted(
        token
        for piece, token in tokenizer.get_vocab().items()
        if '"' in piece and token not in special
    )
    return {token: _text(tokenizer, before, [token]) for token in quoted}


def _text(tokenizer: PreTrainedTokenizerBase, before: int, ids: Sequence[int]) -> str:
    def decode(tokens: list[int]) -> str:
        text = tokenizer.decode(
            tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        if not isinstance(text, str):
            raise TypeError("one sequence decodes to one text")
        return text

    return decode([before, *ids])[len(decode([before])) :]


def _inside_json(label: str) -> str:
    return json.dumps(label, ensure_ascii=False)[1:-1]


def _common(left: Sequence[int], right: Sequence[int]) -> int:
    for at, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return at
    return min(len(left), len(right))
