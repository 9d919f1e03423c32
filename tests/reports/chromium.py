"""Chromium without a screen, spoken to over a pair of pipes in its own protocol: nothing is downloaded to drive it."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def installed() -> str | None:
    """Find a Chromium on the path."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


class Page:
    """One page. `requests` are the addresses that it asked for, `complaints` its errors and warnings."""

    def __init__(self, program: str, folder: Path) -> None:
        reads, self._out = os.pipe()
        self._in, writes = os.pipe()
        options = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
            "--disable-background-networking", "--no-first-run", f"--user-data-dir={folder}", "--remote-debugging-pipe",
        ]  # fmt: skip
        # The browser reads commands from descriptor 3 and answers on 4.
        wired = 'exec 8<&"$1" 9>&"$2"; exec 3<&8 4>&9 8<&- 9>&-; shift 2; exec "$@"'
        self._process = subprocess.Popen(
            ["bash", "-c", wired, "bash", str(reads), str(writes), program, *options, "about:blank"],
            pass_fds=(reads, writes),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(reads)
        os.close(writes)
        self._number, self._rest, self._session = 0, b"", None
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._events: set[str] = set()
        pages = self.call("Target.getTargets")["targetInfos"]
        target = next(one["targetId"] for one in pages if one["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Give a command and wait for its answer; what happens meanwhile is noted."""
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if self._session:
            asked["sessionId"] = self._session
        os.write(self._out, json.dumps(asked).encode() + b"\0")
        while True:
            said = self._read()
            if said.get("id") == self._number:
                assert "error" not in said, (method, said)
                return dict(said.get("result", {}))
            self._note(said)

    def open(self, address: str) -> None:
        """Open an address and wait until it is loaded."""
        self._events.clear()
        self.call("Page.navigate", url=address)
        while "Page.loadEventFired" not in self._events:
            self._note(self._read())

    def ask(self, expression: str) -> Any:
        """Evaluate an expression, a promise too, and give its value."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def show(self, width: int, scheme: str = "light", height: int = 900) -> None:
        """Take the size of a screen and its choice of colors."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def point(self, x: float, y: float) -> None:
        """Move the pointer."""
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self, whole: bool = True) -> bytes:
        """Give a picture of the page, or of what the screen shows."""
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        return base64.b64decode(data)

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        self._process.wait(timeout=20)
        os.close(self._in)
        os.close(self._out)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._in, 1 << 16)
            assert more, "the browser has ended"
            self._rest += more
        one, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(one))

    def _note(self, said: Mapping[str, Any]) -> None:
        method, params = said.get("method", ""), said.get("params", {})
        self._events.add(method)
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])


def until(true: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Wait until something is true."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
