"""What a model's replays take, measured on a few tokens; what cannot be replayed is refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.attribution._layers import Captured, Memory, chunked_layers, decoder_of
from evenhand.attribution._layout import Layout
from evenhand.attribution._machine import held_bytes
from evenhand.errors import EvenhandError, UsageError

if TYPE_CHECKING:
    import torch

_LAYOUT = Layout(prefix=40, tails=(6, 5), chunk=16)
_EXACT, _ROUGH = 0.01, 0.5
"""Most that predicted distributions may differ, in total variation: float32, and shorter formats,
whose rounding sends some tokens to other experts and so moves a tenth by itself."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Bytes that a replay is made of.

    Attributes:
        process: Of this process without the model, where the model is in main memory.
        weights: Of all parameters.
        largest: Of the largest parameter, which a CPU's product may lay out anew.
        layers: How many there are.
        hidden: Of a token between two layers.
        keys: Of a token's keys and values, all layers.
        attention: Of a token's kept attention output, all layers; 0 where none is kept.
        graph: Of what autograd holds for a token, all layers.
        layer_keys: Numbers, not bytes, of a token's keys and values in the widest layer.
        layer_queries: Bytes of a token's queries, in the widest layer.
        layer_graph: Of what autograd holds for a token, in the widest layer.
        queries: Bytes of a token's queries, all layers.
        on_cpu: Whether the model is in main memory.
    """

    process: int
    weights: int
    largest: int
    layers: int
    hidden: int
    keys: int
    attention: int
    graph: int
    layer_keys: int
    layer_queries: int
    layer_graph: int
    queries: int
    on_cpu: bool


def measure(model: Any) -> Shape:
    """Run a few tokens as replays do, compare with the model's own way, and take its measure.

    Args:
        model: Frozen, see :func:`evenhand.attribution.freeze`.

    Raises:
        UsageError: If the model cannot be run chunk by chunk, or comes out differently so.
        EvenhandError: If it gives no finite numbers.
    """
    import torch

    decoder = decoder_of(model)
    source = torch.Generator().manual_seed(0)
    ids = torch.randint(
        0, decoder.embed_tokens.num_embeddings, (_LAYOUT.length,), generator=source
    ).tolist()
    try:
        expected = _own_way(model, ids)
        if not torch.isfinite(expected).all():
            remedy = (
                "its weights are damaged"
                if _format(model) == "float32"
                else "use --dtype float32 or bfloat16, or else its weights are damaged"
            )
            raise EvenhandError(f"this model gives no finite numbers in {_format(model)}: {remedy}")
        with torch.no_grad(), chunked_layers(model, _LAYOUT, Memory()) as captured:
            found = _log_p(_call(model, ids, _LAYOUT.positions()))
            shape = _of_tapes(model, captured)
        _compare(model, found, expected)
        graphs = _graph_bytes(model, ids)
    except (EvenhandError, torch.OutOfMemoryError, MemoryError):
        raise
    except Exception as error:
        # Whatever a foreign layer does when it is given a part of the tokens.
        raise UsageError(
            f"{_kind(model)} cannot be run chunk by chunk, which attribution needs "
            f"({type(error).__name__}: {str(error).strip().partition(chr(10))[0]})"
        ) from error
    process = max(0, held_bytes() - shape["weights"]) if shape["on_cpu"] else 0
    return Shape(**shape, process=process, graph=sum(graphs), layer_graph=max(graphs))


def _own_way(model: Any, ids: list[int]) -> torch.Tensor:
    """Log-probabilities at the layout's rows, each continuation in a pass of its own."""
    import torch

    prefix, rest = ids[: _LAYOUT.prefix], ids[_LAYOUT.prefix :]
    parts = []
    with torch.no_grad():
        for number, tail in enumerate(_LAYOUT.tails):
            logits = _call(model, prefix + rest[:tail], None)[_LAYOUT.prefix - 1 :]
            parts.append(logits if number == 0 else logits[1:])
            rest = rest[tail:]
    return _log_p(torch.cat(parts))


def _call(model: Any, ids: list[int], positions: list[int] | None) -> torch.Tensor:
    import torch

    device = next(model.parameters()).device
    where = {} if positions is None else {"position_ids": torch.tensor([positions], device=device)}
    result: torch.Tensor = model(
        input_ids=torch.tensor([ids], device=device), use_cache=False, **where
    ).logits[0]
    return result


def _log_p(logits: torch.Tensor) -> torch.Tensor:
    return logits.float().log_softmax(dim=-1)


def _compare(model: Any, found: torch.Tensor, expected: torch.Tensor) -> None:
    import torch

    apart = float((found.exp() - expected.exp()).abs().sum(-1).mean()) / 2
    exact = next(model.parameters()).dtype == torch.float32
    if not apart <= (_EXACT if exact else _ROUGH):
        raise UsageError(
            f"{_kind(model)} predicts something else when it is run chunk by chunk (by {apart:.0%} "
            "of the probability): attribution does not support it"
        )


def _of_tapes(model: Any, captured: Captured) -> dict[str, Any]:
    """What one pass without autograd shows."""
    tapes, embeddings = captured.tapes, captured.embeddings
    assert embeddings is not None
    keys, attention, queries = [], [], []
    for tape in tapes:
        assert tape.keys is not None
        assert tape.values is not None
        keys.append((tape.keys.numel() + tape.values.numel()) // _LAYOUT.length)
        # The first chunk is full in every layer but the last, which keeps one token's only.
        first = tape.saved.get(0)
        kept = 0 if first is None else sum(one.numel() * one.element_size() for one in first)
        attention.append(kept // _LAYOUT.chunk)
        queries.append(tape.width * embeddings.element_size())
    sizes = [one.numel() * one.element_size() for one in model.parameters()]
    return {
        "weights": sum(sizes),
        "largest": max(sizes),
        "layers": len(tapes),
        "hidden": embeddings.shape[-1] * embeddings.element_size(),
        "keys": sum(keys) * embeddings.element_size(),
        "attention": sum(attention),
        "layer_keys": max(keys),
        "layer_queries": max(queries),
        "queries": sum(queries),
        "on_cpu": embeddings.device.type == "cpu",
    }


def _graph_bytes(model: Any, ids: list[int]) -> list[int]:
    """For each layer, the bytes that autograd holds for a token; goes the way back, too."""
    import torch

    decoder = decoder_of(model)
    held: defaultdict[int, dict[tuple[int, int], int]] = defaultdict(dict)
    weights = {one.data_ptr() for one in model.parameters()}
    at = [0]

    def pack(one: torch.Tensor) -> torch.Tensor:
        if one.data_ptr() not in weights:
            held[at[0]][one.data_ptr(), one.numel()] = one.numel() * one.element_size()
        return one

    memory = Memory(checkpoint=False)
    with (
        _numbered(decoder.layers, at),
        torch.enable_grad(),
        chunked_layers(model, _LAYOUT, memory) as captured,
    ):
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda one: one):
            logits = _call(model, ids, _LAYOUT.positions())
        torch.autograd.backward([_log_p(logits).sum()])
    assert captured.embeddings is not None
    assert captured.embeddings.grad is not None
    if len(decoder.layers) > 1:
        # Of the last layer only a few rows are read in full.
        held.pop(len(decoder.layers) - 1, None)
    return [sum(one.values()) // _LAYOUT.length for _, one in sorted(held.items())]


@contextmanager
def _numbered(layers: Any, at: list[int]) -> Iterator[None]:
    """While in this context ``at`` holds the number of the layer that runs."""

    def enter(number: int) -> Any:
        def hook(*_: object) -> None:
            at[0] = number

        return hook

    handles = [
        layer.register_forward_pre_hook(enter(number)) for number, layer in enumerate(layers)
    ]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def _format(model: Any) -> str:
    return str(next(model.parameters()).dtype).removeprefix("torch.")


def _kind(model: Any) -> str:
    return str(getattr(model.config.get_text_config(), "model_type", type(model).__name__))
