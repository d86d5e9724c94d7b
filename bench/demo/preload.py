"""The preload case: workers forked by a parent that has loaded the catalogue.

They share its memory, page by page, until one of them writes to a page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from bench.demo.measure import check, control, warm_up
from bench.demo.results import PreloadRun, ProcessMemory
from bench.demo.server import CatalogueServer
from bench.demo.sweep import Expected, connect_workers, sweep
from bench.kit.http_client import ConnectionLost
from ssrjson_web import memory

__all__ = ["measure_preload"]

_CONNECTIONS_EACH = 2


def measure_preload(
    server: CatalogueServer, *, engine: str, script: str, seed: int, seconds: float, on_page: Callable[[int, int], None]
) -> PreloadRun:
    """Have every worker of a ready server serve the whole catalogue once. Raises ProcessDied and WrongAnswer."""
    expected = Expected(records=server.records, script=script, seed=seed)
    try:
        return asyncio.run(_measure_preload(server, engine=engine, expected=expected, seconds=seconds, on_page=on_page))
    except (ConnectionLost, OSError) as error:
        raise server.process.died(str(error)) from error


async def _measure_preload(
    server: CatalogueServer, *, engine: str, expected: Expected, seconds: float, on_page: Callable[[int, int], None]
) -> PreloadRun:
    workers = server.workers
    by_worker = await connect_workers(server.port, workers=workers, each=_CONNECTIONS_EACH)
    processes = [server.pid, *workers]
    done = 0

    def count(_done: int, total: int) -> None:
        nonlocal done
        done += 1
        on_page(done, total * len(by_worker))

    async def trim() -> None:
        for connections in by_worker.values():
            await control(connections[0], "trim")

    for connections in by_worker.values():
        await warm_up(connections)
    await trim()
    rss_base = {pid: memory.rss_bytes(pid) for pid in processes}
    uss_base = {pid: memory.uss_bytes(pid) for pid in processes}
    pss_base = sum(map(memory.pss_bytes, processes))
    sweeps = await asyncio.gather(
        *(
            sweep(connections, expected=expected, seconds=seconds, passes=1, on_page=count)
            for connections in by_worker.values()
        )
    )
    for report in sweeps:
        check(report)
    await trim()
    rss_trimmed = {pid: memory.rss_bytes(pid) for pid in processes}
    uss_trimmed = {pid: memory.uss_bytes(pid) for pid in processes}
    pss_trimmed = sum(map(memory.pss_bytes, processes))
    # last: the scan needs memory of its own
    copies = {pid: (await control(connections[0], "caches"))["bytes"] for pid, connections in by_worker.items()}
    parent, *measured = (
        ProcessMemory(
            pid=pid,
            rss_base_bytes=rss_base[pid],
            rss_trimmed_bytes=rss_trimmed[pid],
            uss_base_bytes=uss_base[pid],
            uss_trimmed_bytes=uss_trimmed[pid],
            copies_bytes=copies.get(pid),
        )
        for pid in processes
    )
    for connections in by_worker.values():
        for connection in connections:
            await connection.close()
    return PreloadRun(
        engine=engine,
        script=expected.script,
        records=server.records,
        catalogue_bytes=server.n_bytes,
        pss_base_bytes=pss_base,
        pss_trimmed_bytes=pss_trimmed,
        parent=parent,
        workers=tuple(measured),
        sweeps=tuple(sweeps),
    )
