"""Processes that end with the one that started them: servers, load generators, benchmarks.

Each is in its own process group. The whole group is ended, at the latest when this process ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

__all__ = ["ALLOCATOR", "HOST", "Process", "ProcessDied", "end_with_parent", "listen", "python_module"]

HOST = "127.0.0.1"

ALLOCATOR = {"MALLOC_ARENA_MAX": "2", "MALLOC_TRIM_THRESHOLD_": "131072"}
"""Environment of every server: few arenas, and free memory returned early, so that RSS shows the memory in use."""

_LOG_LINES = 8
_STOPS = (signal.SIGINT, signal.SIGTERM)
_PR_SET_PDEATHSIG = 1
_START = """\
import json, runpy, sys
sys.path[:] = json.loads(sys.argv.pop(1))
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""
"""Gives the new process this one's import path, as multiprocessing does: `-m` would put the working folder first."""


def python_module(module: str, *arguments: str) -> list[str]:
    """The command that runs a module with this process's Python and `sys.path`."""
    return [sys.executable, "-c", _START, json.dumps(sys.path), module, *arguments]


def listen() -> socket.socket:
    """A socket that listens on a free port of 127.0.0.1.

    A server gets it as an open descriptor, so that no other process can take the port in between.
    """
    return socket.create_server((HOST, 0), backlog=128)


class ProcessDied(Exception):
    """A process ended, or did not become ready; the message ends with the last lines that it wrote."""


class Process:
    """A running command; leaving the `with` block ends it and all processes that it started."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        log: Path | None = None,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        descriptors: Sequence[int] = (),
        drops_output: bool = False,
        stop_seconds: float = 5.0,
    ) -> None:
        """Start it in `folder`, with the variables of `environment` added to this process's own.

        Its standard error goes to `log`, by default a temporary file. Standard output goes there too, unless it is
        dropped.
        """
        self._log: IO[bytes] = tempfile.TemporaryFile() if log is None else log.open("wb+")  # noqa: SIM115 (closed by stop)
        self._stop_seconds = stop_seconds
        self._last_lines: list[str] = []
        try:
            with _without_stops():
                self._process = subprocess.Popen(
                    command,
                    cwd=folder,
                    env=None if environment is None else {**os.environ, **environment},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL if drops_output else self._log,
                    stderr=self._log,
                    pass_fds=descriptors,
                    start_new_session=True,  # this process handles Ctrl-C of the terminal
                    preexec_fn=functools.partial(end_with_parent, os.getpid()) if sys.platform == "linux" else None,
                )
                self.pid = self._process.pid
        except KeyboardInterrupt:  # held back until the process has started
            self.stop()
            raise

    def exit_status(self) -> int | None:
        """None while it runs; negative: the signal that ended it."""
        return self._process.poll()

    def wait(self, seconds: float) -> bool:
        """Whether it ends within `seconds`."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def last_lines(self, most: int = _LOG_LINES) -> list[str]:
        """The end of what it wrote."""
        if self._log.closed:
            return self._last_lines[-most:]
        size = os.fstat(self._log.fileno()).st_size
        start = max(0, size - 65536)  # the child shares the descriptor's position, so it must not be moved
        text = os.pread(self._log.fileno(), size - start, start).decode(errors="replace")
        return text.strip().splitlines()[-most:]

    def died(self, reason: str) -> ProcessDied:
        """The exception to raise for `reason`, with what the process wrote last."""
        return ProcessDied("\n".join([reason, *(f"    {line}" for line in self.last_lines())]))

    def interrupt(self) -> None:
        """Send the signal of Ctrl-C to the first process only."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def stop(self) -> None:
        """End the group and wait for it; calling it again does nothing."""
        if self._log.closed:
            return
        if self.exit_status() is None:
            self._process.terminate()
            self.wait(self._stop_seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self._last_lines = self.last_lines()
        self._log.close()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


@contextlib.contextmanager
def _without_stops() -> Iterator[None]:
    """Holds Ctrl-C and SIGTERM back. While Python forks they would end in one of its hooks, which ignore exceptions.

    A mask of signals would not do: it is one thread's, and Python runs the handler for what any thread gets.
    """
    held: list[int] = []
    handlers = {number: signal.getsignal(number) for number in _STOPS}
    replaced = {number: handler for number, handler in handlers.items() if callable(handler)}
    if threading.current_thread() is not threading.main_thread():  # the only one in which handlers run
        replaced.clear()
    for number in replaced:
        signal.signal(number, lambda caught, _: held.append(caught))
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
        for caught in held:
            signal.raise_signal(caught)


def end_with_parent(parent: int) -> None:
    """Have the kernel end this process when `parent` dies, however it dies.

    Linux only. Source: prctl(2), PR_SET_PDEATHSIG.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)
