"""A GGUF file of the Llama architecture, turned into a Transformers model folder.

Weights become float32. The folder then loads like any other, and much faster than the GGUF file.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand.errors import EvenhandError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

FORMAT = 1
"""Raised whenever the folder's content changes for the same source, so that old copies lapse."""

_MANIFEST = "evenhand.json"
_CONTROL_TOKEN = 3
_NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_TENSOR = re.compile(r"(?:blk\.(?P<layer>\d+)\.)?(?P<part>[a-z_]+)\.weight")


class GGUFError(EvenhandError):
    """A GGUF file holds something that this reader does not know."""


def converted_is_current(folder: Path, source_sha256: str) -> bool:
    """Whether ``folder`` is a complete copy, in this format, of the GGUF file with that hash."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    if (manifest.get("format"), manifest.get("source_sha256")) != (FORMAT, source_sha256):
        return False
    sizes: Mapping[str, int] = manifest["sizes"]
    return all(
        (folder / name).is_file() and (folder / name).stat().st_size == size
        for name, size in sizes.items()
    )


def convert(source: Path, source_sha256: str, folder: Path) -> None:
    """Write the model folder of a GGUF file, in one step: it is there whole or not at all.

    Args:
        source: The GGUF file (Llama architecture, GPT-2 style tokenizer).
        source_sha256: Its hash, noted so that another file's copy is never taken for this one's.
        folder: Where the folder goes; replaced if it exists.

    Raises:
        GGUFError: If the architecture, a tensor or the tokenizer is of an unknown kind.
    """
    from gguf import GGUFReader
    from safetensors.numpy import save_file

    from evenhand.models._local._tokenizer import build_tokenizer

    reader = GGUFReader(source)
    meta = {
        name: field.contents()
        for name, field in reader.fields.items()
        if not name.startswith("GGUF.")
    }
    if meta.get("general.architecture") != "llama":
        raise GGUFError(f"{source} holds a {meta.get('general.architecture')!r} model, not llama")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="convert-", dir=folder.parent) as parent:
        fresh = Path(parent) / "model"
        fresh.mkdir()
        state = _state(source, reader, meta)
        save_file(state, fresh / "model.safetensors", metadata={"format": "pt"})
        _config(meta, tied="lm_head.weight" not in state).save_pretrained(fresh)
        _generation_config(meta).save_pretrained(fresh)
        build_tokenizer(source, meta).save_pretrained(fresh)
        # safetensors writes for its owner only; the rest of the folder follows the umask.
        shutil.copymode(fresh / "config.json", fresh / "model.safetensors")
        sizes = {path.name: path.stat().st_size for path in sorted(fresh.iterdir())}
        manifest = {"format": FORMAT, "source_sha256": source_sha256, "sizes": sizes}
        (fresh / _MANIFEST).write_text(json.dumps(manifest, indent=1), "utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        fresh.replace(folder)


def _state(source: Path, reader: Any, meta: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    from gguf import dequantize

    heads = {
        "attn_q": meta["llama.attention.head_count"],
        "attn_k": meta.get("llama.attention.head_count_kv", meta["llama.attention.head_count"]),
    }
    state: dict[str, npt.NDArray[np.float32]] = {}
    for tensor in reader.tensors:
        found = _TENSOR.fullmatch(tensor.name)
        if found is None or found["part"] not in _NAMES:
            raise GGUFError(f"{source}: unknown tensor {tensor.name!r}")
        values = dequantize(tensor.data, tensor.tensor_type)
        if found["part"] in heads:
            values = _unpermuted(values, heads[found["part"]])
        layer = "" if found["layer"] is None else f"model.layers.{found['layer']}."
        state[f"{layer}{_NAMES[found['part']]}.weight"] = values
    return state


def _unpermuted(values: npt.NDArray[np.float32], heads: int) -> npt.NDArray[np.float32]:
    """Undo GGUF's interleaving of each head's two rotary halves (rows of q and k)."""
    import numpy as np

    rows, columns = values.shape
    paired = values.reshape(heads, rows // heads // 2, 2, columns)
    return np.ascontiguousarray(paired.swapaxes(1, 2).reshape(rows, columns))


def _config(meta: Mapping[str, Any], *, tied: bool) -> Any:
    import numpy as np
    from transformers import LlamaConfig

    # GGUF holds single precision: its shortest decimal is the number that was meant (1e-05).
    epsilon = float(str(np.float32(meta["llama.attention.layer_norm_rms_epsilon"])))
    heads = meta["llama.attention.head_count"]
    return LlamaConfig(
        architectures=["LlamaForCausalLM"],
        vocab_size=len(meta["tokenizer.ggml.tokens"]),
        hidden_size=meta["llama.embedding_length"],
        intermediate_size=meta["llama.feed_forward_length"],
        num_hidden_layers=meta["llama.block_count"],
        num_attention_heads=heads,
        num_key_value_heads=meta.get("llama.attention.head_count_kv", heads),
        max_position_embeddings=meta["llama.context_length"],
        rms_norm_eps=epsilon,
        rope_parameters={
            "rope_type": "default",
            "rope_theta": float(meta.get("llama.rope.freq_base", 10_000.0)),
        },
        tie_word_embeddings=tied,
        bos_token_id=meta.get("tokenizer.ggml.bos_token_id"),
        eos_token_id=meta.get("tokenizer.ggml.eos_token_id"),
        pad_token_id=meta.get("tokenizer.ggml.padding_token_id"),
        dtype="float32",
    )


def _generation_config(meta: Mapping[str, Any]) -> Any:
    """Every token that ends a turn: the file's own, and the end-of-text control token."""
    import transformers

    make: Any = transformers.GenerationConfig

    end = meta.get("tokenizer.ggml.eos_token_id")
    stops: set[int] = set() if end is None else {end}
    kinds = meta["tokenizer.ggml.token_type"]
    for at, token in enumerate(meta["tokenizer.ggml.tokens"]):
        if token == "<|endoftext|>" and kinds[at] == _CONTROL_TOKEN:
            stops.add(at)
    return make(eos_token_id=sorted(stops))
