"""A command that serves on a port of this machine, for as long as a test asks it."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

START_S = 60
STOP_S = 30


@contextmanager
def serving(command: Sequence[str], *, folder: Path | None = None) -> Iterator[str]:
    """`127.0.0.1:port` once the command answers there; `{port}` in its words is that port. It is ended then."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [word.format(port=port) for word in command]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as server:
        try:
            deadline = time.monotonic() + START_S
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    assert server.poll() is None, server.communicate()[1]
                    assert time.monotonic() < deadline, "no answer"
                    time.sleep(0.05)
            yield f"127.0.0.1:{port}"
        finally:
            server.terminate()
            server.communicate(timeout=STOP_S)
