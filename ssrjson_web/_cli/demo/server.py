"""Starting and stopping the demo's server processes."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from types import TracebackType
from typing import IO, Any

__all__ = ["HOST", "Server", "ServerDied", "listen"]

HOST = "127.0.0.1"
_READY_SECONDS = 120.0
_STOP_SECONDS = 3.0
_LOG_LINES = 6

_START = """\
import json, sys
sys.path[:] = json.loads(sys.argv.pop(1))
from ssrjson_web._cli.demo.serve import main
main()
"""
"""Imports there what is imported here, as multiprocessing does: `-m` would put the working directory first."""

LIVE_TOKEN = "SSRJSON_DEMO_LIVE_TOKEN"
"""The variable that hands a server the token of its live page: command lines are for everyone to read."""

ALLOCATOR = {"MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "131072"}
"""The same allocator for all: few arenas, and free memory given back early, so that RSS shows what is held."""


class ServerDied(Exception):
    """The server ended, or never became ready; the message ends with the last lines it wrote."""


def listen(port: int) -> socket.socket:
    """A socket that listens on `port` of 127.0.0.1, 0 for any free one. Raises OSError when it is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(128)
    except BaseException:
        listener.close()
        raise
    return listener


class Server:
    """A running server; leaving its `with` block ends it and its workers."""

    def __init__(
        self,
        *,
        engine: str,
        megabytes: float,
        script: str,
        seed: int,
        workers: int = 0,
        port: int = 0,
        live_token: str | None = None,
    ) -> None:
        """Start it, with the live page where there is a token for that.

        Raises OSError when `port` is taken; ends with this process, however that ends.
        """
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by stop)
        listener = listen(port)
        try:
            self.port: int = listener.getsockname()[1]
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    _START,
                    json.dumps(sys.path),
                    f"--engine={engine}",
                    f"--megabytes={megabytes}",
                    f"--script={script}",
                    f"--seed={seed}",
                    f"--workers={workers}",
                    f"--listener={listener.fileno()}",
                    f"--parent={os.getpid()}",
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env={**os.environ, **ALLOCATOR, **({LIVE_TOKEN: live_token} if live_token else {})},
                pass_fds=[listener.fileno()],
                start_new_session=True,  # Ctrl-C in the terminal is ours to handle; the group is ended as one
            )
        finally:
            listener.close()
        self.pid = self._process.pid
        self.workers: list[int] = []
        self.records = self.n_bytes = self.text_bytes = 0

    def wait_ready(self, *, seconds: float = _READY_SECONDS) -> None:
        """Return when the catalogue is loaded and requests are answered. Raises ServerDied."""
        ready = self._read_line(seconds=seconds)
        self.workers = ready["workers"]
        self.records = ready["records"]
        self.n_bytes = ready["n_bytes"]
        self.text_bytes = ready["text_bytes"]

    def died(self, reason: str) -> ServerDied:
        """The exception to raise for `reason`, with what the server wrote last."""
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return ServerDied("\n".join([reason, *(f"    {line}" for line in lines[-_LOG_LINES:])]))

    def exit_status(self) -> int | None:
        """None while it runs; negative: the signal that ended it."""
        return self._process.poll()

    def stop(self) -> None:
        """End the server and its workers and wait for them; calling it again does nothing."""
        if self._log.closed:
            return
        if self._process.poll() is None:
            self._signal_group(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_STOP_SECONDS)
        self._signal_group(signal.SIGKILL)
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
        self._log.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def _read_line(self, *, seconds: float) -> dict[str, Any]:
        assert self._process.stdout is not None
        deadline = time.monotonic() + seconds
        line = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise self.died(f"not ready after {seconds:.0f} s")
                piece = os.read(self._process.stdout.fileno(), 65536)
                if not piece:
                    raise self.died(f"ended before it was ready, with status {self._process.wait()}")
                line += piece
        ready: dict[str, Any] = json.loads(line)
        return ready
