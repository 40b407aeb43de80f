"""A loopback server that plays the Hugging Face Hub, or any host of raw files, and its faults.

    with FakeHub() as hub:
        hub.put("/datasets/openai/gsm8k/resolve/REVISION/main/train.parquet", content)
        monkeypatch.setenv("HF_ENDPOINT", hub.url)

It answers HEAD and GET with the headers that ``huggingface_hub`` needs. A path's ``fault`` is one
of ``cut`` (the body breaks off and stays broken off), ``short`` (the announced size is larger than
what a whole reply holds), ``swapped`` (other content than the sum says), or a status as text.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType


class FakeHub:
    """Serves what was ``put``; ``seen`` lists method and path of every request."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.faults: dict[str, str] = {}
        self.seen: list[tuple[str, str]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def put(self, path: str, content: bytes, fault: str | None = None) -> None:
        self.files[path] = content
        self.faults.pop(path, None)
        if fault is not None:
            self.faults[path] = fault

    def __enter__(self) -> FakeHub:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(hub: FakeHub) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            """Keep the test output quiet."""

        def _answer(self, *, body: bool) -> None:
            hub.seen.append((self.command, self.path))
            fault = hub.faults.get(self.path, "")
            content = hub.files.get(self.path)
            if content is None or fault.isdecimal():
                self.send_response(int(fault or 404))
                if not fault:
                    self.send_header("X-Error-Code", "EntryNotFound")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            sent = content[::-1] if fault == "swapped" else content
            sent = sent[: len(sent) // 2] if fault == "cut" else sent
            announced = len(sent) + 7 if fault == "short" and not body else len(sent)
            if fault == "cut":
                announced = len(content)
            self.send_response(200)
            self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
            self.send_header("X-Repo-Commit", self.path.split("/resolve/")[-1].split("/")[0])
            self.send_header("Content-Length", str(announced))
            self.end_headers()
            if body:
                self.wfile.write(sent)
                if fault == "cut":
                    self.close_connection = True

    return Handler
