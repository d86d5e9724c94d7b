"""Measuring one engine on one server process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from bench.demo.results import EngineRun
from bench.demo.server import CatalogueServer
from bench.demo.sweep import Expected, SweepReport, sweep
from bench.kit.http_client import Connection, ConnectionLost, connect
from bench.kit.memory_sampler import Sampler
from ssrjson_web import memory

__all__ = ["WrongAnswer", "check", "control", "measure", "warm_up"]

_CONNECTIONS = 4
_WARMUP_REQUESTS = 30


class WrongAnswer(Exception):
    """The engine's replies differ from the catalogue's records."""


def measure(
    server: CatalogueServer, *, engine: str, script: str, seed: int, seconds: float, on_page: Callable[[int, int], None]
) -> EngineRun:
    """Sweep a server that is ready. Raises ProcessDied and WrongAnswer."""
    expected = Expected(records=server.records, script=script, seed=seed)
    try:
        return asyncio.run(_measure(server, engine=engine, expected=expected, seconds=seconds, on_page=on_page))
    except (ConnectionLost, OSError) as error:
        raise server.process.died(str(error)) from error


async def _measure(
    server: CatalogueServer, *, engine: str, expected: Expected, seconds: float, on_page: Callable[[int, int], None]
) -> EngineRun:
    connections = [await connect(server.port) for _ in range(_CONNECTIONS)]
    await warm_up(connections)
    await control(connections[0], "trim")
    rss_base = memory.rss_bytes(server.pid)
    uss_base = memory.uss_bytes(server.pid)
    with Sampler(server.pid) as sampler:
        report = await sweep(connections, expected=expected, seconds=seconds, on_page=on_page)
    check(report)
    rss_end = memory.rss_bytes(server.pid)
    await control(connections[0], "trim")
    rss_trimmed = memory.rss_bytes(server.pid)
    uss_trimmed = memory.uss_bytes(server.pid)
    times = await control(connections[0], "encode-times")
    caches = await control(connections[0], "caches")  # last: the scan needs memory of its own
    for connection in connections:
        await connection.close()
    return EngineRun(
        engine=engine,
        script=expected.script,
        records=server.records,
        catalogue_bytes=server.n_bytes,
        text_bytes=server.text_bytes,
        rss_base_bytes=rss_base,
        rss_end_bytes=rss_end,
        rss_trimmed_bytes=rss_trimmed,
        uss_base_bytes=uss_base,
        uss_trimmed_bytes=uss_trimmed,
        caches=caches,
        encode_first_us=times["first"],
        encode_again_us=times["again"],
        sweep=report,
        samples=tuple(sampler.samples),
    )


async def warm_up(connections: list[Connection]) -> None:
    """Serve pages of other records on every connection, so that allocations of the first requests are not growth."""
    for number in range(_WARMUP_REQUESTS):
        status, body = await connections[number % len(connections)].get(f"/warmup?page={number}")
        if status != 200:
            raise WrongAnswer(f"warm-up: status {status}: {body[:200].decode(errors='replace')}")


async def control(connection: Connection, name: str) -> dict[str, Any]:
    """The server's answer to a request about itself."""
    status, body = await connection.get(f"/demo/{name}")
    if status != 200:
        raise ConnectionLost(f"/demo/{name}: status {status}")
    answer: dict[str, Any] = json.loads(body)
    return answer


def check(report: SweepReport) -> None:
    """Raise WrongAnswer if a reply of the sweep was wrong."""
    if report.faults:
        raise WrongAnswer("wrong answers: " + "; ".join(report.faults))
