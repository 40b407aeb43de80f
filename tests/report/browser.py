"""A headless Chromium over its DevTools pipe: standard library only."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
Message = dict[str, Any]


class Browser:
    """One tab. Events are kept: console messages, exceptions, requests."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._out, self._in = to_browser, from_browser
        self._buffer = b""
        self._last_id = 0
        self._session: str | None = None
        self.events: list[Message] = []

    def attach(self) -> None:
        """Open a tab and listen to everything it says."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: object) -> Message:
        """Send a command and wait for its answer, for 60 seconds at most."""
        self._last_id += 1
        message: Message = {"id": self._last_id, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            reply = self._read(deadline)
            if reply.get("id") == self._last_id:
                if "error" in reply:
                    raise RuntimeError(f"{method}: {reply['error']['message']}")
                return cast("Message", reply["result"])
            self.events.append(reply)

    def _read(self, deadline: float) -> Message:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser did not answer")
            chunk = os.read(self._in, 1 << 20)
            if not chunk:
                raise RuntimeError("the browser has ended")
            self._buffer += chunk
        first, _, self._buffer = self._buffer.partition(b"\0")
        return cast("Message", json.loads(first))

    def open(self, page: Path, *, width: int, height: int = 900, dark: bool = False) -> None:
        """Show a local file and wait until it has drawn its charts."""
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=page.resolve().as_uri())
        self.wait_for("document.documentElement?.dataset.ready === 'true'")

    def wait_for(self, condition: str, seconds: float = 40) -> None:
        """Wait until a JavaScript expression is true."""
        deadline = time.monotonic() + seconds
        while self.evaluate(condition) is not True:
            if time.monotonic() > deadline:
                raise TimeoutError(f"never true: {condition}")
            time.sleep(0.05)

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression; promises are awaited."""
        reply = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in reply:
            raise RuntimeError(str(reply["exceptionDetails"]))
        return reply["result"].get("value")

    def complaints(self) -> list[str]:
        """Console warnings and errors, exceptions, and what the browser logged."""
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif event.get("method") == "Runtime.consoleAPICalled":
                if params["type"] in ("error", "warning", "assert"):
                    found.append(str([item.get("value") for item in params["args"]]))
            elif event.get("method") == "Log.entryAdded":
                found.append(params["entry"]["text"])
        return found

    def requests(self) -> list[str]:
        """Every address that was asked for."""
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]

    def screenshot(self, path: Path, selector: str | None = None) -> None:
        """Save the whole page, or one element, as PNG."""
        box = self.evaluate(
            "(() => { const r = document.querySelector("
            f"{json.dumps(selector or 'html')}).getBoundingClientRect();"
            "return [r.left + scrollX, r.top + scrollY, r.width, r.height]; })()"
        )
        clip = dict(zip(("x", "y", "width", "height"), box, strict=True), scale=1)
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """Start Chromium with an empty profile, and end it afterwards."""
    assert CHROMIUM is not None
    read_commands, to_browser = os.pipe()
    from_browser, write_replies = os.pipe()

    def wire() -> None:
        # Chromium reads commands on 3 and writes replies on 4; move both clear of each other first.
        commands, replies = os.dup(read_commands), os.dup(write_replies)
        commands, replies = _above(commands), _above(replies)
        os.dup2(commands, 3)
        os.dup2(replies, 4)

    process = subprocess.Popen(
        [
            CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-extensions", "--remote-debugging-pipe",
            f"--user-data-dir={profile}",
        ],
        preexec_fn=wire, close_fds=False, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(read_commands)
    os.close(write_replies)
    try:
        browser = Browser(to_browser, from_browser)
        browser.attach()
        yield browser
    finally:
        os.close(to_browser)
        os.close(from_browser)
        with _quietly():
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=10)


@contextmanager
def _quietly() -> Iterator[None]:
    try:
        yield
    except ProcessLookupError:
        return


def _above(descriptor: int) -> int:
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD, 10)
