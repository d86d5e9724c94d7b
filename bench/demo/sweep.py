"""The load: every page of the catalogue over a few kept-alive connections, a set number of times, at a set pace."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from bench.kit.answers import page_fault
from bench.kit.http_client import Connection, connect
from bench.kit.records import PAGE_RECORDS, make_page

__all__ = [
    "Expected",
    "SweepReport",
    "connect_workers",
    "patience_seconds",
    "sweep",
]

_PATIENCE_SECONDS = 300.0
_PATIENCE_FACTOR = 10.0
_MAX_FAULTS = 5
_PACED_SHARE = 0.9
_PARSED_EVERY = 40
"""One page in this many is parsed and compared with the catalogue; the records of all pages are counted."""


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The catalogue that the client expects, made from the seed."""

    records: int
    script: str
    seed: int

    @property
    def pages(self) -> int:
        """Pages of the catalogue."""
        return -(-self.records // PAGE_RECORDS)

    def count(self, page: int) -> int:
        """Records of one page."""
        return min(PAGE_RECORDS, self.records - page * PAGE_RECORDS)

    def fault(self, page: int, *, status: int, body: bytes) -> str | None:
        """The fault of a reply, or None. Checks the status, the number of records, and for some pages every value."""
        is_parsed = page % _PARSED_EVERY == 0 or page == self.pages - 1
        fault = page_fault(
            status,
            body,
            count=self.count(page),
            expected=partial(make_page, page, of=self.records, script=self.script, seed=self.seed)
            if is_parsed
            else None,
        )
        return f"page {page}: {fault}" if fault else None


@dataclass(frozen=True, kw_only=True)
class SweepReport:
    """What a sweep did."""

    requests: int
    body_bytes: int
    faults: tuple[str, ...]
    pages: int
    first_pass_pages: int
    """Of `pages`; fewer when the load was cut off before each had been served once."""
    pass_seconds: tuple[float, ...]
    """When each complete pass ended, in seconds from the start of the sweep."""
    seconds: float
    pass_records: tuple[int, ...]
    """Records served in each pass, the last one perhaps incomplete."""

    @property
    def served_all(self) -> bool:
        """Whether each record was served at least once."""
        return self.first_pass_pages == self.pages

    def served(self, number: int, *, of: int) -> int:
        """Records served in pass `number`, counted from 0; `of` is the number of the catalogue's records."""
        if number < len(self.pass_seconds):
            return of
        return self.pass_records[number] if number < len(self.pass_records) else 0


def patience_seconds(seconds: float) -> float:
    """The timeout of a load that is spread over `seconds`: far more, for a machine that is busy with other work."""
    return max(_PATIENCE_SECONDS, _PATIENCE_FACTOR * seconds)


async def connect_workers(port: int, *, workers: Sequence[int], each: int) -> dict[int, list[Connection]]:
    """`each` connections to every worker that shares one socket, by process id.

    The kernel gives a connection to whichever worker takes it first, so a worker that has enough is stopped
    until the others have theirs. Raises ConnectionLost when a worker does not answer.
    """
    taken: dict[int, list[Connection]] = {pid: [] for pid in workers}
    try:
        for _ in range(each * len(workers)):
            connection = await connect(port)
            _, body = await connection.get("/demo/process")
            pid = json.loads(body)["pid"]
            taken[pid].append(connection)
            if len(taken[pid]) == each and len(workers) > 1:
                os.kill(pid, signal.SIGSTOP)
    finally:
        for pid in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
    return taken


async def sweep(
    connections: Sequence[Connection],
    *,
    expected: Expected,
    seconds: float,
    max_seconds: float | None = None,
    passes: int = 2,
    on_page: Callable[[int, int], None] = lambda done, total: None,
) -> SweepReport:
    """Serve every page `passes` times, each pass in an order of its own.

    Pages are requested at an even pace that takes nine tenths of `seconds`, so that the curves of fast and slow
    engines are comparable. A server that cannot keep the pace gets requests as fast as it answers, for at most
    `max_seconds` (by default `patience_seconds`); the report then says how much was done. `on_page` is called after
    each page with the number of pages served and of all pages. Raises ConnectionLost when the server is lost, or
    gives no answer for half a minute.
    """
    started = time.monotonic()
    deadline = started + (patience_seconds(seconds) if max_seconds is None else max_seconds)
    total = expected.pages * passes
    pace_seconds = _PACED_SHARE * seconds / total
    faults: list[str] = []
    pass_seconds: list[float] = []
    pass_records: list[int] = []
    asked = done = body_bytes = first_pass_pages = 0

    def is_over() -> bool:
        return time.monotonic() > deadline or len(faults) >= _MAX_FAULTS

    async def client(connection: Connection, pages: Iterator[int]) -> None:
        nonlocal asked, done, body_bytes
        for page in pages:
            early = started + asked * pace_seconds - time.monotonic()
            asked += 1
            if early > 0:
                await asyncio.sleep(early)
            status, body = await connection.get(f"/records?page={page}")
            done += 1
            pass_records[-1] += expected.count(page)
            body_bytes += len(body)
            fault = expected.fault(page, status=status, body=body)
            if fault:
                faults.append(fault)
            on_page(done, total)
            if is_over():
                return

    for number in range(passes):
        pass_records.append(0)
        order = list(range(expected.pages))
        random.Random(number).shuffle(order)
        shared = iter(order)
        await asyncio.gather(*(client(connection, shared) for connection in connections))
        if not number:
            first_pass_pages = done
        if done < expected.pages * (number + 1):
            break
        pass_seconds.append(time.monotonic() - started)
        if is_over():
            break
    return SweepReport(
        requests=done,
        body_bytes=body_bytes,
        faults=tuple(faults),
        pages=expected.pages,
        first_pass_pages=first_pass_pages,
        pass_seconds=tuple(pass_seconds),
        seconds=time.monotonic() - started,
        pass_records=tuple(pass_records),
    )
