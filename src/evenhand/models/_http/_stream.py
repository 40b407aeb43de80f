"""Server-sent events put back together into the completion they are pieces of."""

from __future__ import annotations

import json
from collections.abc import Mapping

from evenhand.models._spec import Json

Table = dict[str, Json]


class BrokenStreamError(ValueError):
    """The events do not add up to a completion; the message says why."""


class Assembly:
    """Collects the bytes of one event stream.

    Lines are split at line feeds alone: a text may hold any other line break unescaped.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._top: Table = {}
        self._texts: dict[str, list[str]] = {}
        self._lists: dict[str, list[Json]] = {}
        self._message: Table = {}
        self._logprobs: list[Json] = []
        self._finish: Json = None
        self._began = False
        self._error: Json = None
        self.done = False

    def feed(self, data: bytes) -> None:
        """Take the next bytes.

        Raises:
            BrokenStreamError: If an event is not JSON.
        """
        *lines, self._rest = (
            (self._rest + data).split(b"\n") if b"\n" in data else [self._rest + data]
        )
        for line in lines:
            self._line(line.rstrip(b"\r"))

    def completion(self) -> Table:
        """The completion, in the form of a reply that was not streamed.

        Raises:
            BrokenStreamError: If the stream ended without its terminator, or never began.
        """
        if self._rest.strip():
            self._line(self._rest.rstrip(b"\r"))
            self._rest = b""
        if self._error is not None:
            return {"error": self._error, "began": self._began}
        # The finish reason comes before the usage and the terminator: all of them, or the
        # terminator, must have arrived, else tokens were lost with the connection.
        if not self.done and (self._finish is None or self._top.get("usage") is None):
            raise BrokenStreamError("the stream ended without its terminator")
        if self._began and self._finish is None:
            raise BrokenStreamError("the stream ended without a finish reason")
        whole: Table = dict(self._top)
        if not self._began:
            return whole | {"choices": []}
        message: Table = self._message | {
            name: "".join(parts) for name, parts in self._texts.items()
        }
        message |= dict(self._lists)
        choice: Table = {"index": 0, "message": message, "finish_reason": self._finish}
        if self._logprobs:
            choice["logprobs"] = {"content": self._logprobs}
        return whole | {"choices": [choice]}

    def _line(self, line: bytes) -> None:
        if not line.startswith(b"data:") or self.done:
            return
        data = line[5:].strip()
        if data == b"[DONE]":
            self.done = True
        elif data:
            try:
                event = json.loads(data)
            except (ValueError, RecursionError):
                raise BrokenStreamError("an event of the stream is not JSON") from None
            if isinstance(event, dict):
                self._event(event)

    def _event(self, event: Table) -> None:
        if event.get("error") is not None:
            self._error = event["error"]
        choices = event.get("choices")
        for name, value in event.items():
            if name not in ("choices", "error") and value is not None:
                self._top[name] = value
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict) or choice.get("index", 0) != 0:
            return
        self._began = True
        if choice.get("finish_reason") is not None:
            self._finish = choice["finish_reason"]
        logprobs = choice.get("logprobs")
        if isinstance(logprobs, Mapping) and isinstance(tokens := logprobs.get("content"), list):
            self._logprobs += tokens
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            for name, value in delta.items():
                self._piece(name, value)

    def _piece(self, name: str, value: Json) -> None:
        if name == "role" or value is None:
            self._message.setdefault(name, value)
        elif isinstance(value, str):
            self._texts.setdefault(name, []).append(value)
        elif isinstance(value, list):
            self._lists.setdefault(name, []).extend(value)
        else:
            self._message[name] = value
