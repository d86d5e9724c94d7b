"""A command that serves on a port of this machine, for as long as a test asks it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

START_S = 60
STOP_S = 30


@dataclass(frozen=True, kw_only=True)
class Started:
    """A server that answers."""

    address: str
    process: subprocess.Popen[str]


@contextmanager
def serving(command: Sequence[str], *, folder: Path | None = None) -> Iterator[str]:
    """`127.0.0.1:port` once the command answers there; `{port}` in its words is that port. It is ended then."""
    with started(command, folder=folder) as server:
        yield server.address


@contextmanager
def started(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    log: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Started]:
    """As `serving`, with the process; what it prints goes to the log, where there is one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [word.format(port=port) for word in command]
    with (
        contextlib.nullcontext() if log is None else log.open("w", encoding="utf-8") as output,
        subprocess.Popen(
            words,
            cwd=folder,
            env=None if environment is None else {**os.environ, **environment},
            stdout=output or subprocess.DEVNULL,
            stderr=output or subprocess.PIPE,
            text=True,
        ) as server,
    ):
        try:
            deadline = time.monotonic() + START_S
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    assert server.poll() is None, log.read_text("utf-8") if log else server.communicate()[1]
                    assert time.monotonic() < deadline, "no answer"
                    time.sleep(0.05)
            yield Started(address=f"127.0.0.1:{port}", process=server)
        finally:
            server.terminate()
            try:
                server.communicate(timeout=STOP_S)
            except subprocess.TimeoutExpired:
                server.kill()
                raise
