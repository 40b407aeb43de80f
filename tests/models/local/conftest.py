"""Tiny models for the tests of in-process models: built here, saved to a temporary folder.

The *bigram* model is a genuine Llama whose blocks add nothing and whose embeddings are one-hot, so
that the logits after a token are a row of a table that the test wrote: expectations are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}"
    "<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
MERGES = ('" }', "t h", "th e", "Ġ the", '! "', "1 2")
TINY = {
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 48,
    "hidden_size": 32,
}


def _byte_letters() -> list[str]:
    from tokenizers.pre_tokenizers import ByteLevel

    return sorted(ByteLevel.alphabet())


@pytest.fixture(scope="session")
def meta() -> dict[str, Any]:
    """GGUF metadata of a tokenizer of 256 bytes, six merges and three control tokens."""
    letters = _byte_letters()
    tokens = [*SPECIALS, *letters, *(merge.replace(" ", "") for merge in MERGES)]
    kinds = [3] * len(SPECIALS) + [1] * (len(tokens) - len(SPECIALS))
    return {
        "general.architecture": "llama",
        "llama.context_length": 512,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": kinds,
        "tokenizer.ggml.merges": list(MERGES),
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
        "tokenizer.ggml.padding_token_id": 2,
        "tokenizer.chat_template": TEMPLATE,
    }


@pytest.fixture(scope="session")
def tokenizer(meta: dict[str, Any]) -> Any:
    """The tokenizer of ``meta``."""
    from evenhand.models._local._tokenizer import build_tokenizer

    return build_tokenizer(Path("tiny.gguf"), meta)


@pytest.fixture
def token(tokenizer: Any) -> Callable[[str], int]:
    """The id of a token, by the text that it stands for in the vocabulary."""

    def find(piece: str) -> int:
        return int(tokenizer.get_vocab()[piece])

    return find


@pytest.fixture
def random_model(tmp_path: Path, tokenizer: Any) -> Callable[..., Path]:
    """Save a tiny model with random weights; returns its folder."""

    def save(kind: str = "llama", **settings: Any) -> Path:
        from transformers import AutoConfig, AutoModelForCausalLM

        torch.manual_seed(7)
        config = AutoConfig.for_model(
            kind,
            **{**TINY, "vocab_size": len(tokenizer), "max_position_embeddings": 512, **settings},
        )
        auto: Any = AutoModelForCausalLM
        model = auto.from_config(config)
        folder = tmp_path / kind
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return save


@pytest.fixture
def bigram_model(tmp_path: Path, tokenizer: Any) -> Callable[..., Path]:
    """Save a model that says after token a what ``after[a]`` says: token b with what weight."""

    def save(after: Mapping[int, Mapping[int, float]], window: int = 512) -> Path:
        from transformers import LlamaConfig, LlamaForCausalLM

        size = len(tokenizer) + len(tokenizer) % 2
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=size,
                hidden_size=size,
                intermediate_size=4,
                num_hidden_layers=1,
                num_attention_heads=1,
                head_dim=4,
                max_position_embeddings=window,
                rms_norm_eps=1e-12,
                eos_token_id=2,
            )
        )
        # Weights far below every stated one, so that what is not stated does not happen.
        table = torch.full((size, size), -60.0)
        for before, row in after.items():
            for then, weight in row.items():
                table[then, before] = torch.tensor(weight).log()
        with torch.no_grad():
            for name, values in model.named_parameters():
                if name.endswith(("o_proj.weight", "down_proj.weight")):
                    values.zero_()
            model.model.embed_tokens.weight.copy_(torch.eye(size))
            # The last norm turns a one-hot row into sqrt(size) times itself.
            model.lm_head.weight.copy_(table / size**0.5)
        folder = tmp_path / "bigram"
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return save
