"""Measuring one engine on one server: a single process, or workers forked by a parent that has loaded the catalogue.

Workers share the parent's memory, page by page, until one of them writes to a page.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from bench.demo.results import ProcessMemory, Run
from bench.demo.server import CatalogueServer
from bench.demo.sweep import Expected, SweepReport, connect_workers, sweep
from bench.kit.http_client import Connection, ConnectionLost
from bench.kit.memory_sampler import Sampler
from ssrjson_web import memory

__all__ = ["WrongAnswer", "measure"]

_CONNECTIONS, _CONNECTIONS_EACH = 4, 2
"""To a single process, and to each of several workers."""
_WARMUP_REQUESTS = 30


class WrongAnswer(Exception):
    """The engine's replies differ from the catalogue's records."""


def measure(
    server: CatalogueServer,
    *,
    engine: str,
    script: str,
    seed: int,
    seconds: float,
    on_page: Callable[[int, int], None] = lambda done, total: None,
) -> Run:
    """Sweep a server that is ready: twice, or once where it has several workers. Raises ProcessDied and WrongAnswer."""
    expected = Expected(records=server.records, script=script, seed=seed)
    try:
        return asyncio.run(_measure(server, engine=engine, expected=expected, seconds=seconds, on_page=on_page))
    except (ConnectionLost, OSError) as error:
        raise server.process.died(str(error)) from error


async def _measure(
    server: CatalogueServer, *, engine: str, expected: Expected, seconds: float, on_page: Callable[[int, int], None]
) -> Run:
    workers = server.workers
    is_single = workers == [server.pid]
    passes = 2 if is_single else 1
    each = _CONNECTIONS if is_single else _CONNECTIONS_EACH
    by_worker = await connect_workers(server.port, workers=workers, each=each)
    pids = workers if is_single else [server.pid, *workers]
    done = 0

    def count(_done: int, total: int) -> None:
        nonlocal done
        done += 1
        on_page(done, total * len(by_worker))

    async def ask_all(name: str) -> dict[int, dict[str, Any]]:
        return {pid: await _control(connections[0], name) for pid, connections in by_worker.items()}

    for connections in by_worker.values():
        await _warm_up(connections)
    await ask_all("trim")
    base, pss_base = _memory_of(pids), sum(map(memory.pss_bytes, pids))
    with Sampler(server.pid) as sampler:
        sweeps = await asyncio.gather(
            *(
                sweep(connections, expected=expected, seconds=seconds, passes=passes, on_page=count)
                for connections in by_worker.values()
            )
        )
    for report in sweeps:
        _check(report)
    end = _memory_of(pids)
    await ask_all("trim")
    trimmed, pss_trimmed = _memory_of(pids), sum(map(memory.pss_bytes, pids))
    times = next(iter((await ask_all("encode-times")).values()))
    caches = await ask_all("caches")  # last: the scan needs memory of its own
    for connections in by_worker.values():
        for connection in connections:
            await connection.close()
    return Run(
        engine=engine,
        script=expected.script,
        records=server.records,
        catalogue_bytes=server.n_bytes,
        text_bytes=server.text_bytes,
        processes=tuple(
            ProcessMemory(
                pid=pid,
                rss_base_bytes=base[pid][0],
                rss_end_bytes=end[pid][0],
                rss_trimmed_bytes=trimmed[pid][0],
                uss_base_bytes=base[pid][1],
                uss_trimmed_bytes=trimmed[pid][1],
                caches=caches.get(pid),
            )
            for pid in pids
        ),
        pss_base_bytes=pss_base,
        pss_trimmed_bytes=pss_trimmed,
        encode_first_us=times["first"],
        encode_again_us=times["again"],
        passes=passes,
        sweeps=tuple(sweeps),
        samples=tuple(sampler.samples),
    )


def _memory_of(pids: list[int]) -> dict[int, tuple[int, int]]:
    """RSS and USS of each process."""
    return {pid: (memory.rss_bytes(pid), memory.uss_bytes(pid)) for pid in pids}


async def _warm_up(connections: list[Connection]) -> None:
    """Serve pages of other records on every connection, so that allocations of the first requests are not growth."""
    for number in range(_WARMUP_REQUESTS):
        status, body = await connections[number % len(connections)].get(f"/warmup?page={number}")
        if status != 200:
            raise WrongAnswer(f"warm-up: status {status}: {body[:200].decode(errors='replace')}")


async def _control(connection: Connection, name: str) -> dict[str, Any]:
    """The server's answer to a request about itself."""
    status, body = await connection.get(f"/demo/{name}")
    if status != 200:
        raise ConnectionLost(f"/demo/{name}: status {status}")
    answer: dict[str, Any] = json.loads(body)
    return answer


def _check(report: SweepReport) -> None:
    """Raise WrongAnswer if a reply of the sweep was wrong."""
    if report.faults:
        raise WrongAnswer("wrong answers: " + "; ".join(report.faults))
