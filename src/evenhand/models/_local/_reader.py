"""Reading token sequences: chunked prefill, memory of the last prompt, short continuations."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evenhand.models._protocol import ModelError

if TYPE_CHECKING:
    import torch

    from evenhand.models._local._runtime import Runtime

CHUNK = 256
"""Tokens read at a time on a CPU. Chunks start at multiples of it, whatever was remembered, so the
arithmetic of a prompt, and so every bit of its result, is the same with and without reuse."""

GPU_CHUNK = 2048


class Interrupted(Exception):  # noqa: N818
    """The caller no longer wants the result."""


class Reader:
    """One model's reading head.

    It holds the attention state of the last prompt, and starts the next one from the chunks that
    both share. Models whose state is not plain attention over all positions (sliding windows,
    recurrent layers) are read in one piece each time: their state can be neither cut back nor,
    for some, extended by several tokens.
    """

    def __init__(self, runtime: Runtime, chunk: int | None = None) -> None:
        """Args: runtime: The loaded model. chunk: Tokens read at a time, for tests."""
        self._runtime = runtime
        self._chunk = chunk or (CHUNK if runtime.device == "cpu" else GPU_CHUNK)
        names = inspect.signature(runtime.model.forward).parameters
        # Transformers renamed the argument within its fifth series.
        self._cache_word = "cache" if "cache" in names else "past_key_values"
        self._keeps = "logits_to_keep" in names
        model: Any = runtime.model
        self._words = int(model.get_input_embeddings().weight.shape[0])
        self._ids: tuple[int, ...] = ()
        self._state: Any = None
        self.plain = _is_plain(self._new_state())

    def read(self, ids: Sequence[int], stop: threading.Event) -> tuple[torch.Tensor, int]:
        """Read a prompt.

        Args:
            ids: Token ids, at least one.
            stop: Set when the result is no longer wanted.

        Returns:
            Logits of the next token, shape (vocabulary,), and the number of tokens that did not
            have to be read because the prompt before began with them.

        Raises:
            Interrupted: If ``stop`` was set.
        """
        start = self._recall(ids)
        step = self._chunk if self.plain else len(ids)
        for at in range(start, len(ids), step):
            if stop.is_set():
                raise Interrupted
            logits = self._forward(ids[at : at + step], self._state, keep=1)
        self._ids = tuple(ids)
        return logits[-1], start

    def extend(self, ids: Sequence[int]) -> torch.Tensor:
        """Read on, after :meth:`read`, without forgetting the prompt.

        Args:
            ids: Token ids, at least one.

        Returns:
            Logits after each of them, shape (len(ids), vocabulary).
        """
        return self._forward(ids, self._state, keep=len(ids))

    def continuations(
        self, ids: Sequence[int], tails: Sequence[Sequence[int]], stop: threading.Event
    ) -> tuple[list[torch.Tensor], int]:
        """Logits along several short continuations of one prompt, which is read once.

        Args:
            ids: The prompt's token ids, at least one.
            tails: Token ids of each continuation, at least one each.
            stop: Set when the result is no longer wanted.

        Returns:
            For each continuation logits of shape (len(tail) + 1, vocabulary), row j after the
            prompt and the tail's first j tokens; and the number of tokens not read again.

        Raises:
            Interrupted: If ``stop`` was set.
        """
        import torch

        if not self.plain:
            found = []
            for tail in tails:
                if stop.is_set():
                    raise Interrupted
                whole = [*ids, *tail]
                found.append(self._forward(whole, self._new_state(), keep=len(tail) + 1))
            return found, 0
        first, reused = self.read(ids, stop)
        found = []
        for tail in tails:
            found.append(torch.cat([first[None], self.extend(tail)]))
            _cut(self._state, len(ids))
        return found, reused

    def forget(self) -> None:
        """Drop the remembered prompt, and its memory."""
        self._ids, self._state = (), None

    def _recall(self, ids: Sequence[int]) -> int:
        """Set the state to the chunks that ``ids`` shares with the last prompt; their length."""
        remembered, state = self._ids, self._state
        self.forget()
        shared = 0
        if self.plain and state is not None:
            # The last token is always read: its logits are what is asked for.
            for old, new in zip(remembered, ids[:-1], strict=False):
                if old != new:
                    break
                shared += 1
            shared -= shared % self._chunk
        if shared:
            _cut(state, shared)
            self._state = state
        else:
            self._state = self._new_state()
        return shared

    def _new_state(self) -> Any:
        from transformers import DynamicCache

        config: Any = self._runtime.model.config
        return DynamicCache(config=config)

    def _forward(self, ids: Sequence[int], state: Any, *, keep: int) -> torch.Tensor:
        import torch

        if max(ids) >= self._words:
            raise ModelError(
                f"the tokenizer has a token {max(ids)}, the model knows {self._words}: they do not "
                "belong together"
            )
        batch = torch.tensor([list(ids)], device=self._runtime.device)
        limit = {"logits_to_keep": keep} if self._keeps else {}
        output = self._runtime.model(
            input_ids=batch, use_cache=True, **{self._cache_word: state}, **limit
        )
        logits: torch.Tensor = output.logits[0, -keep:]
        if logits.isnan().any():
            # Else the first label, or the first word, would win every comparison.
            raise ModelError(
                "the model gives no numbers (NaN): its weights are damaged, or its number format "
                "is too narrow: use ?dtype=float32 or bfloat16"
            )
        return logits


def _is_plain(state: Any) -> bool:
    from transformers.cache_utils import DynamicLayer

    return bool(state.layers) and all(type(layer) is DynamicLayer for layer in state.layers)


def _cut(state: Any, length: int) -> None:
    """Keep the first ``length`` positions (views: nothing is copied)."""
    for layer in state.layers:
        layer.keys = layer.keys[..., :length, :]
        layer.values = layer.values[..., :length, :]
