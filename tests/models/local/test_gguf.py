"""A GGUF file becomes a model folder with the same logits, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from evenhand.models._local._gguf import GGUFError, convert, converted_is_current

gguf = pytest.importorskip("gguf")

SHA = "0" * 64
PARTS = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
}


def interleaved(values: Any, heads: int) -> Any:
    """How GGUF stores q and k: row i and row i + half of a head follow each other."""
    out = np.empty_like(values)
    size = values.shape[0] // heads
    for head in range(heads):
        for row in range(size // 2):
            for side in range(2):
                out[head * size + 2 * row + side] = values[head * size + side * size // 2 + row]
    return out


def write_gguf(path: Path, folder: Path, meta: dict[str, Any], architecture: str = "llama") -> None:
    from transformers import AutoModelForCausalLM

    model: Any = AutoModelForCausalLM.from_pretrained(folder)
    config = model.config
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(512)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(50_000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(meta["tokenizer.ggml.tokens"])
    writer.add_token_types(meta["tokenizer.ggml.token_type"])
    writer.add_token_merges(meta["tokenizer.ggml.merges"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(meta["tokenizer.chat_template"])
    for name, tensor in model.state_dict().items():
        layer, _, part = name.removesuffix(".weight").removeprefix("model.layers.").partition(".")
        if part in PARTS and layer.isdigit():
            target = f"blk.{layer}.{PARTS[part]}.weight"
        else:
            target = f"{PARTS[name.removesuffix('.weight')]}.weight"
        values = tensor.float().numpy()
        if "attn_q." in target:
            values = interleaved(values, config.num_attention_heads)
        if "attn_k." in target:
            values = interleaved(values, config.num_key_value_heads)
        if "ffn_gate" in target:
            kind = gguf.GGMLQuantizationType.Q8_0
            writer.add_tensor(target, gguf.quantize(values, kind), raw_dtype=kind)
        else:
            writer.add_tensor(target, np.ascontiguousarray(values))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture
def original(random_model: Callable[..., Path]) -> Path:
    """Float weights, of which the gates are already what eight bits hold."""
    from transformers import AutoModelForCausalLM

    folder = random_model(
        hidden_size=64,
        head_dim=16,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 50_000.0},
    )
    model: Any = AutoModelForCausalLM.from_pretrained(folder)
    kind = gguf.GGMLQuantizationType.Q8_0
    for layer in model.model.layers:
        held = gguf.quantize(layer.mlp.gate_proj.weight.detach().numpy(), kind)
        layer.mlp.gate_proj.weight.data = torch.from_numpy(gguf.dequantize(held, kind))
    model.save_pretrained(folder)
    return folder


def test_logits_are_those_of_the_original(
    original: Path, meta: dict[str, Any], tmp_path: Path
) -> None:
    from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

    source, folder = tmp_path / "tiny.gguf", tmp_path / "made" / "tiny"
    write_gguf(source, original, meta)
    assert not converted_is_current(folder, SHA)
    convert(source, SHA, folder)
    assert converted_is_current(folder, SHA)
    assert [path.name for path in folder.parent.iterdir()] == ["tiny"]
    assert len({path.stat().st_mode for path in folder.iterdir()}) == 1
    ids = torch.arange(3, 43)[None]
    models: list[Any] = [AutoModelForCausalLM.from_pretrained(each) for each in (original, folder)]
    with torch.inference_mode():
        expected, got = (model(input_ids=ids).logits for model in models)
    assert torch.equal(expected, got)
    assert models[1].generation_config.eos_token_id == [0, 2]
    tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
    assert tokenizer.chat_template == meta["tokenizer.chat_template"]


def test_a_copy_lapses_with_its_source_and_when_a_file_is_cut(
    original: Path, meta: dict[str, Any], tmp_path: Path
) -> None:
    source, folder = tmp_path / "tiny.gguf", tmp_path / "tiny"
    write_gguf(source, original, meta)
    convert(source, SHA, folder)
    assert not converted_is_current(folder, "1" * 64)
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    assert not converted_is_current(folder, SHA)
    convert(source, SHA, folder)
    assert converted_is_current(folder, SHA)


def test_another_architecture_is_refused(
    original: Path, meta: dict[str, Any], tmp_path: Path
) -> None:
    source = tmp_path / "tiny.gguf"
    write_gguf(source, original, meta, "qwen2")
    with pytest.raises(GGUFError, match=r"tiny\.gguf holds a 'qwen2' model"):
        convert(source, SHA, tmp_path / "made")
    assert not (tmp_path / "made").exists()
