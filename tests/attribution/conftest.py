"""A tiny model in a folder, with the tokenizer of the tests of in-process models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message.get('reasoning_content') %}<think>{{ message['reasoning_content'] }}</think>\n"
    "{% endif %}{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIALS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
MERGES = ("p o", "po s", "n e", "ne g", '" }', "t h", "th e", "Ġ the")


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    """Bytes, eight merges and three control tokens; a template that can place reasoning."""
    from tokenizers.pre_tokenizers import ByteLevel

    from evenhand.models._local._tokenizer import build_tokenizer

    tokens = [*SPECIALS, *sorted(ByteLevel.alphabet()), *(one.replace(" ", "") for one in MERGES)]
    return build_tokenizer(
        Path("tiny.gguf"),
        {
            "llama.context_length": 4096,
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": "smollm",
            "tokenizer.ggml.tokens": tokens,
            "tokenizer.ggml.token_type": [3] * 3 + [1] * (len(tokens) - 3),
            "tokenizer.ggml.merges": list(MERGES),
            "tokenizer.ggml.bos_token_id": 1,
            "tokenizer.ggml.eos_token_id": 2,
            "tokenizer.ggml.unknown_token_id": 0,
            "tokenizer.ggml.padding_token_id": 2,
            "tokenizer.chat_template": TEMPLATE,
        },
    )


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory: pytest.TempPathFactory, tokenizer: Any) -> Path:
    """A two-layer Llama with random weights, saved with its tokenizer."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(7)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=48,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=4096,
            eos_token_id=2,
        )
    )
    folder = tmp_path_factory.mktemp("model") / "tiny"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
