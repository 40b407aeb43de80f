"""Run a model's layers chunk by chunk, keeping only what the way back needs.

The model's own forward runs; only the forward of each decoder layer is replaced while it does. A
layer reads its tokens a chunk at a time without a graph, and stores its input, its keys and values
and, where asked, its attention's output. On the way back the chunks are taken in reverse: each is
read again within autograd, and hands the gradients of the keys and values it looked at to the
chunks before it. The largest graph is one chunk of one layer, whatever the length of the prompt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from evenhand.attribution._attention import NAME, KeysRead, Tape, attend
from evenhand.attribution._layout import Chunk, Layout
from evenhand.attribution._slopes import slopes_only, unread_projections
from evenhand.errors import UsageError

if TYPE_CHECKING:
    import torch

_TOKEN_AXIS = {"position_embeddings": 1, "position_ids": 1, "cache_position": 0}
"""Arguments of a layer that hold one entry a token, and the axis that counts tokens."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What is kept between the way there and the way back.

    Attributes:
        checkpoint: Read every chunk again on the way back; without it all graphs are kept.
        keep_attention: Keep attention outputs, so that only the cheap part is computed again.
        offload: Keep everything in the computer's memory instead of the device's.
    """

    checkpoint: bool = True
    keep_attention: bool = True
    offload: bool = False


@dataclass(slots=True)
class Captured:
    """What can be seen from outside while layers run chunk by chunk.

    Attributes:
        embeddings: As the first layer received them, within the graph; None before the call.
        tapes: What each layer's attention remembers, until its way back.
    """

    embeddings: torch.Tensor | None = None
    tapes: list[Tape] = field(default_factory=list)


@contextmanager
def chunked_layers(model: Any, layout: Layout, memory: Memory) -> Iterator[Captured]:
    """While in this context, calling the model runs its layers chunk by chunk.

    The model then gives logits after ``layout.rows()`` only.

    Args:
        model: A Transformers causal language model in evaluation mode, parameters frozen.
        layout: Of the sequence that it will be called with, batch 1.
        memory: What is kept.

    Yields:
        Where the embeddings are found after the call.

    Raises:
        UsageError: If the model has no plain stack of decoder layers.
    """
    import torch
    from transformers import AttentionInterface

    decoder = decoder_of(model)
    config = model.config.get_text_config()
    slides = _slides(config, len(decoder.layers), layout.length)
    AttentionInterface.register(NAME, attend)
    before = config._attn_implementation
    captured = Captured()
    rows = torch.tensor(layout.rows(), device=decoder.embed_tokens.weight.device)
    norm = decoder.norm.forward

    def norm_rows(hidden: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = norm(hidden[:, rows])
        return result

    config._attn_implementation = NAME
    decoder.norm.forward = norm_rows
    try:
        for number, layer in enumerate(decoder.layers):
            last = number == len(decoder.layers) - 1
            stretch = _Stretch(
                layer.forward,
                Tape(layout, slides[number], memory.keep_attention),
                memory,
                chunks=layout.last_chunks() if last else layout.chunks(),
                unread=unread_projections(layer, config.model_type),
            )
            layer.forward = stretch.first(captured) if number == 0 else stretch
            captured.tapes.append(stretch.tape)
        yield captured
    finally:
        config._attn_implementation = before
        for part in (decoder.norm, *decoder.layers):
            part.__dict__.pop("forward", None)


def decoder_of(model: Any) -> Any:
    """The module with ``embed_tokens``, ``layers`` and ``norm``.

    Raises:
        UsageError: If there is none, or every layer has embeddings of its own.
    """
    config = model.config.get_text_config()
    kind = getattr(config, "model_type", type(model).__name__)
    if getattr(config, "hidden_size_per_layer_input", 0):
        raise UsageError(
            f"{kind} adds embeddings of the tokens in every layer: the gradient at the first "
            "layer's input would miss part of what a token contributes, so it is not attributed"
        )
    if getattr(config, "num_kv_shared_layers", 0):
        raise UsageError(f"{kind} shares keys between layers: attribution does not support that")
    for module in model.modules():
        if all(hasattr(module, name) for name in ("embed_tokens", "layers", "norm")):
            return module
    raise UsageError(
        f"{kind} has no plain stack of decoder layers: attribution knows Llama, Qwen 2 and 3, "
        "Gemma 2 to 4, Mistral and models built like them"
    )


def _slides(config: Any, layers: int, tokens: int) -> list[bool]:
    """For each layer, whether its queries see the nearest keys only.

    Transformers hands a layer's window to its attention. Other ways of hiding keys are in masks,
    which are not made here.

    Raises:
        UsageError: If a layer passes something from token to token in another way than these.
    """
    kinds = getattr(config, "layer_types", None)
    if not kinds:
        reach = getattr(config, "sliding_window", None) or 0
        return [0 < reach < tokens] * layers
    others = sorted(set(kinds) - {"full_attention", "sliding_attention"})
    if others:
        raise UsageError(
            f"{config.model_type} has layers of the kind {others[0]}: attribution knows full and "
            "sliding attention"
        )
    return [kind == "sliding_attention" for kind in kinds]


class _Stretch:
    """Stands in for one layer's forward: takes all tokens, and reads them chunk by chunk."""

    def __init__(
        self,
        forward: Callable[..., Any],
        tape: Tape,
        memory: Memory,
        *,
        chunks: Sequence[Chunk],
        unread: Sequence[Any],
    ) -> None:
        self._forward = forward
        self._chunks = chunks
        self._unread = unread
        self.tape = tape
        self._memory = memory
        self._hidden: torch.Tensor | None = None
        self._arguments: Mapping[str, Any] = {}
        self._graphs: dict[int, _Graph] = {}

    def first(self, captured: Captured) -> Callable[..., torch.Tensor]:
        """The same for the first layer, whose input is what attribution is about."""

        def forward(hidden: torch.Tensor, *rest: Any, **arguments: Any) -> torch.Tensor:
            captured.embeddings = hidden.detach().requires_grad_()
            return self(captured.embeddings, *rest, **arguments)

        return forward

    def __call__(self, hidden: torch.Tensor, *rest: Any, **arguments: Any) -> torch.Tensor:
        if any(value is not None for value in rest):
            raise UsageError("this model hands its layers extra inputs: not supported")
        self._arguments = arguments
        result: torch.Tensor = _stretch_function().apply(hidden, self)
        return result

    def there(self, hidden: torch.Tensor) -> torch.Tensor:
        """Read everything; shape in and out (1, tokens, width)."""
        import torch

        self._hidden = self._put_away(hidden.detach())
        output = torch.zeros_like(hidden)
        for chunk in self._chunks:
            if self._memory.checkpoint:
                with torch.no_grad():
                    result = self._read(hidden[:, chunk.lo : chunk.hi], chunk)
            else:
                graph = self._record(hidden[:, chunk.lo : chunk.hi], chunk)
                self._graphs[chunk.lo] = graph
                result = None if graph.output is None else graph.output.detach()
            if result is not None:
                output[:, chunk.lo : chunk.hi] = result
        tape = self.tape
        tape.writing = False
        if self._memory.offload:
            assert tape.keys is not None
            assert tape.values is not None
            tape.keys, tape.values = self._put_away(tape.keys), self._put_away(tape.values)
            tape.saved = {
                at: (self._put_away(one), self._put_away(other))
                for at, (one, other) in tape.saved.items()
            }
        return output

    def back(self, grad: torch.Tensor) -> torch.Tensor:
        """From the gradient of the output to the gradient of the input."""
        import torch

        tape, device = self.tape, grad.device
        assert self._hidden is not None
        assert tape.keys is not None
        assert tape.values is not None
        tape.keys, tape.values = tape.keys.to(device), tape.values.to(device)
        result = torch.empty_like(grad)
        for chunk in reversed(self._chunks):
            graph = self._graphs.pop(chunk.lo, None)
            if graph is None:
                kept = tape.saved.get(chunk.lo)
                if kept is not None:
                    tape.saved[chunk.lo] = kept[0].to(device), kept[1].to(device)
                with slopes_only(self._unread):
                    graph = self._record(self._hidden[:, chunk.lo : chunk.hi].to(device), chunk)
            result[:, chunk.lo : chunk.hi] = self._pull(graph, chunk, grad)
        self._hidden = None
        tape.keys = tape.values = tape.key_grads = tape.value_grads = None
        tape.saved.clear()
        return result

    def _pull(self, graph: _Graph, chunk: Chunk, grad: torch.Tensor) -> torch.Tensor:
        import torch

        tape = self.tape
        roots, grads = [], []
        if graph.output is not None:
            roots, grads = [graph.output], [grad[:, chunk.lo : chunk.hi]]
        if tape.key_grads is not None and tape.value_grads is not None:
            roots += graph.own
            grads += [
                whole[:, :, chunk.lo : chunk.hi].to(own.dtype)
                for whole, own in zip((tape.key_grads, tape.value_grads), graph.own, strict=True)
            ]
        torch.autograd.backward(roots, grads)
        if graph.before is not None:
            lo, key, value = graph.before
            assert key.grad is not None
            assert value.grad is not None
            tape.add_grads(lo, key.grad, value.grad)
        assert graph.hidden.grad is not None
        return graph.hidden.grad

    def _record(self, hidden: torch.Tensor, chunk: Chunk) -> _Graph:
        import torch

        tape = self.tape
        tape.recording = True
        with torch.enable_grad():
            leaf = hidden.detach().requires_grad_()
            output = self._read(leaf, chunk)
        assert tape.own is not None
        graph = _Graph(leaf, output, tape.own, tape.before)
        tape.recording, tape.own, tape.before = False, None, None
        return graph

    def _read(self, hidden: torch.Tensor, chunk: Chunk) -> torch.Tensor | None:
        self.tape.chunk = chunk
        arguments = _of_chunk(self._arguments, chunk, self.tape.layout)
        try:
            result = self._forward(hidden, **arguments, tape=self.tape)
        except KeysRead:
            return None
        output: torch.Tensor = result[0] if isinstance(result, tuple) else result
        return output

    def _put_away(self, one: torch.Tensor) -> torch.Tensor:
        return one.to("cpu") if self._memory.offload else one


@dataclass(frozen=True, slots=True)
class _Graph:
    """One chunk of one layer within autograd."""

    hidden: torch.Tensor
    output: torch.Tensor | None
    own: tuple[torch.Tensor, torch.Tensor]
    before: tuple[int, torch.Tensor, torch.Tensor] | None


def _of_chunk(arguments: Mapping[str, Any], chunk: Chunk, layout: Layout) -> dict[str, Any]:
    """A layer's arguments for one chunk.

    Raises:
        UsageError: If one holds tensors and is not known: it might hold an entry a token.
    """
    import torch

    def cut(one: torch.Tensor, axis: int) -> torch.Tensor:
        if one.shape[axis] != layout.length:
            raise UsageError("this model's positions do not count tokens: not supported")
        return one.narrow(axis, chunk.lo, chunk.hi - chunk.lo)

    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if value is None:
            continue
        if name in _TOKEN_AXIS:
            axis = _TOKEN_AXIS[name]
            several = isinstance(value, tuple)
            found[name] = tuple(cut(one, axis) for one in value) if several else cut(value, axis)
        elif isinstance(value, torch.Tensor | tuple | list):
            raise UsageError(f"this model hands its layers {name!r}: not supported")
        elif name == "shared_kv_states":
            found[name] = {}
        else:
            found[name] = value
    return {"attention_mask": None, **found}


@cache
def _stretch_function() -> Any:
    """The autograd function, made once: Torch is imported only when it is needed."""
    import torch

    class Stretch(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, hidden: torch.Tensor, stretch: _Stretch) -> torch.Tensor:
            ctx.stretch = stretch
            return stretch.there(hidden)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return ctx.stretch.back(grads[0]), None

    return Stretch
