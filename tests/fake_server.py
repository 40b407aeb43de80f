"""A chat-completions server on a loopback port that answers, or fails, exactly as it is told.

    with FakeServer(play=lambda seen: FAULTS["429"] if seen.index == 0 else answer()) as server:
        ... server.url ...           # http://127.0.0.1:PORT/v1
        server.seen[0].body["max_tokens"]

It runs on a thread with an event loop of its own, so that clients may be synchronous, asynchronous
or other processes. ``play`` is called once per request, with what was seen, and returns a
:class:`Play`. Every fault that a real server has been seen to commit has a name in :data:`FAULTS`.

As a program, ``python -m tests.fake_server [--port N] [--play NAME] [--latency S]`` serves until
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
from dataclasses import dataclass, replace

from tests.fake_play import (
    ACCESS_FAULTS,
    FAULTS,
    OVERFLOW_FAULTS,
    PARAMETER_FAULTS,
    REPLIES,
    TRANSIENT_FAULTS,
    Json,
    Play,
    answer,
    error,
    raw,
)

__all__ = [
    "ACCESS_FAULTS",
    "FAULTS",
    "OVERFLOW_FAULTS",
    "PARAMETER_FAULTS",
    "REPLIES",
    "TRANSIENT_FAULTS",
    "FakeServer",
    "Play",
    "Seen",
    "answer",
    "error",
    "raw",
]
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
