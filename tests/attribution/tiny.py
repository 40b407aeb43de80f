"""Tiny randomly initialised models, and the definition of the score's gradient written plainly."""

from __future__ import annotations

import functools
from typing import Any

import torch

from evenhand.attribution import Replay, freeze

BASE = {
    "vocab_size": 97,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 512,
}
KINDS: dict[str, dict[str, object]] = {
    "llama": {},
    "qwen2": {},
    "qwen3": {},
    "mistral": {"sliding_window": 16},
    "gemma2": {"sliding_window": 16, "query_pre_attn_scalar": 8},
    "gemma3_text": {"sliding_window": 16, "query_pre_attn_scalar": 8, "sliding_window_pattern": 2},
    "gemma4_text": {
        "sliding_window": 16,
        "hidden_size_per_layer_input": 0,
        "global_head_dim": 16,
        "num_kv_shared_layers": 0,
    },
}


@functools.cache
def tiny_model(kind: str, seed: int = 1) -> Any:
    """A frozen model with four layers, eager attention unless told otherwise; kept for the run."""
    from transformers import AutoConfig, AutoModelForCausalLM

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    auto: Any = AutoModelForCausalLM
    config = AutoConfig.for_model(kind, **{**BASE, **KINDS[kind]})
    model = auto.from_config(config, attn_implementation="eager")
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    freeze(model)
    return model


def random_replay(length: int = 60, seed: int = 2) -> Replay:
    """A prefix of random tokens and labels of three and two tokens."""
    source = torch.Generator().manual_seed(seed)
    prefix = torch.randint(0, 97, (length,), generator=source).tolist()
    return Replay(tuple(prefix), ((5, 6, 7), (8, 9)))


def first_layer(model: Any) -> Any:
    """The module whose input the definition speaks of."""
    return model.get_decoder().layers[0]


def score_at(model: Any, replay: Replay, shift: torch.Tensor | None = None) -> Any:
    """S with ``shift`` added to the prefix's embeddings, and the embeddings, the plain way.

    One whole pass a label, eager attention, all logits, no checkpointing, Torch's own linear maps.
    Returns S as a tensor
    and the list of both passes' embeddings, which S can be differentiated by.
    """
    score = torch.zeros(())
    embeddings: list[torch.Tensor] = []

    def receive(_: Any, inputs: tuple[Any, ...], arguments: dict[str, Any]) -> Any:
        hidden = inputs[0].detach().clone()
        if shift is not None:
            hidden[:, : shift.shape[0]] += shift
        embeddings.append(hidden.requires_grad_())
        return (embeddings[-1], *inputs[1:]), arguments

    handle = first_layer(model).register_forward_pre_hook(receive, with_kwargs=True)
    quickened = [
        (one, one.__dict__.pop("forward")) for one in model.modules() if "forward" in one.__dict__
    ]
    try:
        for sign, label in zip((-1.0, 1.0), replay.labels, strict=True):
            ids = torch.tensor([[*replay.prefix, *label]])
            log_p = model(input_ids=ids, use_cache=False).logits[0].float().log_softmax(-1)
            rows = range(len(replay.prefix) - 1, len(replay.prefix) - 1 + len(label))
            for row, token in zip(rows, label, strict=True):
                score = score + sign * log_p[row, token]
    finally:
        handle.remove()
        for one, forward in quickened:
            one.forward = forward
    return score, embeddings


def plain(model: Any, replay: Replay) -> tuple[float, torch.Tensor, torch.Tensor]:
    """S, each prefix token's contribution and S's gradient at its embedding, by definition."""
    score, embeddings = score_at(model, replay)
    length = len(replay.prefix)
    # A label without tokens of its own leaves its pass unused.
    grads = torch.autograd.grad(score, embeddings, allow_unused=True)
    gradient = torch.stack([grad[0, :length] for grad in grads if grad is not None]).sum(0)
    products = (embeddings[0].detach()[0, :length] * gradient).sum(-1)
    return float(score.detach()), products, gradient
