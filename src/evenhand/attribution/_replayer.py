"""From stored generations to their instances' shares, one after another."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from evenhand.attribution._forecast import choose_memory
from evenhand.attribution._gradient import contrast, freeze
from evenhand.attribution._replay import NotReplayableError, Prepared, prepare
from evenhand.attribution._shape import measure
from evenhand.attribution._shares import shares
from evenhand.attribution._work import Job, Options, Outcome
from evenhand.errors import EvenhandError

if TYPE_CHECKING:
    from evenhand.models._local import Runtime


class Replayer:
    """A model that replays generations, each in a way that fits the memory there is."""

    def __init__(
        self, runtime: Runtime, window: int | None, options: Options, *, sharers: int = 1
    ) -> None:
        """Take the model's measure.

        Args:
            runtime: The model; it is frozen.
            window: Tokens that its positions reach, or None.
            options: How replays are wanted.
            sharers: Processes that replay out of the same free memory.

        Raises:
            UsageError: If the model cannot be attributed.
            EvenhandError: If it gives no finite numbers.
        """
        freeze(runtime.model)
        self.model = runtime.model
        with _memory_told("the model and a few tokens"):
            self.shape = measure(runtime.model)
        self.options = replace(options, positions=window)
        self._wanted = self.options
        self._tokenizer = runtime.tokenizer
        self._dtype = runtime.dtype
        self._sharers = sharers
        self._fitted = 0

    def fit(self, tokens: int) -> None:
        """Choose how replays of up to so many tokens are computed.

        Raises:
            UsageError: If they fit the memory in no way.
        """
        if tokens > self._fitted:
            self.options = choose_memory(
                self.model, self.shape, tokens, self._wanted, self._sharers
            )
            self._fitted = tokens

    def tokens(self, job: Job) -> int:
        """Tokens of one replay; 0 where it will be left out."""
        try:
            tokens = prepare(self._tokenizer, job.stored).replay.tokens
        except NotReplayableError:
            return 0
        return 0 if self.options.too_long(tokens) else tokens

    def replay(self, job: Job) -> Outcome:
        """Replay one generation; one that cannot be replayed gives its reason.

        Args:
            job: What to replay.

        Raises:
            UsageError: If it does not fit the memory.
            EvenhandError: If the model gives no finite numbers.
        """
        started = time.perf_counter()
        nothing = Outcome(
            job.experiment_id,
            tuple(None if gold is None else gold == job.majority_label for gold in job.golds),
        )
        try:
            prepared = prepare(self._tokenizer, job.stored)
        except NotReplayableError as error:
            return replace(nothing, reason=str(error))
        nothing = replace(nothing, tokens=prepared.replay.tokens)
        if reason := self.options.too_long(prepared.replay.tokens):
            reached = not self.options.out_of_reach(prepared.replay.tokens)
            return replace(
                nothing, reason=reason, over=self.options.max_tokens if reached else None
            )
        try:
            found = self._attributed(job, prepared, nothing)
        except NotReplayableError as error:
            return replace(nothing, reason=str(error))
        return replace(found, seconds=time.perf_counter() - started)

    def _attributed(self, job: Job, prepared: Prepared, nothing: Outcome) -> Outcome:
        self.fit(prepared.replay.tokens)
        way = self.options
        with _memory_told(f"a replay of {prepared.replay.tokens:,} tokens"):
            found = contrast(
                self.model, prepared.replay, memory=way.memory, packed=way.packed, chunk=way.chunk
            )
        shared = shares(found.contributions, prepared.instances, job.golds, job.stored.labels)
        return replace(
            nothing,
            score=found.score,
            log_probabilities=found.log_probabilities,
            straddling=prepared.instances.straddling,
            share=shared.share,
            push=shared.push,
            dtype=self._dtype,
        )


@contextmanager
def _memory_told(what: str) -> Iterator[None]:
    """Say what ran out of memory, against the forecast, and what takes less."""
    import torch

    try:
        yield
    except (torch.OutOfMemoryError, MemoryError):
        raise EvenhandError(
            f"out of memory with {what}: what is done is stored. Use --max-tokens, a smaller "
            "--chunk, --offload on a GPU, or free memory that others use, and go on"
        ) from None
