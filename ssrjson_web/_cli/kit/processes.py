"""A process in a group of its own, which is ended as one, at the latest when this process ends."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from bench.source_tree import ROOT

_LOG_LINES = 8
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


class Process:
    """A running command, its output in a file; leaving the `with` block ends it and all that it started."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        log: Path,
        environment: Mapping[str, str],
        descriptors: Sequence[int] = (),
        stop_seconds: float = 5.0,
    ) -> None:
        self._log_path = log
        self._stop_seconds = stop_seconds
        self._is_stopped = False
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                pass_fds=descriptors,
                start_new_session=True,  # Ctrl-C in the terminal is for us to handle
                preexec_fn=functools.partial(_end_with_parent, os.getpid()),
            )
        self.pid = self._process.pid

    def exit_status(self) -> int | None:
        """None while it runs; negative: the signal that ended it."""
        return self._process.poll()

    def wait(self, seconds: float) -> bool:
        """Whether it has ended before so long."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def last_lines(self) -> str:
        """The end of what it wrote."""
        lines = self._log_path.read_text("utf-8", errors="replace").strip().splitlines()
        return "\n".join(f"    {line}" for line in lines[-_LOG_LINES:])

    def interrupt(self) -> None:
        """What Ctrl-C does, to the first process alone."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def stop(self) -> None:
        """End the group and wait for it; calling it again does nothing."""
        if self._is_stopped:
            return
        self._is_stopped = True
        if self.exit_status() is None:
            self._process.terminate()
            self.wait(self._stop_seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def _end_with_parent(parent: int) -> None:
    """Have the kernel ask this process to end when its parent dies, however. Source: prctl(2), PR_SET_PDEATHSIG."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it died before the line above
        os._exit(1)
