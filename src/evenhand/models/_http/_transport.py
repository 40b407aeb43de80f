"""One request over the ``openai`` client: bytes in, a decoded body out, faults named."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import sys
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from evenhand.models._http._faults import Sent, decode, fault, is_filtered, read_retry_after
from evenhand.models._http._stream import Assembly, BrokenStreamError
from evenhand.models._protocol import TransientError
from evenhand.models._spec import Json, ModelSpec

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_CONNECT_S = 15.0
_READ_OFF_S = 1.0
_UNREAD: bool = True
"""Replies come back unread, whether they are event streams or not."""
_UPSTREAM_HEADERS = ("x-openrouter-provider", "x-provider", "x-upstream")


@dataclass(frozen=True, slots=True)
class Received:
    """A decoded body, who served it, and the seconds it took."""

    body: Json
    upstream: str | None
    latency_s: float


class Response(Protocol):
    """What is used of a reply of the HTTP library, whichever it is."""

    @property
    def headers(self) -> Mapping[str, str]: ...

    async def aread(self) -> bytes: ...

    def aiter_bytes(self) -> AsyncIterator[bytes]: ...

    async def aclose(self) -> None: ...


class Filtered(Exception):  # noqa: N818  an answer of a kind, not an error
    """A content filter refused the prompt; the message is the server's."""


def make_client(spec: ModelSpec, key: str | None) -> AsyncOpenAI:
    """A client for one model's server: no retries, no redirects, no proxy to this machine."""
    import openai

    return openai.AsyncOpenAI(
        api_key=key or "none",
        base_url=spec.base_url,
        max_retries=0,
        timeout=openai.Timeout(spec.silence_s, connect=min(_CONNECT_S, spec.silence_s)),
        http_client=openai.DefaultAsyncHttpxClient(
            follow_redirects=False,
            trust_env=not _is_loopback(spec.base_url),
            timeout=openai.Timeout(spec.silence_s, connect=min(_CONNECT_S, spec.silence_s)),
        ),
    )


async def send(
    client: AsyncOpenAI,
    sent: Sent,
    messages: list[dict[str, str]],
    *,
    has_key: bool,
) -> Received:
    """Send one request and read the whole reply.

    Raises:
        ModelError: As the tables of faults say.
        Filtered: When a content filter refused the prompt.
    """
    import openai

    began = time.monotonic()
    hanging: tuple[type[Exception], ...] = (openai.APITimeoutError, TimeoutError, *_timeouts())
    broken: tuple[type[Exception], ...] = (openai.APIConnectionError, *_transport_errors())
    failure: Exception
    try:
        async with asyncio.timeout(sent.spec.deadline_s):
            body, upstream = await _exchange(client, sent, messages, has_key=has_key)
        return Received(body, upstream, time.monotonic() - began)
    except openai.APIStatusError as error:
        failure = _refusal(error, sent)
    except hanging as error:
        failure = TransientError(
            f"{sent.spec.name}: no answer from {sent.spec.base_url} within "
            f"{_limit(error, sent.spec):.0f} s",
            may_cost=not _never_connected(error),
        )
    except BrokenStreamError as error:
        failure = TransientError(f"{sent.spec.name}: {error}", may_cost=True)
    except broken as error:
        cause = error.__cause__ or error
        failure = TransientError(
            f"{sent.spec.name}: the connection to {sent.spec.base_url} failed: "
            f"{sent.brief(str(cause)) or type(cause).__name__}",
            may_cost=not _never_connected(error),
        )
    # Raised here, outside the handlers: no context that could show a request's headers.
    raise failure


async def _exchange(
    client: AsyncOpenAI, sent: Sent, messages: list[dict[str, str]], *, has_key: bool
) -> tuple[Json, str | None]:
    from openai import Omit

    headers: dict[str, str | Omit] = dict(sent.spec.headers)
    headers |= {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}
    if not has_key:
        headers["Authorization"] = Omit()
    # The client's own request: `chat.completions.create` would first walk the whole body to
    # rewrite names that are right already, a fifth of the CPU of a short call.
    response: Response = await client.post(
        "/chat/completions",
        cast_to=_response_class(),
        body={**sent.parameters, "messages": messages},
        options={"headers": headers},
        stream=_UNREAD,
    )
    try:
        return await _read(response), _upstream(response.headers)
    finally:
        await response.aclose()


async def _read(response: Response) -> Json:
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "text/event-stream":
        return decode(await response.aread())
    assembly = Assembly()
    pieces = response.aiter_bytes()
    async for data in pieces:
        assembly.feed(data)
        if assembly.done:
            break
    await _read_off(pieces)
    return assembly.completion()


async def _read_off(pieces: AsyncIterator[bytes]) -> None:
    """Let the connection be used again: it can be once the last byte is read."""
    with contextlib.suppress(TimeoutError, *_transport_errors()):
        async with asyncio.timeout(_READ_OFF_S):
            async for _ in pieces:
                pass


def _refusal(error: object, sent: Sent) -> Exception:
    import openai

    assert isinstance(error, openai.APIStatusError)
    response = error.response
    body = decode(response.content)
    if is_filtered(response.status_code, body):
        return Filtered(sent.brief(response.text))
    return fault(
        response.status_code,
        body,
        sent,
        retry_after=read_retry_after(response.headers),
        location=response.headers.get("location"),
    )


def _upstream(headers: Mapping[str, str]) -> str | None:
    return next((value for name in _UPSTREAM_HEADERS if (value := headers.get(name))), None)


def _limit(error: BaseException, spec: ModelSpec) -> float:
    return spec.deadline_s if type(error) is TimeoutError else spec.silence_s


def _never_connected(error: BaseException) -> bool:
    """Whether a failed call certainly did not reach the server."""
    kinds = tuple(
        kind
        for module in _http_modules()
        for kind in (module.ConnectError, module.ConnectTimeout, module.PoolTimeout)
    )
    return isinstance(error.__cause__ or error, kinds)


def _timeouts() -> tuple[type[Exception], ...]:
    return tuple(module.TimeoutException for module in _http_modules())


def _transport_errors() -> tuple[type[Exception], ...]:
    return tuple(
        base
        for module in _http_modules()
        for base in (module.HTTPError, module.StreamError, module.InvalidURL)
    )


def _http_modules() -> list[Any]:
    """The HTTP library that the client stands on: ``httpx``, or ``httpx2`` from openai 3."""
    return [sys.modules[name] for name in ("httpx2", "httpx") if name in sys.modules]


def _response_class() -> type[Response]:
    """The reply class of the HTTP library in use, which the client hands over as it came."""
    import openai

    client = next(c for c in openai.DefaultAsyncHttpxClient.__mro__ if c.__name__ == "AsyncClient")
    found: type[Response] = sys.modules[client.__module__.partition(".")[0]].Response
    return found


def _is_loopback(url: str | None) -> bool:
    host = urlsplit(url or "").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
