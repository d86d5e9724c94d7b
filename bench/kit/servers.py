"""Servers of every benchmark: started on a free port of 127.0.0.1, and ended with what needed them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.kit.http_client import ConnectionLost, ask
from bench.kit.process_tree import tree_of
from bench.kit.processes import Process, listen

__all__ = ["Server", "started"]

_READY_SECONDS = 120.0
_PAUSE_SECONDS = 0.1


@dataclass(frozen=True, kw_only=True)
class Server:
    """A process that serves on 127.0.0.1."""

    process: Process
    port: int

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def workers(self) -> list[int]:
        """The processes that it has started, or itself where it has started none."""
        return tree_of(self.pid)[1:] or [self.pid]


@contextlib.contextmanager
def started(
    command: Callable[[int, int], Sequence[str]],
    *,
    ready: str,
    takes_socket: bool = True,
    n_workers: int = 0,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    log: Path | None = None,
    stop_seconds: float = 5.0,
) -> Iterator[Server]:
    """A server that has answered 200 at the address `ready`, and has started `n_workers`; it ends with the context.

    `command` is made of a port and the descriptor of a socket that listens there; without `takes_socket` the server
    listens by itself. Raises ProcessDied.
    """
    with listen() as listener:
        port = listener.getsockname()[1]
        descriptor = listener.fileno()
        if not takes_socket:
            listener.close()
        process = Process(
            command(port, descriptor),
            log=log,
            environment=environment,
            folder=folder,
            descriptors=[descriptor] if takes_socket else [],
            stop_seconds=stop_seconds,
        )
    with process:
        server = Server(process=process, port=port)
        deadline = time.monotonic() + _READY_SECONDS
        while not _is_ready(server, ready, n_workers):
            if process.exit_status() is not None or time.monotonic() > deadline:
                raise process.died("the server did not start")
            time.sleep(_PAUSE_SECONDS)
        yield server


def _is_ready(server: Server, path: str, n_workers: int) -> bool:
    if n_workers and len(server.workers) < n_workers:
        return False
    try:
        status, _ = ask(server.port, path)
    except ConnectionLost:
        return False
    if status != 200:
        raise server.process.died(f"the server answers {status}")
    return True
