"""What the fake server may do with a request: answers, and every fault that servers commit.

A :class:`Play` describes one exchange. The tables name the faults by what they must come to, and
the replies that are answers of some kind; :mod:`tests.fake_server` performs them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Play:
    """What to do with one request.

    Attributes:
        status: HTTP status.
        headers: Further headers.
        completion: A chat completion, sent as JSON, or as events when the request streams.
        body: Raw bytes in place of a completion.
        content_type: Of a raw body.
        latency_s: Wait before the first byte.
        hang: Never answer.
        reset: Close the connection without a reply, by a TCP reset.
        cut_after: Close the connection after so many bytes of the body.
        terminated: Whether a stream ends with its terminator.
        stream_error: An error object sent as the last event of a stream.
        pieces: Into how many events the text of a stream is divided.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    completion: Json | None = None
    body: bytes | None = None
    content_type: str = "application/json"
    latency_s: float = 0.0
    hang: bool = False
    reset: bool = False
    cut_after: int | None = None
    terminated: bool = True
    stream_error: Json | None = None
    pieces: int = 4


def answer(
    text: object = '{"answer": "positive"}',
    *,
    finish_reason: str | None = "stop",
    reasoning: str | None = None,
    reasoning_field: str = "reasoning",
    usage: Mapping[str, Any] | None = None,
    latency_s: float = 0.0,
    pieces: int = 4,
    message: Mapping[str, Any] | None = None,
    **extra: Any,
) -> Play:
    """A completion. ``message`` and ``extra`` add fields to the message and to the completion."""
    content: Json = {"role": "assistant", "content": text}
    if reasoning is not None:
        content[reasoning_field] = reasoning
    content |= dict(message or {})
    completion: Json = {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "created": 1,
        "model": "fake",
        "choices": [{"index": 0, "message": content, "finish_reason": finish_reason}],
    }
    if usage is not None:
        completion["usage"] = dict(usage)
    return Play(completion=completion | extra, latency_s=latency_s, pieces=pieces)


def error(
    http_status: int, message: str, *, headers: Mapping[str, str] | None = None, **more: Any
) -> Play:
    """An error reply in the shape most servers share."""
    body = {"error": {"message": message, **more}}
    return Play(status=http_status, body=json.dumps(body).encode(), headers=headers or {})


def raw(status: int, body: object, *, content_type: str = "application/json") -> Play:
    """Any body: bytes as they are, anything else as JSON."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Play(status=status, body=data, content_type=content_type)


_HTML = b"<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>"
_WHOLE = answer()
assert _WHOLE.completion is not None
_WHOLE_BYTES = json.dumps(_WHOLE.completion).encode()

TRANSIENT_FAULTS: Mapping[str, Play] = {
    "429": error(429, "Rate limit reached, please slow down"),
    "429-retry-after": error(429, "Rate limit reached", headers={"Retry-After": "1"}),
    "500": error(500, "Internal server error"),
    "502": raw(502, _HTML, content_type="text/html"),
    "503": error(503, "The model is overloaded"),
    "529": error(529, "Overloaded", type="overloaded_error"),
    "reset": Play(reset=True),
    "hang": Play(hang=True),
    "cut": replace(_WHOLE, cut_after=40),
    "html": raw(200, _HTML, content_type="text/html"),
    "truncated-json": raw(200, _WHOLE_BYTES[:60]),
    "empty-body": raw(200, b""),
    "deep-brackets": raw(200, b'{"choices": ' + b"[" * 100_000),
    "deep-brackets-500": raw(500, b'{"error": ' + b"[" * 100_000),
    "endless-number": raw(200, b'{"usage": ' + b"1" * 5_000 + b"}"),
    "unprintable-500": raw(500, b'{"error": {"message": "lone \\ud800, \\u001b[31mred, \\u0000"}}'),
    "odd-code-200": raw(200, {"error": {"message": "failed", "code": "\u00b2"}}),
    "error-200": raw(200, {"error": {"message": "Upstream failed", "code": 502}}),
    "error-200-plain": raw(200, {"error": "upstream failed"}),
    "no-choices": raw(200, {"id": "x", "object": "chat.completion"}),
    "empty-choices": raw(200, {"id": "x", "choices": []}),
    "finish-error": answer("{", finish_reason="error"),
    "no-terminator": replace(answer(finish_reason=None), terminated=False),
    "stream-error": replace(
        answer(finish_reason=None), stream_error={"message": "Upstream went away", "code": 502}
    ),
}
"""Worth trying again. The last two need a request that streams."""

OVERFLOW_FAULTS: Mapping[str, Play] = {
    "overflow-openai": error(
        400,
        "This model's maximum context length is 128000 tokens. However, your messages resulted in "
        "151022 tokens. Please reduce the length of the messages.",
        type="invalid_request_error",
        param="messages",
        code="context_length_exceeded",
    ),
    "overflow-openai-window": error(
        400,
        "Your input exceeds the context window of this model. Please adjust your input.",
        type="invalid_request_error",
        param="input",
        code="context_length_exceeded",
    ),
    "overflow-openrouter": error(
        400,
        "This endpoint's maximum context length is 131072 tokens. However, you requested about "
        "152001 tokens (132001 of text input, 20000 in the output). Please reduce the length.",
        code=400,
    ),
    "overflow-openrouter-raw": error(
        400,
        "Provider returned error",
        code=400,
        metadata={
            "provider_name": "Somewhere",
            "raw": '{"error":{"message":"Input length 140000 exceeds the maximum allowed length"}}',
        },
    ),
    "overflow-openrouter-413": error(413, "Request Entity Too Large", code=413),
    "overflow-vllm": raw(
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 32768 tokens. However, you "
            "requested 52768 tokens (32768 in the messages, 20000 in the completion).",
            "type": "BadRequestError",
            "code": 400,
        },
    ),
    "overflow-vllm-decoder": error(
        400,
        "The decoder prompt (length 40000) is longer than the maximum model length of 32768.",
        type="BadRequestError",
        code=400,
    ),
    "overflow-vllm-max-tokens": error(
        400,
        "'max_tokens' or 'max_completion_tokens' is too large: 20000. This model's maximum context "
        "length is 32768 tokens and your request has 30000 input tokens (20000 > 32768 - 30000).",
        type="BadRequestError",
        code=400,
    ),
    "overflow-llamacpp": error(
        400,
        "the request exceeds the available context size. try increasing the context size",
        type="exceed_context_size_error",
        code=400,
        n_prompt_tokens=40000,
        n_ctx=32768,
    ),
    "overflow-llamacpp-500": error(
        500, "the request exceeds the available context size (4096 tokens)", type="server_error"
    ),
    "overflow-gemini": raw(
        400,
        [
            {
                "error": {
                    "code": 400,
                    "message": "The input token count (1200000) exceeds the maximum number of "
                    "tokens allowed (1048576).",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
    ),
    "overflow-anthropic": raw(
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "prompt is too long: 210000 tokens > 200000 maximum",
            },
        },
    ),
    "overflow-anthropic-413": raw(
        413,
        {
            "type": "error",
            "error": {"type": "request_too_large", "message": "Request exceeds the maximum size"},
        },
    ),
    "overflow-xai": error(
        400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."
    ),
    "overflow-lmstudio": raw(
        400,
        {
            "error": "The number of tokens to keep from the initial prompt is greater than the "
            "context length."
        },
    ),
    "overflow-200": raw(
        200,
        {"error": {"message": "This model's maximum context length is 32768 tokens", "code": 400}},
    ),
}
"""The prompt does not fit."""

PARAMETER_FAULTS: Mapping[str, Play] = {
    "parameter-openai": error(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
        "'max_completion_tokens' instead.",
        type="invalid_request_error",
        param="max_tokens",
        code="unsupported_parameter",
    ),
    "parameter-temperature": error(
        400,
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) "
        "value is supported.",
        type="invalid_request_error",
        param="temperature",
        code="unsupported_value",
    ),
    "parameter-vllm": raw(
        400,
        {
            "object": "error",
            "message": "[{'type': 'extra_forbidden', 'loc': ('body', 'seed'), "
            "'msg': 'Extra inputs are not permitted'}]",
            "type": "BadRequestError",
            "code": 400,
        },
    ),
    "parameter-422": raw(
        422,
        {"detail": [{"loc": ["body", "temperature"], "msg": "extra fields not permitted"}]},
    ),
}
"""A parameter is refused; ``seed`` is named by the vLLM wording, so send one."""

ACCESS_FAULTS: Mapping[str, Play] = {
    "401": error(401, "Incorrect API key provided"),
    "402": error(402, "Insufficient credits"),
    "403": error(403, "You have no access to this model"),
    "404": error(404, "The model does not exist"),
    "400-key": error(
        400, "API key not valid. Please pass a valid API key.", status="INVALID_ARGUMENT"
    ),
    "400-model": error(400, "fake/none is not a valid model ID", code=400),
    "429-quota": error(429, "You exceeded your current quota", code="insufficient_quota"),
    "error-200-402": raw(200, {"error": {"message": "Insufficient credits", "code": 402}}),
    "redirect": Play(status=307, headers={"Location": "https://elsewhere.example/v1"}, body=b""),
}
"""Key, credit, permission or model refused, or the wrong address."""

REPLIES: Mapping[str, Play] = {
    "ok": answer(usage={"prompt_tokens": 20, "completion_tokens": 6, "total_tokens": 26}),
    "length-empty": answer("", finish_reason="length"),
    "length-fragment": answer('{"answer": "posi', finish_reason="length"),
    "content-list-empty": answer([]),
    "reasoning-only": answer(None, reasoning="Let me count ..."),
    "think-open": answer("<think>Instance 1: positive"),
    "think-closed": answer('<think>Instance 1: positive</think>\n{"answer": "positive"}'),
    "capped-stop": answer(
        '{"answer": "positive"}', usage={"prompt_tokens": 20, "completion_tokens": 20_000}
    ),
    "content-filter": answer("", finish_reason="content_filter"),
    "refusal": answer(None, message={"refusal": "I cannot help with that."}),
    "unparseable": answer("I think it is mostly good."),
    "off-list": answer('{"answer": "neutral"}'),
    "tie": answer('{"answer": "-1"}'),
}
"""Replies that are an answer of some kind: the outcome rules decide, nothing is raised."""

FAULTS: Mapping[str, Play] = {
    **TRANSIENT_FAULTS,
    **OVERFLOW_FAULTS,
    **PARAMETER_FAULTS,
    **ACCESS_FAULTS,
}
