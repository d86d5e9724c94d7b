"""The demo's servers: each holds a catalogue."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from bench.kit.http_client import ask
from bench.kit.processes import ALLOCATOR, python_module
from bench.kit.servers import Server, started

__all__ = ["CatalogueServer", "serving"]

_STOP_SECONDS = 3.0


@dataclass(frozen=True, kw_only=True)
class CatalogueServer(Server):
    """A server, and the size of its catalogue."""

    records: int
    n_bytes: int
    text_bytes: int


@contextlib.contextmanager
def serving(
    *,
    engine: str,
    megabytes: float,
    script: str,
    seed: int,
    workers: int = 0,
) -> Iterator[CatalogueServer]:
    """A server that is ready; it ends with this process, too. Raises ProcessDied."""
    options = {"engine": engine, "megabytes": megabytes, "script": script, "seed": seed, "workers": workers}
    words = [f"--{name}={value}" for name, value in options.items()]
    with started(
        lambda _, descriptor: python_module("bench.demo.serve", *words, f"--listener={descriptor}"),
        ready="/demo/about",
        n_workers=workers,
        environment=ALLOCATOR,
        stop_seconds=_STOP_SECONDS,
    ) as server:
        about = json.loads(ask(server.port, "/demo/about")[1])
        yield CatalogueServer(process=server.process, port=server.port, **about)
