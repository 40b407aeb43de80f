"""One attribution replay of a Qwen3-4B-sized model at 60,000 tokens, on a GPU.

    python benchmarks/attribution_gpu.py                        # random weights
    python benchmarks/attribution_gpu.py --model hf/Qwen/Qwen3-4B-Instruct-2507

Prints, for growing prompts, seconds and peak device memory with and without kept attention outputs
and with offload, and the forecast beside the measured peak. Says so where there is no GPU.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

TOKENS = (4_000, 15_000, 30_000, 60_000)
QWEN3_4B = {
    "hidden_size": 2560,
    "intermediate_size": 9728,
    "num_hidden_layers": 36,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151_936,
    "max_position_embeddings": 262_144,
    "tie_word_embeddings": True,
}


def main() -> None:
    """Measure every way at every length."""
    import torch

    from evenhand.attribution import Memory, Replay, contrast, freeze, measure, peak_bytes

    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--model", help="hf/MODEL; random weights if not given")
    parser.add_argument("--tokens", default=",".join(map(str, TOKENS)))
    parser.add_argument("--chunk", type=int)
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("no CUDA device: this benchmark measures nothing here")
    model = load(arguments.model)
    freeze(model)
    shape = measure(model)
    print(torch.cuda.get_device_name(), torch.__version__)
    ways = {
        "kept attention": Memory(),
        "attention again": Memory(keep_attention=False),
        "offload": Memory(offload=True),
    }
    source = torch.Generator().manual_seed(0)
    for tokens in map(int, arguments.tokens.split(",")):
        ids = torch.randint(3, 100_000, (tokens,), generator=source).tolist()
        replay = Replay(tuple(ids), ((100, 101), (200, 201)))
        for name, memory in ways.items():
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            started = time.perf_counter()
            try:
                found = contrast(model, replay, memory=memory, chunk=arguments.chunk)
            except torch.OutOfMemoryError:
                print(f"{tokens:>7,} {name:16} does not fit", flush=True)
                continue
            torch.cuda.synchronize()
            print(
                f"{tokens:>7,} {name:16} {time.perf_counter() - started:7.1f} s  "
                f"peak {torch.cuda.max_memory_allocated() / 1e9:6.1f} GB  forecast "
                f"{peak_bytes(shape, tokens, memory, arguments.chunk) / 1e9:6.1f} GB  "
                f"S {found.score:+.4f}",
                flush=True,
            )


def load(name: str | None) -> Any:
    """The named model, or one of that shape with random weights, in bfloat16 on the GPU."""
    import torch

    if name is not None:
        from evenhand.models._local import load_local

        return load_local(name, "bfloat16", "cuda")[0].model
    from transformers import AutoConfig, AutoModelForCausalLM

    torch.manual_seed(0)
    auto: Any = AutoModelForCausalLM
    config = AutoConfig.for_model("qwen3", **QWEN3_4B)
    with torch.device("cuda"):
        return auto.from_config(config, dtype=torch.bfloat16).eval()


if __name__ == "__main__":
    main()
