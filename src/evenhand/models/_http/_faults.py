"""What a server's refusal means: one table of statuses, one of wordings.

Wordings come before statuses, because servers report a full context under 400, 413, 422 and 500,
a refused key under 400, and an empty account under 429.
"""

from __future__ import annotations

import email.utils
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from evenhand.models._http._brief import brief
from evenhand.models._protocol import (
    AccessRefusedError,
    ContextOverflowError,
    ModelError,
    ParameterRefusedError,
    TransientError,
)
from evenhand.models._spec import Json, ModelSpec
from evenhand.prompts import Message

Kind = Literal["transient", "overflow", "parameter", "access", "redirect", "request"]

_READ = 4_000
_MESSAGES = ("message", "msg", "detail")
_NEVER_PARAMETERS = frozenset({"model", "usage"})


def _any(*wordings: str) -> re.Pattern[str]:
    return re.compile("|".join(wordings), re.IGNORECASE)


_OVERFLOW = _any(
    r"context_length_exceeded",  # OpenAI, DeepSeek, Groq: the error's code
    r"string_above_max_length",
    r"maximum context length",  # OpenAI, OpenRouter, vLLM, DeepSeek
    r"exceeds? (?:the )?(?:model'?s? )?(?:available |maximum |max )*context",  # OpenAI, llama.cpp
    r"exceed_context_size_error",  # llama.cpp: the error's type
    r"context (?:window|length|size) (?:of this model )?(?:is |was )?(?:exceeded|too small)",
    r"longer than the (?:maximum model length|context length|model's context)",  # vLLM
    r"maximum (?:model|prompt|input) length",  # vLLM, xAI
    r"input token count .{0,40}exceeds? the maximum",  # Gemini
    r"(?:input|prompt) (?:length|is|tokens?)?.{0,60}exceeds? .{0,40}(?:length|limit|maximum)",
    r"prompt is too long",  # Anthropic
    r"input is too long",
    r"request_too_large|request exceeds the maximum size",  # Anthropic, 413
    r"request entity too large|payload too large|content too large",  # gateways, 413
    r"greater than the context length",  # LM Studio
    r"too many (?:input )?tokens in (?:the )?(?:prompt|request|input)",
    r"reduce the length of (?:the |your )?(?:messages|prompt|input)",
)
_ACCESS = _any(
    r"api[ _]key not valid|invalid[ _]api[ _]key|incorrect api key|api_key_invalid",
    r"is not a valid model id|model_not_found|no such model",
    r"model .{0,80}(?:does not exist|not found)",
    r"insufficient_quota|billing_hard_limit_reached|insufficient (?:credits|balance|funds)",
)
_FILTERED = _any(
    r"content_filter|content management policy|responsible ?ai",
    r"input was flagged|flagged_input|moderation",
)

_WAIT = re.compile(
    r"(?:retryDelay: |(?:try again|retry) (?:in|after) )(?P<amount>\d+(?:\.\d+)?)\s?"
    r"(?P<unit>ms|s|m)(?:econds?|inutes?)?\b",
    re.IGNORECASE,
)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0}

_STATUSES: Mapping[int, Kind] = {
    401: "access",
    402: "access",
    403: "access",
    404: "access",
    405: "access",
    408: "transient",
    409: "transient",
    413: "overflow",
    421: "transient",
    425: "transient",
    429: "transient",
}
_NEVER_OVERFLOW = frozenset({401, 402, 403, 404, 429})
"""Rate limits and credit are worded in prompt tokens too ("prompt tokens limit exceeded")."""
_BY_HUNDRED: Mapping[int, Kind] = {3: "redirect", 4: "request", 5: "transient"}

_SETTINGS = {
    "max_tokens": '--budget, or cap_field (such as "max_completion_tokens") in --models FILE',
    "max_completion_tokens": '--budget, or cap_field (such as "max_tokens") in --models FILE',
    "max_output_tokens": "--budget, or cap_field in --models FILE",
    "temperature": "temperature = false in --models FILE",
    "seed": 'seed_field in --models FILE ("" sends none)',
    "stream": "stream = false in --models FILE",
    "stream_options": "stream = false in --models FILE",
    "logprobs": "--answer generate, or forced in --models FILE",
    "top_logprobs": "top_logprobs in --models FILE",
    "prompt_logprobs": "--answer generate, or forced in --models FILE",
}


@dataclass(frozen=True, slots=True)
class Sent:
    """What the message of an error may need to know of the request."""

    spec: ModelSpec
    parameters: Mapping[str, Json]
    prompt: Sequence[Message]
    secrets: tuple[str, ...] = ()

    def brief(self, text: str) -> str:
        """The text, short, without keys and without the prompt."""
        return brief(text, secrets=self.secrets, prompt=self.prompt)


def fault(
    status: int,
    body: Json,
    sent: Sent,
    *,
    retry_after: float | None = None,
    location: str | None = None,
    wrapped: bool = False,
) -> ModelError:
    """The error that a refusal means.

    Args:
        status: HTTP status, or the code that an error inside a reply carries (0 for none).
        body: The decoded body, or its text.
        sent: The request.
        retry_after: The server's wish in seconds.
        location: Where a redirect points.
        wrapped: The refusal came inside a reply of status 200: whatever the tables do not know
            is then worth trying again.
    """
    told = _told(body)
    said = sent.brief(told.message) or "no reason given"
    kind = classify(status, told.evidence, sent, wrapped=wrapped)
    shown = f"{sent.spec.name} ({status})" if status else sent.spec.name
    match kind:
        case "overflow":
            return ContextOverflowError(f"{shown}: the prompt does not fit: {said}")
        case "access":
            return AccessRefusedError(f"{shown}: {said}: {_access_remedy(status, told, sent)}")
        case "parameter":
            return ParameterRefusedError(f"{shown}: {said}: {_parameter_remedy(told, sent)}")
        case "redirect":
            return AccessRefusedError(
                f"{shown}: the server points to {sent.brief(location or 'nowhere')}: "
                "correct the base URL"
            )
        case "request":
            return ParameterRefusedError(
                f"{shown}: the server refused the request: {said}: it was sent "
                f"{', '.join(_names(sent))}; change these in --models FILE"
            )
        case "transient":
            wish = retry_after if retry_after is not None else _spoken_wait(told)
            return TransientError(f"{shown}: {said}", retry_after=wish)


def classify(status: int, evidence: str, sent: Sent, *, wrapped: bool = False) -> Kind:
    """The kind of refusal that a status and a wording are; the one place that decides."""
    wordings = (_OVERFLOW.pattern, *sent.spec.overflow)
    if status not in _NEVER_OVERFLOW and any(
        re.search(wording, evidence, re.IGNORECASE) for wording in wordings
    ):
        return "overflow"
    if _ACCESS.search(evidence) and status < 500:
        return "access"
    if status in (400, 422) and _named(evidence, sent):
        return "parameter"
    kind = _STATUSES.get(status) or _BY_HUNDRED.get(status // 100, "transient")
    return "transient" if wrapped and kind == "request" else kind


def is_filtered(status: int, body: Json) -> bool:
    """Whether a refusal is a content filter's, and so an answer of a kind."""
    return status in (400, 403) and bool(_FILTERED.search(_told(body).evidence))


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """The wish of a ``Retry-After`` header, as seconds or a date, in seconds from now."""
    if (milliseconds := headers.get("retry-after-ms")) is not None:
        seconds = _number(milliseconds)
        if seconds is not None:
            return seconds / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    if (seconds := _number(value)) is not None:
        return seconds
    try:
        moment = email.utils.parsedate_to_datetime(value).timestamp()
    except (ValueError, OverflowError):
        return None
    return max(moment - time.time(), 0.0)


def _spoken_wait(told: _Told) -> float | None:
    """The wait that a message asks for in words, in seconds."""
    spoken = _WAIT.search(told.evidence)
    if spoken is None:
        return None
    return float(spoken["amount"]) * _UNITS[spoken["unit"].lower()]


def decode(data: bytes) -> Json:
    """A body as JSON, or else as text; brackets too deep for Python are no JSON either."""
    try:
        decoded: Json = json.loads(data)
    except (ValueError, RecursionError):
        return data[: 2 * _READ].decode("utf-8", "replace")
    return decoded


@dataclass(frozen=True, slots=True)
class _Told:
    """The message for people, and everything the tables are matched against."""

    message: str
    evidence: str


def _told(body: Json) -> _Told:
    while isinstance(body, list) and body:  # Gemini wraps its errors in a list
        body = body[0]
    if isinstance(body, str):
        return _Told(_without_markup(body), body[:_READ])
    if not isinstance(body, Mapping):
        return _Told("", "")
    parts = list(_strings(body))
    message = next((text for name, text in parts if name in _MESSAGES), "")
    upstream = next((text for name, text in parts if name == "raw"), "")
    shown = f"{message}: {upstream}" if upstream else message
    evidence = "\n".join(f"{name}: {text[: _READ // 2]}" for name, text in parts)
    return _Told(shown, evidence[:_READ])


def _strings(value: Json, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Texts of an error body with the names of their fields, the outermost first."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping) and depth < 4:
        if isinstance(value.get("error"), Mapping | str):
            yield from _strings(value["error"], "message", depth + 1)
        for key, inner in value.items():
            if key not in ("error", "input", "ctx", "url", "user_id"):
                yield from _strings(inner, key, depth + 1)
    elif isinstance(value, list) and depth < 4:
        for inner in value[:8]:
            yield from _strings(inner, name, depth + 1)


def _without_markup(text: str) -> str:
    if "<html" not in text[:1000].lower():
        return text
    plain = re.sub(
        r"<(script|style)\b.*?</\1>|<[^>]*>", " ", text[:_READ], flags=re.DOTALL | re.IGNORECASE
    )
    return f"an HTML page instead of JSON: {plain.strip()}"


def _names(sent: Sent) -> list[str]:
    return [name for name in sent.parameters if name not in _NEVER_PARAMETERS]


def _named(evidence: str, sent: Sent) -> str | None:
    """The first of the sent parameters that the server names."""
    found = {
        match.start(): name
        for name in _names(sent)
        if (match := re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", evidence))
    }
    return found[min(found)] if found else None


def _parameter_remedy(told: _Told, sent: Sent) -> str:
    name = _named(told.evidence, sent)
    setting = _SETTINGS.get(name or "", f"{name} under body in --models FILE")
    return f"the server does not accept {name}: change {setting}"


def _access_remedy(status: int, told: _Told, sent: Sent) -> str:
    variables = " or ".join(sent.spec.key_variables) or "the server's key"
    lowered = told.evidence.lower()
    if status == 402 or "insufficient" in lowered or "billing" in lowered:
        return f"the account behind {variables} has no credit"
    if status == 403:
        return f"the account behind {variables} may not use this model"
    if status in (404, 405) or ("model" in lowered and "key" not in lowered):
        return f"check the model name and the base URL {sent.spec.base_url} (most end in /v1)"
    return f"check the key in {variables} (environment or .env)"


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 <= number < 1e9 else None
