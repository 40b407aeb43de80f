"""A tokenizer out of GGUF metadata, offline."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

_CONTROL_TOKEN, _USER_TOKEN = 3, 4


def build_tokenizer(source: Path, meta: Mapping[str, Any]) -> PreTrainedTokenizerFast:
    """The tokenizer that a GGUF file describes, with its chat template.

    Byte-level BPE as in GPT-2; the ``smollm`` pre-tokenizer first cuts out every digit by itself.

    Args:
        source: The file, for messages only.
        meta: Its metadata.

    Raises:
        GGUFError: If the tokenizer is of another kind.
    """
    import transformers
    from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE

    from evenhand.models._local._gguf import GGUFError

    kind = meta.get("tokenizer.ggml.model"), meta.get("tokenizer.ggml.pre")
    if kind != ("gpt2", "smollm"):
        raise GGUFError(f"{source} has a {kind} tokenizer; this reader knows ('gpt2', 'smollm')")
    tokens: list[str] = meta["tokenizer.ggml.tokens"]
    left_right = [tuple(merge.split(" ", 1)) for merge in meta["tokenizer.ggml.merges"]]
    merges = [(left, right) for left, right in left_right]
    tokenizer = Tokenizer(BPE(vocab={token: at for at, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    for token, sort in zip(tokens, meta["tokenizer.ggml.token_type"], strict=True):
        if sort == _CONTROL_TOKEN:
            tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False)])
        elif sort == _USER_TOKEN:
            tokenizer.add_tokens([AddedToken(token, normalized=False)])

    def named(role: str) -> str | None:
        at = meta.get(f"tokenizer.ggml.{role}_token_id")
        return None if at is None else tokens[at]

    make: Any = transformers.PreTrainedTokenizerFast
    built: PreTrainedTokenizerFast = make(
        tokenizer_object=tokenizer,
        bos_token=named("bos"),
        eos_token=named("eos"),
        unk_token=named("unknown"),
        pad_token=named("padding"),
        chat_template=meta.get("tokenizer.chat_template"),
        clean_up_tokenization_spaces=False,
        model_max_length=meta["llama.context_length"],
    )
    return built
