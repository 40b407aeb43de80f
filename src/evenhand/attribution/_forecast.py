"""What a replay will take: memory from the model's shape, time from a short calibration."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Any

from evenhand.attribution._gradient import CPU_CHUNK, GPU_CHUNK, Replay, contrast
from evenhand.attribution._layers import Memory
from evenhand.attribution._machine import free_system_bytes
from evenhand.attribution._shape import Shape
from evenhand.attribution._work import Options
from evenhand.errors import UsageError

SHORT, LONG = 192, 768
"""Tokens of the two calibration replays: cost has a part linear and a part quadratic in tokens."""
_ROOM = 0.9
"""Share of the free memory that a replay may take."""
_EASY = 0.25
"""Share of that within which all graphs are kept, which is faster and takes most memory."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """What one replay of ``tokens`` tokens takes.

    Attributes:
        tokens: Its length.
        peak_bytes: Peak memory on the device, the model's weights included; of the whole process
            where the device is the computer itself.
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


def peak_bytes(shape: Shape, tokens: int, memory: Memory, chunk: int | None = None) -> int:
    """Peak memory of a replay on the device, from the model's shape.

    Per token and layer the input, keys and values and, where kept, the attention's output stay
    for the way back; one layer's keys and values have gradients in float32; a chunk's graph comes
    on top. Only the first grows with the number of tokens.

    Args:
        shape: The model's, by :func:`evenhand.attribution.measure`.
        tokens: Of the replay.
        memory: What is kept.
        chunk: Tokens read together.
    """
    at_once = min(tokens, chunk or (CPU_CHUNK if shape.on_cpu else GPU_CHUNK))
    kept = shape.layers * shape.hidden + shape.keys
    if not memory.checkpoint:
        # Every layer's graph and output, and where no kernel of ours takes the keys as they lie,
        # each chunk's own copy of all keys before it, spread over the query heads.
        kept += shape.graph + shape.layers * shape.hidden
        if not shape.attention:
            kept += shape.queries * (1 + math.ceil(tokens / at_once))
    elif memory.keep_attention:
        kept += shape.attention
    if memory.offload:
        kept = math.ceil(kept / shape.layers)
    # Embeddings, their gradient, a layer's output and both gradients that pass between layers;
    # the gradients of one layer's keys and values in float32, whole and of one part.
    passing = 6 * shape.hidden + 8 * shape.layer_keys
    if not shape.attention:
        # One layer's keys and values spread over the query heads, and their gradients.
        passing += 4 * shape.layer_queries
    # A chunk's graph, and gradients of about the same size; a product may lay out a matrix anew.
    working = 2 * at_once * shape.layer_graph + (shape.largest if shape.on_cpu else 0)
    return int(shape.process + shape.weights + tokens * (kept + passing) + working)


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
    return free_system_bytes()


def choose_memory(
    model: Any, shape: Shape, tokens: int, options: Options, sharers: int = 1
) -> Options:
    """The fastest way of keeping things that fits, or a refusal that says what would fit.

    Args:
        model: The loaded model.
        shape: Its own.
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
    if not kept.offload and peak_bytes(shape, tokens, kept, options.chunk) <= room * _EASY:
        return replace(options, memory=kept)
    ways = [options.memory, replace(options.memory, checkpoint=True, keep_attention=False)]
    if not shape.on_cpu:
        ways.append(replace(ways[-1], offload=True))
    for way in ways:
        if peak_bytes(shape, tokens, way, options.chunk) <= room:
            return replace(options, memory=way)
    least = ways[-1]
    needed = peak_bytes(shape, tokens, least, options.chunk)
    most = _most_tokens(shape, room, least, options.chunk)
    longest = (
        f"up to {most:,} tokens fit (--max-tokens), or use"
        if most
        else f"{gigabytes(shape.process + shape.weights)} are taken before any token: use"
    )
    raise UsageError(
        f"a replay of {tokens:,} tokens needs about {gigabytes(needed)}, and {gigabytes(room)} can "
        f"be had: {longest} --dtype bfloat16, a smaller --chunk or a larger machine"
    )


def gigabytes(count: int) -> str:
    """A number of bytes for people."""
    return f"{count / 1e9:.1f} GB"


def _most_tokens(shape: Shape, room: int, memory: Memory, chunk: int | None) -> int:
    low, high = 0, 1
    while peak_bytes(shape, high, memory, chunk) <= room:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        fits = peak_bytes(shape, middle, memory, chunk) <= room
        low, high = (middle, high) if fits else (low, middle)
    return low
