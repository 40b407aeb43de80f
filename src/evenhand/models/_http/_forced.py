"""Forced choice over HTTP: how probable is each of the two labels as the answer string.

The measure is that of the in-process models: the probability that the JSON string after
``{"answer": "`` is the label and then closes. It is walked token by token: each step sends the
prompt with the answer so far in the assistant's turn and asks for the log-probabilities of the
likeliest next tokens. That needs a server which continues the assistant's last message and lists
alternatives: vLLM and llama.cpp do; hosted chat APIs start a new message instead.
"""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from evenhand.errors import UsageError
from evenhand.models._http._faults import Sent
from evenhand.models._http._reply import read_reply
from evenhand.models._http._request import laid_over
from evenhand.models._http._transport import Received
from evenhand.models._protocol import (
    ForcedChoice,
    Generation,
    GenerationSettings,
    ParameterRefusedError,
    Usage,
)
from evenhand.models._spec import Json, ModelSpec
from evenhand.prompts import Message

PREFIX = '{"answer": "'
_FAR = 1e6
_ROUNDING = 1e-3
"""A log-probability lies between -1e6 (a stand-in for minus infinity) and 0, but for rounding."""

Ask = Callable[[Sequence[Message], Mapping[str, Json]], Awaitable[tuple[Received, Sent]]]


@dataclass(frozen=True, slots=True)
class Step:
    """One call of the walk: the likeliest next tokens, and what it cost."""

    alternatives: Mapping[str, float]
    generation: Generation


def forced_parameters(spec: ModelSpec, settings: GenerationSettings) -> dict[str, Json]:
    """What each call of the walk sends beside its messages.

    Raises:
        UsageError: If the catalog does not say that this server can do it.
    """
    if spec.forced is None:
        raise UsageError(
            f"{spec.name} cannot be asked by forced choice: its server is not known to continue an "
            "answer and list log-probabilities. Use --answer generate, a local/, hf/, vllm/ or "
            'llamacpp/ model, or set forced = "prefix" in --models FILE if this server can'
        )
    body: dict[str, Json] = {"model": spec.name.partition("/")[2], spec.cap_field: 1}
    if spec.temperature:
        body["temperature"] = settings.temperature
    body |= {"logprobs": True, "top_logprobs": spec.top_logprobs}
    return laid_over(laid_over(body, spec.body), spec.forced_body)


async def choose(
    spec: ModelSpec, messages: Sequence[Message], settings: GenerationSettings, ask: Ask
) -> Generation:
    """Compare the two labels.

    Args:
        spec: The model.
        messages: The prompt.
        settings: With the two labels, in the task's order.
        ask: Sends messages with parameters and returns the decoded reply.

    Raises:
        UsageError: If the labels are missing, or the server is not known to be able to.
        ParameterRefusedError: If the server lists no token that begins a label.
        ModelError: As any call.
    """
    if settings.labels is None:
        raise UsageError("a forced choice needs the two labels")
    asked = forced_parameters(spec, settings)
    steps: dict[str, Step] = {}

    async def look(written: str) -> Mapping[str, float]:
        if written not in steps:
            turn = Message("assistant", PREFIX + written)
            received, sent = await ask([*messages, turn], asked)
            generation = read_reply(
                received.body,
                sent,
                cap=1,
                latency_s=received.latency_s,
                upstream=received.upstream,
            )
            steps[written] = Step(_alternatives(received.body, spec), generation)
        return steps[written].alternatives

    first, second = [await _log_probability(label, look, spec) for label in settings.labels]
    margin = second - first
    label = None if margin == 0 else settings.labels[1] if margin > 0 else settings.labels[0]
    calls = [step.generation for step in steps.values()]
    costs = [call.cost_usd for call in calls]
    return Generation(
        text=label or "",
        finish_reason="stop",
        usage=_total([call.usage for call in calls]),
        forced=ForcedChoice(label, margin, min(1.0, math.exp(first) + math.exp(second))),
        parameters=asked | {"answer_mode": "forced"},
        upstream=calls[0].upstream,
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
        latency_s=sum(call.latency_s for call in calls),
    )


async def _log_probability(
    label: str, look: Callable[[str], Awaitable[Mapping[str, float]]], spec: ModelSpec
) -> float:
    """log P(the label, then a closing quote | the answer prefix), natural logarithm."""
    whole = json.dumps(label, ensure_ascii=False)[1:-1]
    written, so_far, paths = "", 0.0, []
    while True:
        alternatives = await look(written)
        rest = whole[len(written) :]
        paths += [
            so_far + value for token, value in alternatives.items() if token.startswith(rest + '"')
        ]
        inside = [token for token in alternatives if token and rest.startswith(token)]
        if not inside:
            break
        token = max(inside, key=len)
        so_far += alternatives[token]
        written += token
    if not paths:
        raise ParameterRefusedError(
            f"{spec.name}: the server's {len(alternatives)} likeliest tokens after "
            f"{PREFIX + written!r} do not lead to the label {label!r}: raise top_logprobs in "
            "--models FILE (and the server's own limit), or use --answer generate"
        )
    top = max(paths)
    return top + math.log(sum(math.exp(path - top) for path in paths))


def _alternatives(body: Json, spec: ModelSpec) -> dict[str, float]:
    """Next tokens and their log-probabilities, from the first position of a chat completion."""
    tokens: dict[str, float] = {}
    for entry in _entries(body):
        token, value = _token(entry), entry.get("logprob")
        if (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and -_FAR <= value <= _ROUNDING
        ):
            tokens[token] = max(tokens.get(token, -math.inf), min(float(value), 0.0))
    if not tokens:
        raise ParameterRefusedError(
            f"{spec.name}: the reply holds no log-probabilities: this server cannot be asked by "
            "forced choice; use --answer generate"
        )
    return tokens


def _entries(body: Json) -> list[Mapping[str, Json]]:
    place: Json = body
    for step in ("choices", 0, "logprobs", "content", 0):
        if isinstance(step, str) and isinstance(place, Mapping):
            place = place.get(step)
        elif isinstance(step, int) and isinstance(place, list) and place:
            place = place[step]
        else:
            return []
    if not isinstance(place, Mapping):
        return []
    listed = place.get("top_logprobs")
    rows: list[Json] = [dict(place), *(listed if isinstance(listed, list) else [])]
    return [row for row in rows if isinstance(row, Mapping)]


def _token(entry: Mapping[str, Json]) -> str:
    raw = entry.get("bytes")
    numbers = [value for value in raw if isinstance(value, int)] if isinstance(raw, list) else []
    if numbers and numbers == raw and all(0 <= number < 256 for number in numbers):
        return bytes(numbers).decode("utf-8", "replace")
    token = entry.get("token")
    return token if isinstance(token, str) else ""


def _total(usages: Sequence[Usage]) -> Usage:
    def added(values: Sequence[int | None]) -> int | None:
        known = [value for value in values if value is not None]
        return sum(known) if len(known) == len(values) else None

    return Usage(
        added([usage.input_tokens for usage in usages]),
        added([usage.cached_input_tokens for usage in usages]),
        added([usage.output_tokens for usage in usages]),
        added([usage.reasoning_tokens for usage in usages]),
    )
