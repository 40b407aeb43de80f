"""What a replay will take: memory by formula, time from a short calibration."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from evenhand.attribution._gradient import CPU_CHUNK, GPU_CHUNK, Replay, contrast
from evenhand.attribution._layers import Memory
from evenhand.attribution._work import Options
from evenhand.errors import UsageError

SHORT, LONG = 192, 768
"""Tokens of the two calibration replays: cost has a part linear and a part quadratic in tokens."""
_ROOM = 0.9
"""Share of the free memory that a replay may take."""
_EASY = 0.5
"""Share of that within which all graphs are kept, which is faster and takes most memory."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What one replay of ``tokens`` tokens takes.

    Attributes:
        tokens: Its length.
        peak_bytes: Peak memory on the device, the model's weights included.
        seconds: Expected time.
        free_bytes: Memory that is free for it, weights included; None where unknown.
    """

    tokens: int
    peak_bytes: int
    seconds: float
    free_bytes: int | None


@dataclass(frozen=True, slots=True)
class Speed:
    """Seconds of a replay: ``per_token`` n + ``per_pair`` n²."""

    per_token: float
    per_pair: float

    def seconds(self, tokens: int) -> float:
        """Expected time of a replay."""
        return self.per_token * tokens + self.per_pair * tokens**2


def peak_bytes(model: Any, tokens: int, memory: Memory, chunk: int | None = None) -> int:
    """Peak memory of a replay on the device, from the model's shape.

    Per token and layer the input, keys and values and, where kept, the attention's output stay
    for the way back; one layer's keys and values have gradients in float32; a chunk's graph comes
    on top. Only the first grows with the number of tokens.

    Args:
        model: The loaded model.
        tokens: Of the replay.
        memory: What is kept.
        chunk: Tokens read together.
    """
    config = model.config.get_text_config()
    width, layers = config.hidden_size, config.num_hidden_layers
    heads = config.num_attention_heads
    size = getattr(config, "head_dim", None) or width // heads
    keys = (getattr(config, "num_key_value_heads", None) or heads) * size
    weight = next(model.parameters())
    number = weight.element_size()
    weights = sum(one.numel() * one.element_size() for one in model.parameters())
    at_once = min(tokens, chunk or (CPU_CHUNK if weight.device.type == "cpu" else GPU_CHUNK))
    graph = (
        at_once * (6 * config.intermediate_size + 16 * width + 8 * heads * size) * max(number, 4)
    )
    kept = width * number + 2 * keys * number
    if memory.keep_attention:
        kept += heads * size * number + 4 * heads
    if not memory.checkpoint:
        kept += graph // at_once
    on_device = 1 if memory.offload else layers
    # Embeddings, their gradient, a layer's output and both gradients that pass between layers.
    passing = 6 * width * number + 4 * keys * 4 + 4 * heads * size * number
    return int(weights + tokens * (on_device * kept + passing) + graph)


def calibrate(model: Any, options: Options) -> Speed:
    """Time two short replays of random tokens, and fit the two parts of the cost."""
    import torch

    source = torch.Generator().manual_seed(0)
    words = model.config.get_text_config().vocab_size
    taken = []
    for length in (SHORT, SHORT, LONG):
        ids = torch.randint(0, words, (length,), generator=source).tolist()
        started = time.perf_counter()
        contrast(
            model,
            Replay(tuple(ids), ((1,), (2,))),
            memory=options.memory,
            packed=options.packed,
            chunk=options.chunk,
        )
        taken.append(time.perf_counter() - started)
    # The first call also warms up; the second counts.
    short, long = taken[1:]
    per_pair = max(0.0, (long / LONG - short / SHORT) / (LONG - SHORT))
    return Speed(max(long / LONG - per_pair * LONG, 1e-9), per_pair)


def free_bytes(model: Any) -> int | None:
    """Memory that a replay could have: what is free on the device, and what the weights hold."""
    import torch

    weight = next(model.parameters())
    weights = int(sum(one.numel() * one.element_size() for one in model.parameters()))
    if weight.device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(weight.device)
        return int(free) + weights
    free_now = _free_system_bytes()
    return None if free_now is None else free_now + weights


def choose_memory(model: Any, tokens: int, options: Options, sharers: int = 1) -> Options:
    """The fastest way of keeping things that fits, or a refusal that says what would fit.

    Args:
        model: The loaded model.
        tokens: Of the longest replay.
        options: How replays are wanted.
        sharers: Processes that replay out of the same free memory.

    Raises:
        UsageError: If no way fits.
    """
    free = free_bytes(model)
    if free is None:
        return options
    room = int(free * _ROOM) // sharers
    kept = replace(options.memory, checkpoint=False)
    if not kept.offload and peak_bytes(model, tokens, kept, options.chunk) <= room * _EASY:
        return replace(options, memory=kept)
    ways = [options.memory, replace(options.memory, checkpoint=True, keep_attention=False)]
    if next(model.parameters()).device.type != "cpu":
        ways.append(replace(ways[-1], offload=True))
    for way in ways:
        if peak_bytes(model, tokens, way, options.chunk) <= room:
            return replace(options, memory=way)
    least = ways[-1]
    needed = peak_bytes(model, tokens, least, options.chunk)
    raise UsageError(
        f"a replay of {tokens:,} tokens needs about {gigabytes(needed)}, and {gigabytes(room)} can "
        f"be had: up to {_most_tokens(model, room, least, options.chunk):,} tokens fit "
        "(--max-tokens), or use --dtype bfloat16, a smaller --chunk or a larger machine"
    )


def gigabytes(count: int) -> str:
    """A number of bytes for people."""
    return f"{count / 1e9:.1f} GB"


def _most_tokens(model: Any, room: int, memory: Memory, chunk: int | None) -> int:
    low, high = 0, 1
    while peak_bytes(model, high, memory, chunk) <= room:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        fits = peak_bytes(model, middle, memory, chunk) <= room
        low, high = (middle, high) if fits else (low, middle)
    return low


def _free_system_bytes() -> int | None:
    """What the system says is available, within the control group's limit where there is one."""
    found: list[int] = []
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
        found += [int(one.split()[1]) * 1024 for one in lines if one.startswith("MemAvailable:")]
        limit = Path("/sys/fs/cgroup/memory.max").read_text("ascii").strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text("ascii").strip()
        if limit.isdigit():
            found.append(int(limit) - int(used))
    except (OSError, ValueError):
        pass
    return min(found) if found else None
