"""A chat-completions server on a loopback port that answers, or fails, exactly as it is told.

    with FakeServer(play=lambda seen: FAULTS["429"] if seen.index == 0 else answer()) as server:
        ... server.url ...           # http://127.0.0.1:PORT/v1
        server.seen[0].body["max_tokens"]

It runs on a thread with an event loop of its own, so that clients may be synchronous, asynchronous
or other processes. ``play`` is called once per request, with what was seen, and returns a
:class:`Play`. Every fault that a real server has been seen to commit has a name in :data:`FAULTS`.

As a program, ``python tests/fake_server.py [--port N] [--play NAME] [--latency S]`` serves until
interrupted.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

Json = dict[str, Any]
_REASONS = {200: "OK", 307: "Temporary Redirect", 401: "Unauthorized", 429: "Too Many Requests"}


@dataclass(slots=True)
class Seen:
    """One request as it arrived.

    ``messages_sha256`` is the hash of the messages as the package computes it; ``body`` loses its
    ``messages`` where the server keeps none. ``finished`` turns true once the whole reply has been
    handed to the network.
    """

    index: int
    path: str
    headers: Mapping[str, str]
    body: Json
    messages_sha256: str
    started: float
    finished: bool = False

    @property
    def prompt(self) -> str:
        """Contents of all messages, joined by line breaks."""
        return "\n".join(message["content"] for message in self.body.get("messages", ()))


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


class FakeServer:
    """The server, as a context manager.

    Args:
        play: Decides each request; default :func:`answer`.
        key: When given, a request without ``Authorization: Bearer KEY`` gets a 401 that repeats
            the header, as careless servers do.
        keep_messages: Whether :attr:`Seen.body` keeps the messages (off for large benchmarks).
        port: 0 for a free one.
    """

    def __init__(
        self,
        play: Callable[[Seen], Play] | Sequence[Play] | Play | None = None,
        *,
        key: str | None = None,
        keep_messages: bool = True,
        port: int = 0,
    ) -> None:
        self._play = _player(play)
        self._key = key
        self._keep_messages = keep_messages
        self._port = port
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._open: set[asyncio.Task[None]] = set()
        self.seen: list[Seen] = []
        self.in_flight = 0
        self.peak_in_flight = 0

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._port

    @property
    def url(self) -> str:
        """The base URL, ``http://127.0.0.1:PORT/v1``."""
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> FakeServer:
        self._thread = threading.Thread(target=self._run, name="fake-server", daemon=True)
        self._thread.start()
        if not self._ready.wait(10):
            raise RuntimeError("the fake server did not start")
        return self

    def __exit__(self, *exc: object) -> None:
        assert self._loop is not None
        assert self._stop is not None
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", self._port, backlog=512)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            with contextlib.suppress(
                ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError
            ):
                while await self._exchange(reader, writer):
                    pass
        finally:
            self._open.discard(task)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        path = head[0].split(" ")[1]
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head[1:] if line)
        }
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        seen = self._record(path, headers, json.loads(content) if content else {})
        self.in_flight += 1
        self.peak_in_flight = max(self.peak_in_flight, self.in_flight)
        try:
            return await self._perform(self._decide(seen), seen, writer)
        finally:
            self.in_flight -= 1

    def _record(self, path: str, headers: Mapping[str, str], body: Json) -> Seen:
        pairs = [[message["role"], message["content"]] for message in body.get("messages", ())]
        canonical = json.dumps(pairs, ensure_ascii=False, separators=(",", ":"))
        digest = hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()
        if not self._keep_messages:
            body.pop("messages", None)
        seen = Seen(len(self.seen), path, headers, body, digest, time.monotonic())
        self.seen.append(seen)
        return seen

    def _decide(self, seen: Seen) -> Play:
        given = seen.headers.get("authorization", "")
        if self._key is not None and given != f"Bearer {self._key}":
            return error(401, f"Incorrect API key provided: {given}")
        return self._play(seen)

    async def _perform(self, play: Play, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        if play.latency_s:
            await asyncio.sleep(play.latency_s)
        if play.hang:
            await asyncio.sleep(3600)
        if play.reset:
            _reset(writer)
            return False
        if play.completion is not None and seen.body.get("stream"):
            parts, kind = list(_events(play, seen.body)), "text/event-stream"
        elif play.completion is not None:
            parts, kind = [json.dumps(play.completion).encode()], "application/json"
        else:
            parts, kind = [play.body or b""], play.content_type
        chunked = kind == "text/event-stream"
        length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(parts[0])}"
        more = "".join(f"{name}: {value}\r\n" for name, value in play.headers.items())
        writer.write(
            f"HTTP/1.1 {play.status} {_REASONS.get(play.status, 'Status')}\r\n"
            f"Content-Type: {kind}\r\n{length}\r\n{more}\r\n".encode()
        )
        sent = 0
        for part in parts:
            left = len(part) if play.cut_after is None else play.cut_after - sent
            piece = part[: max(left, 0)]
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked and piece else piece)
            sent += len(piece)
            if len(piece) < len(part):
                await writer.drain()
                return False
            await writer.drain()
        if chunked:
            writer.write(b"0\r\n\r\n")
            await writer.drain()
        seen.finished = True
        return True


def _player(play: Callable[[Seen], Play] | Sequence[Play] | Play | None) -> Callable[[Seen], Play]:
    if play is None:
        return lambda seen: answer()
    if isinstance(play, Play):
        return lambda seen: play
    if isinstance(play, Sequence):
        plays = tuple(play)
        return lambda seen: plays[min(seen.index, len(plays) - 1)]
    return play


def _events(play: Play, request: Json) -> Iterator[bytes]:
    completion = dict(play.completion or {})
    choices, usage = completion.pop("choices", []), completion.pop("usage", None)
    completion["object"] = "chat.completion.chunk"

    def event(choice: Json) -> bytes:
        return b"data: " + json.dumps(completion | {"choices": [choice]}).encode() + b"\n\n"

    yield b": keep-alive\n\n"
    for choice in choices:
        message = dict(choice["message"])
        for name in ("reasoning", "reasoning_content", "content"):
            text = message.get(name)
            if isinstance(text, str) and text:
                del message[name]
                size = -(-len(text) // play.pieces)
                for at in range(0, len(text), size):
                    yield event({"index": 0, "delta": {name: text[at : at + size]}})
        yield event({"index": 0, "delta": message, "logprobs": choice.get("logprobs")})
        if choice["finish_reason"] is not None:
            yield event({"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]})
    if play.stream_error is not None:
        yield b"data: " + json.dumps({"error": play.stream_error}).encode() + b"\n\n"
        return
    if not play.terminated:
        return
    if usage is not None and request.get("stream_options", {}).get("include_usage"):
        last = completion | {"choices": [], "usage": usage}
        yield b"data: " + json.dumps(last).encode() + b"\n\n"
    yield b"data: [DONE]\n\n"


def _reset(writer: asyncio.StreamWriter) -> None:
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def main() -> None:
    """Serve until interrupted; the first line on stdout is the base URL."""
    parser = argparse.ArgumentParser(description="Serve scripted chat completions on loopback.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--play", default="ok", choices=sorted({**FAULTS, **REPLIES}))
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--key", default=None)
    arguments = parser.parse_args()
    play = replace({**FAULTS, **REPLIES}[arguments.play], latency_s=arguments.latency)
    with FakeServer(play, key=arguments.key, keep_messages=False, port=arguments.port) as server:
        print(server.url, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
