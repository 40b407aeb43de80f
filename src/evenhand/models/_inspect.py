"""Any Inspect provider as a model: ``inspect/PROVIDER/MODEL`` (extra ``inspect``).

Inspect's own retries are off here, as the engine counts and waits for itself; keys come from where
Inspect looks for them. Inspect raises each provider's own exceptions, so the same table of
statuses and wordings decides as for HTTP.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evenhand.errors import UsageError
from evenhand.models._estimate import estimate_tokens
from evenhand.models._http._faults import Sent, fault
from evenhand.models._http._reasoning import Voice, read_voice
from evenhand.models._names import parse_model_name
from evenhand.models._protocol import (
    ContextOverflowError,
    Generation,
    GenerationSettings,
    ModelError,
    TokenCount,
    TransientError,
    Usage,
)
from evenhand.models._spec import Json, ModelSpec
from evenhand.prompts import Message

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, ModelOutput
    from inspect_ai.model import Model as InspectHandle

_FINISH = {"max_tokens": "length", "model_length": "length"}
_CONNECTIONS = 256
_STATUS_FIELDS = ("status_code", "status", "code", "http_status")


def open_inspect(name: str, *, base_url: str | None = None) -> InspectModel:
    """Open a model of any Inspect provider.

    Args:
        name: ``inspect/PROVIDER/MODEL``, optionally ``@base_url``.
        base_url: The server's address, where it does not stand in the name.

    Raises:
        UsageError: If the extra is not installed, or Inspect does not know the provider or lacks
            its key or package.
    """
    parsed = parse_model_name(name, base_url=base_url)
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError:
        raise UsageError(f"{parsed.full} needs Inspect: pip install 'evenhand[inspect]'") from None
    try:
        handle = get_model(
            parsed.model,
            base_url=parsed.base_url,
            memoize=False,
            config=GenerateConfig(max_retries=0, max_connections=_CONNECTIONS),
        )
    except Exception as error:  # noqa: BLE001  every provider raises its own
        told = " ".join(str(error).split())[:300]
    else:
        return InspectModel(handle, parsed.full)
    raise UsageError(f"Inspect cannot open {parsed.model}: {told}")


class InspectModel:
    """A model of an Inspect provider.

    Args:
        handle: From Inspect's ``get_model``.
        name: As the results table is to show it.
    """

    def __init__(self, handle: InspectHandle, name: str) -> None:
        self._handle = handle
        self._name = name

    @property
    def name(self) -> str:
        """``inspect/PROVIDER/MODEL``."""
        return self._name

    @property
    def context_window(self) -> int | None:
        """None: Inspect does not say before a call."""
        return None

    @property
    def max_concurrency(self) -> int | None:
        """None: the server decides."""
        return None

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """Answer once.

        Raises:
            ModelError: One of the protocol's errors.
            UsageError: For a forced choice: Inspect does not continue an assistant's message.
        """
        from inspect_ai.model import GenerateConfig

        if settings.answer_mode == "forced":
            raise UsageError(
                f"{self._name} cannot be asked by forced choice: use --answer generate"
            )
        sent: dict[str, Json] = {
            "max_tokens": settings.output_budget,
            "temperature": settings.temperature,
        }
        if settings.seed is not None:
            sent["seed"] = settings.seed
        config = GenerateConfig(
            max_tokens=settings.output_budget,
            temperature=settings.temperature,
            seed=settings.seed,
        )
        began = time.monotonic()
        output = await self._call(messages, config, sent)
        return read_output(
            output, self._name, sent, settings.output_budget, time.monotonic() - began
        )

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        """Estimate the prompt's tokens."""
        return TokenCount(estimate_tokens(messages), exact=False)

    async def aclose(self) -> None:
        """Close the provider's connections."""
        await self._handle.api.aclose()

    async def _call(
        self, messages: Sequence[Message], config: GenerateConfig, sent: Mapping[str, Json]
    ) -> ModelOutput:
        try:
            return await self._handle.generate(
                input=[to_inspect(message) for message in messages], config=config, cache=False
            )
        except Exception as error:  # noqa: BLE001  every provider raises its own
            failure = _classified(error, self._name, sent, messages)
        raise failure


def to_inspect(message: Message) -> ChatMessage:
    """One message as Inspect has it."""
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser

    match message.role:
        case "system":
            return ChatMessageSystem(content=message.content)
        case "user":
            return ChatMessageUser(content=message.content)
        case "assistant":
            return ChatMessageAssistant(content=message.content)


def read_output(
    output: ModelOutput, name: str, sent: Mapping[str, Json], budget: int, latency_s: float
) -> Generation:
    """Read Inspect's output into a generation.

    Raises:
        ContextOverflowError: Inspect turns a full context into an output that stopped at the
            model's length and used nothing.
        TransientError: If the output holds an error or no choice.
    """
    usage = _usage(output)
    if not output.choices:
        raise TransientError(f"{name}: the reply has no choices: {output.error or 'no reason'}")
    choice = output.choices[0]
    if choice.stop_reason == "model_length" and not usage.output_tokens:
        raise ContextOverflowError(
            f"{name}: the prompt does not fit: {' '.join(output.completion.split())[:300]}"
        )
    if output.error and choice.stop_reason != "content_filter":
        raise TransientError(f"{name}: {' '.join(output.error.split())[:300]}")
    voice = _voice(output)
    finish = _FINISH.get(choice.stop_reason, choice.stop_reason)
    nothing = not voice.text and voice.reasoning is not None
    spent = (usage.output_tokens or 0) >= budget
    if finish in ("stop", "unknown") and (nothing or voice.unfinished or spent):
        finish = "length"
    return Generation(
        text=voice.text,
        finish_reason=finish,
        reasoning=voice.reasoning,
        reasoning_source=voice.source,
        usage=usage,
        parameters=dict(sent),
        cost_usd=None if output.usage is None else output.usage.total_cost,
        latency_s=latency_s if output.time is None else output.time,
    )


def _voice(output: ModelOutput) -> Voice:
    content = output.choices[0].message.content
    if isinstance(content, str):
        return read_voice({"content": content})
    from inspect_ai.model import ContentReasoning, ContentText

    visible = "".join(block.text for block in content if isinstance(block, ContentText))
    blocks = [block for block in content if isinstance(block, ContentReasoning)]
    told = [block.reasoning for block in blocks if block.reasoning and not block.redacted]
    if told:
        return Voice(visible, "".join(told), "blocks")
    summaries = [block.summary for block in blocks if block.summary]
    if summaries:
        return Voice(visible, "".join(summaries), "summary")
    return read_voice({"content": visible})


def _usage(output: ModelOutput) -> Usage:
    """Inspect counts cached input beside the rest; here it is part of the input."""
    usage = output.usage
    if usage is None:
        return Usage()
    cached = usage.input_tokens_cache_read
    parts = usage.input_tokens + (cached or 0) + (usage.input_tokens_cache_write or 0)
    whole = usage.total_tokens - usage.output_tokens
    return Usage(
        input_tokens=whole if usage.input_tokens <= whole <= parts else parts,
        cached_input_tokens=cached,
        output_tokens=usage.output_tokens,
        reasoning_tokens=usage.reasoning_tokens,
    )


def _classified(
    error: Exception, name: str, sent: Mapping[str, Json], messages: Sequence[Message]
) -> Exception:
    told = Sent(ModelSpec(name), sent, messages)
    if type(error).__name__ == "RetryError" and (inner := _last_attempt(error)) is not None:
        error = inner
    if type(error).__name__ == "ModelGenerateError" and isinstance(error.__cause__, Exception):
        error = error.__cause__  # Inspect's own message repeats the whole request
    if type(error).__name__ == "PrerequisiteError":
        return UsageError(f"{name}: {told.brief(str(error))}")
    status = _status(error)
    if status is not None:
        body = getattr(error, "body", None)  # the openai and anthropic clients decode it
        return fault(status, {"error": body} if isinstance(body, dict) else str(error), told)
    if isinstance(error, OSError | TimeoutError) or _is_transport(error):
        return TransientError(f"{name}: {told.brief(str(error)) or type(error).__name__}")
    return ModelError(f"{name}: {type(error).__name__}: {told.brief(str(error))}")


def _last_attempt(error: Exception) -> Exception | None:
    attempt = getattr(error, "last_attempt", None)
    inner = attempt.exception() if attempt is not None else None
    return inner if isinstance(inner, Exception) else None


def _status(error: Exception) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        for field in _STATUS_FIELDS:
            value = getattr(holder, field, None)
            if isinstance(value, int) and 100 <= value < 600:
                return value
    return None


def _is_transport(error: Exception) -> bool:
    names = {base.__name__ for base in type(error).__mro__}
    return bool(names & {"TransportError", "APIConnectionError", "ConnectionError", "ClientError"})
