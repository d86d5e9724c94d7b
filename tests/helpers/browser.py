"""A headless Chromium, driven over its DevTools protocol: no package for it is needed but `websockets`."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import websockets.asyncio.client

START_S = 60
CONDITION_S = 30


def chromium() -> str | None:
    """The browser's command; None where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless_shell")
    return next((path for name in names if (path := shutil.which(name))), None)


class Tab:
    """One page of the browser, and what it complained of."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self.complaints: list[str] = []
        self.requested: list[str] = []

    async def call(self, method: str, **parameters: Any) -> Any:
        """A command's result; events that come before it are looked through."""
        number = next(self._ids)
        await self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(await asyncio.wait_for(self._socket.recv(), CONDITION_S))
            if message.get("id") == number:
                assert "error" not in message, message["error"]
                return message["result"]
            self._look_at(message)

    def _look_at(self, event: dict[str, Any]) -> None:
        if event["method"] == "Runtime.exceptionThrown":
            details = event["params"]["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif event["method"] == "Log.entryAdded":
            self.complaints.append(event["params"]["entry"]["text"])
        elif event["method"] == "Network.requestWillBeSent":
            self.requested.append(event["params"]["request"]["url"])

    async def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript."""
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    async def until(self, condition: str) -> Any:
        """The first true value of an expression."""
        deadline = time.monotonic() + CONDITION_S
        while not (value := await self.evaluate(condition)):
            assert time.monotonic() < deadline, f"it does not come true: {condition}; {self.complaints}"
            await asyncio.sleep(0.1)
        return value

    async def show_as(self, *, width: int = 1240, height: int = 1000, theme: str = "light") -> None:
        """Give the page a window of that many CSS pixels, a phone's below 500, and a theme: light or dark."""
        await self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        await self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    async def screenshot(self, file: Path) -> None:
        """A PNG of the whole page."""
        result = await self.call("Page.captureScreenshot", captureBeyondViewport=True)
        file.write_bytes(base64.b64decode(result["data"]))


@asynccontextmanager
async def opened(url: str, folder: Path) -> AsyncIterator[Tab]:
    """A tab that shows the page; the browser keeps its files in the folder, and is ended with the block."""
    command = chromium()
    assert command is not None
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    flags += ["--remote-debugging-port=0", f"--user-data-dir={folder}", "--window-size=1240,1000", "about:blank"]
    with subprocess.Popen([command, *flags], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
        try:
            port = await _until(lambda: _devtools_port(folder))
            pages = await _until(lambda: _pages(port))
            async with websockets.asyncio.client.connect(pages[0], max_size=None) as socket:
                tab = Tab(socket)
                for domain in ("Runtime", "Log", "Network", "Page"):
                    await tab.call(f"{domain}.enable")
                await tab.call("Page.navigate", url=url)
                await tab.until("document.readyState === 'complete' && location.href !== 'about:blank'")
                yield tab
        finally:
            browser.terminate()
            browser.wait(30)


async def _until(probe: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + START_S
    while not (found := probe()):
        assert time.monotonic() < deadline, "the browser does not start"
        await asyncio.sleep(0.1)
    return found


def _devtools_port(folder: Path) -> int | None:
    try:
        return int((folder / "DevToolsActivePort").read_text(encoding="ascii").split()[0])
    except (OSError, IndexError, ValueError):
        return None


def _pages(port: int) -> list[str]:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=10) as answer:
        return [target["webSocketDebuggerUrl"] for target in json.load(answer) if target["type"] == "page"]
