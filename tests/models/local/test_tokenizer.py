"""The tokenizer out of GGUF metadata: byte-level BPE, every digit alone, control tokens whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.models._local._gguf import GGUFError
from evenhand.models._local._tokenizer import build_tokenizer


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("the", ["the"]),
        ("in the", ["i", "n", "Ġthe"]),
        ("12", ["1", "2"]),
        ("a 12", ["a", "Ġ", "1", "2"]),
        ("½", ["Â", "½"]),
        ('a"}', ["a", '"}']),
        ("<|im_start|>the<|im_end|>", ["<|im_start|>", "the", "<|im_end|>"]),
        ("\n", ["Ċ"]),
        ("", []),
    ],
)
def test_pieces(tokenizer: Any, text: str, pieces: list[str]) -> None:
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert tokenizer.convert_ids_to_tokens(ids) == pieces


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_every_text_comes_back(tokenizer: Any, text: str) -> None:
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert tokenizer.decode(ids, clean_up_tokenization_spaces=False) == text


def test_an_unknown_kind_is_refused(meta: dict[str, Any]) -> None:
    with pytest.raises(GGUFError, match=r"tiny\.gguf has a .*'llama-bpe'"):
        build_tokenizer(Path("tiny.gguf"), {**meta, "tokenizer.ggml.pre": "llama-bpe"})
