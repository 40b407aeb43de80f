"""Contract: the memory-bounded computation gives what the definition gives (F.1).

Same score and same contributions as plain autograd (eager attention, all logits, one whole pass a
label) for every supported architecture, whatever is checkpointed, kept, packed, offloaded or cut
into chunks; finite differences agree; and the attribution passes the usual sanity checks.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from tests.attribution.tiny import (
    BASE,
    KINDS,
    first_layer,
    plain,
    random_replay,
    score_at,
    tiny_model,
)

from evenhand.attribution import Memory, Replay, contrast, freeze
from evenhand.errors import EvenhandError, UsageError

MEMORIES = {
    "checkpointed": Memory(),
    "attention again": Memory(keep_attention=False),
    "all graphs kept": Memory(checkpoint=False),
    "offloaded": Memory(offload=True),
}


def relative(found: torch.Tensor, expected: torch.Tensor) -> float:
    return float((found - expected).abs().max() / expected.abs().max())


@pytest.mark.parametrize("kind", KINDS)
def test_every_way_gives_what_plain_autograd_gives(kind: str) -> None:
    model, replay = tiny_model(kind), random_replay()
    score, expected, _ = plain(model, replay)
    for name, memory in MEMORIES.items():
        for packed in (True, False):
            for chunk in (23, 1024):
                found = contrast(model, replay, memory=memory, packed=packed, chunk=chunk)
                case = f"{kind}, {name}, packed={packed}, chunk={chunk}"
                assert found.score == pytest.approx(score, rel=1e-4, abs=1e-5), case
                assert relative(found.contributions, expected) < 1e-4, case
                assert torch.isfinite(found.contributions).all(), case
                assert found.contributions.abs().max() > 0, case


@pytest.mark.parametrize("kind", ["llama", "mistral", "gemma3_text"])
def test_other_devices_path_agrees_with_the_cpus(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evenhand.attribution._attention._has_fused_backward", lambda *_: False)
    model, replay = tiny_model(kind), random_replay()
    _, expected, _ = plain(model, replay)
    for memory in MEMORIES.values():
        found = contrast(model, replay, memory=memory, chunk=23)
        assert relative(found.contributions, expected) < 1e-4


@pytest.mark.parametrize("kind", ["llama", "mistral", "gemma3_text"])
def test_torchs_kernel_and_many_small_blocks_agree(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, replay = tiny_model(kind), random_replay()
    _, expected, _ = plain(model, replay)
    room = "evenhand.attribution._blocked_cpu"
    for setting, value in (("fits", lambda *_: False), ("_MOST", 7)):
        with monkeypatch.context() as patch:
            patch.setattr(f"{room}.{setting}", value)
            if setting == "_MOST":
                patch.setattr(f"{room}._FEWEST", 7)
            for chunk in (23, 1024):
                found = contrast(model, replay, chunk=chunk)
                assert relative(found.contributions, expected) < 1e-4, (setting, chunk)


@pytest.mark.parametrize(
    "labels", [((5,), (8,)), ((5, 6, 7, 8, 9), (8,)), ((), (8, 9)), ((5, 6, 7, 8), ())]
)
def test_labels_of_any_length(labels: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    replay = Replay(random_replay().prefix, labels)
    score, expected, _ = plain(tiny_model("llama"), replay)
    for packed in (True, False):
        found = contrast(tiny_model("llama"), replay, packed=packed, chunk=16)
        assert found.score == pytest.approx(score, rel=1e-4)
        assert relative(found.contributions, expected) < 1e-4


def test_a_prefix_shorter_than_the_window_and_of_one_token() -> None:
    for length in (1, 2, 15, 16, 17, 18):
        replay = random_replay(length)
        _, expected, _ = plain(tiny_model("mistral"), replay)
        found = contrast(tiny_model("mistral"), replay, chunk=5)
        assert relative(found.contributions, expected) < 1e-4, length


def test_finite_differences_of_the_score_agree() -> None:
    model, replay = tiny_model("qwen3"), random_replay(24)
    _, _, gradient = plain(model, replay)
    source = torch.Generator().manual_seed(0)
    found = contrast(model, replay, chunk=7)
    embeddings = first_layer_input(model, replay)
    # Along each token's own embedding the slope of S is the token's contribution.
    step = 1e-3
    for token in range(0, 24, 5):
        shift = torch.zeros_like(embeddings)
        shift[token] = step * embeddings[token]
        with torch.no_grad():
            up, down = score_at(model, replay, shift)[0], score_at(model, replay, -shift)[0]
        slope = float(up - down) / (2 * step)
        assert slope == pytest.approx(float(found.contributions[token]), rel=2e-2, abs=1e-3)
    direction = torch.randn(embeddings.shape, generator=source)
    with torch.no_grad():
        up = score_at(model, replay, step * direction)[0]
        down = score_at(model, replay, -step * direction)[0]
    expected = float((gradient * direction).sum())
    assert float(up - down) / (2 * step) == pytest.approx(expected, rel=2e-2, abs=1e-3)


def first_layer_input(model: Any, replay: Replay) -> torch.Tensor:
    result: torch.Tensor = score_at(model, replay)[1][0].detach()[0, : len(replay.prefix)]
    return result


def test_gemma_embeddings_are_taken_after_their_scaling() -> None:
    model, replay = tiny_model("gemma2"), random_replay(20)
    raw = model.get_decoder().embed_tokens.weight[list(replay.prefix)]
    assert torch.allclose(first_layer_input(model, replay), raw * 32**0.5, atol=1e-5)
    _, expected, _ = plain(model, replay)
    assert relative(contrast(model, replay).contributions, expected) < 1e-4


def test_swapping_the_labels_turns_the_sign_and_nothing_else() -> None:
    model, replay = tiny_model("llama"), random_replay()
    one = contrast(model, replay, chunk=16)
    other = contrast(model, Replay(replay.prefix, replay.labels[::-1]), chunk=16)
    assert other.score == pytest.approx(-one.score, rel=1e-5)
    assert relative(-other.contributions, one.contributions) < 1e-4


def test_other_weights_give_another_profile() -> None:
    replay = random_replay()
    # Without the last token, which every model leans on.
    one = contrast(tiny_model("llama"), replay).contributions[:-1].abs()
    other = contrast(tiny_model("llama", seed=9), replay).contributions[:-1].abs()
    correlation = torch.corrcoef(torch.stack([one, other]))[0, 1]
    assert abs(float(correlation)) < 0.6


def test_a_model_that_copies_known_tokens_is_seen_to_look_at_them() -> None:
    """One layer, uniform attention, a value only for token 3: S depends on where token 3 stands."""
    from transformers import AutoConfig, AutoModelForCausalLM

    auto: Any = AutoModelForCausalLM
    settings = {**BASE, "num_hidden_layers": 1, "num_key_value_heads": 4}
    model = auto.from_config(AutoConfig.for_model("llama", **settings))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        core = model.model
        core.layers[0].input_layernorm.weight.fill_(1)
        core.norm.weight.fill_(1)
        core.embed_tokens.weight[:, 0] = 1.0  # every token: feature 0
        core.embed_tokens.weight[3, 1] = 2.0  # token 3 alone: feature 1
        core.layers[0].self_attn.v_proj.weight[0, 1] = 1.0
        core.layers[0].self_attn.o_proj.weight[2, 0] = 1.0
        model.lm_head.weight[8, 2] = 1.0  # the second label's logit reads what was copied
    freeze(model)
    prefix = [4] * 40
    for at in (5, 17, 30):
        prefix[at] = 3
    found = contrast(model, Replay(tuple(prefix), ((7,), (8,))), chunk=9).contributions.abs()
    assert set(found[:-1].topk(3).indices.tolist()) == {5, 17, 30}
    others = [at for at in range(39) if at not in (5, 17, 30)]
    assert float(found[others].max()) < 0.01 * float(found[[5, 17, 30]].min())


def test_the_model_is_left_as_it_was() -> None:
    model = tiny_model("llama")
    layers, norm = list(model.model.layers), model.model.norm
    contrast(model, random_replay())
    assert all("forward" not in part.__dict__ for part in (*layers, norm))
    assert model.config._attn_implementation == "eager"
    assert not any(parameter.requires_grad for parameter in model.parameters())
    assert all(parameter.grad is None for parameter in model.parameters())
    assert first_layer(model) is layers[0]


def test_bfloat16_weights_give_a_float32_score_and_contributions() -> None:
    exact = contrast(tiny_model("llama"), random_replay())
    from transformers import AutoConfig, AutoModelForCausalLM

    auto: Any = AutoModelForCausalLM
    rough = auto.from_config(AutoConfig.for_model("llama", **BASE)).bfloat16()
    rough.load_state_dict(tiny_model("llama").state_dict())
    freeze(rough)
    found = contrast(rough, random_replay(), chunk=16)
    assert found.contributions.dtype == torch.float32
    assert found.score == pytest.approx(exact.score, abs=0.2)
    pair = torch.stack([found.contributions, exact.contributions])
    assert float(torch.corrcoef(pair)[0, 1]) > 0.98


def test_what_is_not_supported_is_refused_with_its_reason() -> None:
    from transformers import AutoConfig, AutoModelForCausalLM

    auto: Any = AutoModelForCausalLM
    thawed = auto.from_config(AutoConfig.for_model("llama", **BASE))
    with pytest.raises(UsageError, match="freeze"):
        contrast(thawed, random_replay())
    settings = {**BASE, **KINDS["gemma4_text"], "hidden_size_per_layer_input": 4}
    layered = auto.from_config(
        AutoConfig.for_model("gemma4_text", **settings, vocab_size_per_layer_input=97)
    )
    freeze(layered)
    with pytest.raises(UsageError, match="embeddings of the tokens in every layer"):
        contrast(layered, random_replay())
    gpt = auto.from_config(
        AutoConfig.for_model("gpt2", vocab_size=97, n_embd=32, n_layer=1, n_head=2)
    )
    freeze(gpt)
    with pytest.raises(UsageError, match="no plain stack"):
        contrast(gpt, random_replay())


def test_a_score_that_is_no_number_is_an_error() -> None:
    from transformers import AutoConfig, AutoModelForCausalLM

    auto: Any = AutoModelForCausalLM
    broken = auto.from_config(AutoConfig.for_model("llama", **BASE))
    freeze(broken)
    broken.model.norm.weight.fill_(float("nan"))
    with pytest.raises(EvenhandError, match="not a finite number"):
        contrast(broken, random_replay())
