"""Contract: a model's measure is taken from a few tokens; what does not come out as it does the
model's own way, whatever its architecture, is refused before any replay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch
from tests.attribution.tiny import BASE, KINDS, random_replay, tiny_model

from evenhand.attribution import Memory, contrast, freeze, measure, peak_bytes
from evenhand.errors import EvenhandError, UsageError


def made(kind: str, **more: object) -> Any:
    """A frozen tiny model of any kind with random weights."""
    from transformers import AutoConfig, AutoModelForCausalLM

    torch.manual_seed(1)
    auto: Any = AutoModelForCausalLM
    model = auto.from_config(AutoConfig.for_model(kind, **{**BASE, **more}))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    freeze(model)
    return model


@pytest.mark.parametrize("kind", KINDS)
def test_supported_models_are_measured(kind: str) -> None:
    shape = measure(tiny_model(kind))
    assert shape.layers == 4
    assert shape.hidden == 32 * 4
    assert shape.weights == sum(4 * one.numel() for one in tiny_model(kind).parameters())
    assert peak_bytes(shape, 1000, Memory()) > shape.weights + shape.process


def test_a_llamas_measure_by_hand() -> None:
    shape = measure(tiny_model("llama"))
    # Keys and values: 2 · 2 heads · 8 numbers; the attention output 32 and 4 log-sums, kept in
    # all layers but the last.
    assert shape.layer_keys == 32
    assert shape.keys == 4 * 32 * 4
    assert shape.attention == 3 * (32 + 4) * 4
    # The feed-forward's 3 · 48; both norms' inputs and roots 2 · 33; queries, output and log-sums
    # 32 + 32 + 4; sines and cosines 16.
    assert shape.layer_graph == (3 * 48 + 2 * 33 + 68 + 16) * 4


def test_layers_of_two_widths_are_measured_one_by_one() -> None:
    # Three sliding layers with heads of 8 numbers, and a full one with heads of 16.
    shape = measure(tiny_model("gemma4_text"))
    assert shape.keys == (3 * 2 * 2 * 8 + 2 * 2 * 16) * 4
    assert shape.layer_keys == 2 * 2 * 16


def test_shorter_formats_may_round() -> None:
    for number_format in (torch.bfloat16, torch.float16):
        model = made("llama").to(number_format)
        assert measure(model).hidden == 32 * 2


@pytest.mark.parametrize(
    ("kind", "more", "reason"),
    [
        # Masks say who sees whom, and attention is not told.
        ("llama4_text", {"attention_chunk_size": 16, "num_local_experts": 2}, "chunked_attention"),
        ("qwen2_moe", {"use_sliding_window": True, "max_window_layers": 2, "sliding_window": 16,
                       "num_experts": 4, "moe_intermediate_size": 16,
                       "shared_expert_intermediate_size": 16}, "sliding window"),
        ("phimoe", {"sliding_window": 16, "num_local_experts": 4}, "sliding window"),
        # A state goes from token to token outside attention.
        ("qwen3_next", {"num_experts": 4, "num_experts_per_tok": 2}, "linear_attention"),
        # Attention is more than one softmax, or is not handed what it needs.
        ("diffllama", {}, "predicts something else"),
        ("gemma4_text", {**KINDS["gemma4_text"], "use_bidirectional_attention": "all"},
         "predicts something else"),
        ("stablelm", {}, "cannot be run chunk by chunk"),
        ("gpt2", {}, "no plain stack"),
    ],
)  # fmt: skip
def test_what_comes_out_differently_is_refused(
    kind: str, more: dict[str, object], reason: str
) -> None:
    with pytest.raises(UsageError, match=reason):
        measure(made(kind, **more))


def test_a_window_that_reaches_everything_hides_nothing() -> None:
    measure(made("phimoe", sliding_window=4096, num_local_experts=4))


def test_weights_that_are_no_numbers_are_an_error() -> None:
    model = made("llama")
    model.model.layers[1].mlp.down_proj.weight[0, 0] = float("nan")
    with pytest.raises(EvenhandError, match="no finite numbers in float32: its weights"):
        measure(model)


def test_a_token_that_the_model_does_not_know_is_refused() -> None:
    replay = random_replay()
    beyond = replace(replay, prefix=(*replay.prefix, 97))
    with pytest.raises(UsageError, match=r"token 97.*knows 97.*belong together"):
        contrast(tiny_model("llama"), beyond)


def test_measuring_leaves_the_model_as_it_was() -> None:
    model = tiny_model("llama")
    before = contrast(model, random_replay())
    measure(model)
    after = contrast(model, random_replay())
    assert torch.equal(before.contributions, after.contributions)
    assert all("forward" not in part.__dict__ for part in (*model.model.layers, model.model.norm))
