"""The adapter: a model in this process behind the protocol of all models."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from evenhand.errors import UsageError
from evenhand.models._local._chat import ANSWER_PREFIX, chat_text, token_ids
from evenhand.models._local._forced import choose, question
from evenhand.models._local._reader import Reader
from evenhand.models._local._runtime import Runtime
from evenhand.models._local._write import write
from evenhand.models._protocol import (
    ContextOverflowError,
    Generation,
    GenerationSettings,
    ModelError,
    TokenCount,
    Usage,
)
from evenhand.models._spec import FREE, Price
from evenhand.prompts import Message

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

ANSWER_ROOM = 16
"""Tokens that any answer needs; a prompt that leaves fewer does not fit the window."""


class LocalModel:
    """A Transformers model in this process; one call at a time, on a thread of its own."""

    def __init__(
        self,
        name: str,
        *,
        tokenizer: PreTrainedTokenizerBase,
        window: int | None,
        load: Callable[[], Runtime],
    ) -> None:
        """Hold what a first call needs.

        Args:
            name: Full name, as the results show it.
            tokenizer: With a chat template.
            window: Tokens of input and output together; None when unknown.
            load: Loads the model; called by the first call, and by the first after closing.
        """
        self._name = name
        self._tokenizer = tokenizer
        self._window = window
        self._load = load
        self._loaded: tuple[Runtime, Reader] | None = None
        self._worker: ThreadPoolExecutor | None = None

    @property
    def name(self) -> str:
        """Full name, ``provider/model``."""
        return self._name

    @property
    def context_window(self) -> int | None:
        """Tokens of input and output together, or None when the model does not say."""
        return self._window

    @property
    def max_concurrency(self) -> int | None:
        """One: two calls at once would only share the same cores."""
        return 1

    @property
    def price(self) -> Price:
        """Nothing."""
        return FREE

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        """Count the prompt's tokens, chat template included."""
        text = chat_text(self._tokenizer, messages)
        return TokenCount(len(token_ids(self._tokenizer, text, messages)), exact=True)

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """Answer once, without holding up the event loop.

        Raises:
            ContextOverflowError: If the prompt leaves no room for an answer in the window.
            UsageError: If a forced choice lacks its labels, or the chat template refuses.
            ModelError: If the memory does not suffice.
        """
        if self._worker is None:
            self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="evenhand-local")
        stop = threading.Event()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._worker, self._answer, messages, settings, stop)
        except asyncio.CancelledError:
            stop.set()
            raise

    async def aclose(self) -> None:
        """Free the model's memory; a later call loads it again."""
        worker, self._worker = self._worker, None
        if worker is not None:
            await asyncio.to_thread(worker.shutdown, cancel_futures=True)
        self._loaded = None

    def _answer(
        self, messages: Sequence[Message], settings: GenerationSettings, stop: threading.Event
    ) -> Generation:
        import torch

        started = time.perf_counter()
        answer = self._choose if settings.answer_mode == "forced" else self._write
        try:
            with torch.inference_mode():
                return answer(messages, settings, stop, started)
        except (torch.OutOfMemoryError, MemoryError):
            self._loaded = None
            raise ModelError(
                f"{self._name}: not enough memory for this prompt; use fewer instances, "
                "a smaller model, or another dtype or device"
            ) from None

    def _write(
        self,
        messages: Sequence[Message],
        settings: GenerationSettings,
        stop: threading.Event,
        started: float,
    ) -> Generation:
        ids = token_ids(self._tokenizer, chat_text(self._tokenizer, messages), messages)
        left = self._room(len(ids), min(ANSWER_ROOM, settings.output_budget))
        most = settings.output_budget if left is None else min(settings.output_budget, left)
        runtime, reader = self._ready()
        reply = write(
            reader,
            ids,
            most=most,
            stop_ids=runtime.stop_ids,
            temperature=settings.temperature,
            seed=settings.seed,
            stop=stop,
        )
        text = self._tokenizer.decode(
            list(reply.ids), skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        if not isinstance(text, str):
            raise TypeError("one sequence decodes to one text")
        return Generation(
            text=text,
            finish_reason=reply.finish_reason,
            usage=Usage(len(ids), reply.reused, reply.count),
            parameters={
                **_machine(runtime),
                "answer_mode": "generate",
                # Of both, the smaller holds; the room differs from prompt to prompt.
                "max_new_tokens": settings.output_budget,
                "window_room": left,
                "temperature": settings.temperature,
                "seed": settings.seed,
            },
            latency_s=time.perf_counter() - started,
        )

    def _choose(
        self,
        messages: Sequence[Message],
        settings: GenerationSettings,
        stop: threading.Event,
        started: float,
    ) -> Generation:
        if settings.labels is None:
            raise UsageError("a forced choice needs the two labels")
        context = chat_text(self._tokenizer, messages, forced=True)

        def encode(text: str) -> list[int]:
            return token_ids(self._tokenizer, text, messages)

        asked = question(encode, context, settings.labels)
        self._room(len(asked.context), max(map(len, asked.labels)) + 1)
        runtime, reader = self._ready()
        logits, reused = reader.continuations(asked.context, asked.labels, stop)
        return Generation(
            text="",
            usage=Usage(len(asked.context), reused, 0),
            forced=choose(self._tokenizer, asked, settings.labels, logits),
            parameters={
                **_machine(runtime),
                "answer_mode": "forced",
                "answer_prefix": ANSWER_PREFIX,
                "labels": list(settings.labels),
            },
            latency_s=time.perf_counter() - started,
        )

    def _room(self, prompt: int, needed: int) -> int | None:
        if self._window is None:
            return None
        left = self._window - prompt
        if left < needed:
            raise ContextOverflowError(
                f"{self._name} reads {self._window:,} tokens; this prompt has {prompt:,} and its "
                f"answer needs {needed}: use fewer instances or a model with a larger window"
            )
        return left

    def _ready(self) -> tuple[Runtime, Reader]:
        if self._loaded is None:
            runtime = self._load()
            self._loaded = runtime, Reader(runtime)
        return self._loaded


def _machine(runtime: Runtime) -> dict[str, str]:
    return {"device": runtime.device, "dtype": runtime.dtype}
