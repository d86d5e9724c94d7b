"""The figures of a server's workers: from the memory middleware's endpoints, or without it from /proc.

Only this module knows either source.
"""

from __future__ import annotations

import contextlib
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from ssrjson_web import memory

PREFIX = "/ssrjson"
_ANSWER_SECONDS = 5.0
_PAUSE_SECONDS = 0.2


@dataclass(frozen=True, kw_only=True)
class WorkerFigures:
    """One worker at one moment; counters since its start. A figure that is unknown or not measured yet is None."""

    pid: int
    rss_bytes: int | None
    after_trim_bytes: int | None = None
    trimmed_at: float | None = None
    """Unix time of the last trim, after which `after_trim_bytes` was read."""
    cache_bytes: int | None = None
    """Cached UTF-8 copies in the strings that the application watches."""
    scanned_at: float | None = None
    """Unix time of the last scan, which counted `cache_bytes`."""
    n_requests: int | None = None
    request_ns: int | None = None
    json_ns: int | None = None
    n_encodes: int | None = None
    n_decodes: int | None = None
    updated_at: float | None = None
    """Unix time of all these figures."""

    def was_measured(self, since: float) -> bool:
        """Whether it has trimmed its memory and counted its copies since that Unix time."""
        return (self.scanned_at or 0) >= since and (self.trimmed_at or 0) >= since

    def at_rest(self) -> WorkerFigures:
        """The figures before the load of a worker that is first seen under load: counters are 0, memory is unknown."""
        return WorkerFigures(
            pid=self.pid, rss_bytes=None, n_requests=0, request_ns=0, json_ns=0, n_encodes=0, n_decodes=0
        )


class StatsError(Exception):
    """No figures are available; the message gives the reason."""


class Stats(Protocol):
    """A source of figures."""

    def read(self) -> list[WorkerFigures]:
        """The workers that are known so far, by pid. Raises StatsError."""

    def measure(self, *, n_workers: int, seconds: float) -> list[WorkerFigures]:
        """The workers after `n_workers` of them have scanned and trimmed, or after `seconds` if some are not reached.

        Raises StatsError.
        """

    def scan(self) -> None:
        """Make the workers count copies, without waiting for them. Raises StatsError."""


class MiddlewareStats:
    """The figures of `ssrjson_web.asgi.MemoryMiddleware` or `ssrjson_web.wsgi.MemoryMiddleware` at an address."""

    def __init__(self, host: str, *, token: str, prefix: str = PREFIX) -> None:
        self._root = host.rstrip("/") + prefix
        self._token = token

    def read(self) -> list[WorkerFigures]:
        """The workers that the answering worker knows."""
        return [_of_worker(worker) for worker in self._ask("GET", "stats")["workers"]]

    def measure(self, *, n_workers: int, seconds: float) -> list[WorkerFigures]:
        """Scan and trim each worker. New connections reach the workers that have had no request yet."""
        since, deadline = time.time(), time.monotonic() + seconds
        while True:
            # one answer must report all: each worker knows the figures of the others, up to a second old
            figures = self.read()
            n_done = sum(each.was_measured(since) for each in figures)
            if n_done >= n_workers or time.monotonic() > deadline:
                return figures
            for _ in range(2 * n_workers):
                self._act("scan")
                self._act("trim")
            time.sleep(_PAUSE_SECONDS)

    def scan(self) -> None:
        """Ask one worker; the others count within a second."""
        self._act("scan")

    def _act(self, action: Literal["scan", "trim"]) -> None:
        with contextlib.suppress(_TooSoon):
            self._ask("POST", action)

    def _ask(self, method: Literal["GET", "POST"], name: str) -> Any:
        request = urllib.request.Request(
            f"{self._root}/{name}",
            method=method,
            data=b"" if method == "POST" else None,
            headers={"Authorization": f"Bearer {self._token}", "Connection": "close"},
        )
        try:
            with _opener.open(request, timeout=_ANSWER_SECONDS) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == 429:
                raise _TooSoon from None
            why = "no memory middleware there, or another token" if error.code == 404 else error.reason
            raise StatsError(f"{method} {self._root}/{name}: {error.code} ({why})") from None
        except (OSError, ValueError) as error:
            raise StatsError(f"{method} {self._root}/{name}: {error}") from error


class ProcessStats:
    """Only the resident sets of a process and of all that it started, for a server without the middleware."""

    def __init__(self, pid: int) -> None:
        self._pid = pid

    def read(self) -> list[WorkerFigures]:
        """The processes without children: processes with children only supervise."""
        found = []
        for pid in _leaves(self._pid):
            try:
                found.append(WorkerFigures(pid=pid, rss_bytes=memory.rss_bytes(pid)))
            except OSError:  # it ended in between
                continue
        if not found:
            raise StatsError(f"no process {self._pid}")
        return found

    def measure(self, *, n_workers: int, seconds: float) -> list[WorkerFigures]:
        """The figures of `read`: more cannot be measured from outside."""
        return self.read()

    def scan(self) -> None:
        """Does nothing: copies cannot be counted from outside."""


class _TooSoon(Exception):
    """The worker refuses, because it has measured this only just before."""


_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def open_stats(host: str, *, token: str | None, prefix: str, pid: int | None) -> Stats:
    """The best available source. Raises StatsError if there is none."""
    problem = "no token for the memory middleware, and no pid"
    if token:
        stats = MiddlewareStats(host, token=token, prefix=prefix)
        try:
            stats.read()
        except StatsError as error:
            problem = str(error)
        else:
            return stats
    if pid is None:
        raise StatsError(problem)
    ProcessStats(pid).read()
    return ProcessStats(pid)


def shares(before: Iterable[WorkerFigures], now: Iterable[WorkerFigures]) -> dict[int, float]:
    """JSON's share of the time of the requests between two readings, by pid; workers without requests are left out."""
    known = {each.pid: each for each in before}
    found = {}
    for each in now:
        earlier = known.get(each.pid)
        if each.request_ns is None or each.json_ns is None:
            continue
        request_ns = each.request_ns - ((earlier.request_ns or 0) if earlier else 0)
        json_ns = each.json_ns - ((earlier.json_ns or 0) if earlier else 0)
        if request_ns > 0:
            found[each.pid] = min(1.0, json_ns / request_ns)
    return found


def _of_worker(worker: dict[str, Any]) -> WorkerFigures:
    held, requests = worker["memory"], worker["requests"]
    return WorkerFigures(
        pid=worker["pid"],
        rss_bytes=held["rss"],
        after_trim_bytes=held["after_trim"],
        trimmed_at=held["after_trim_at"],
        cache_bytes=held["cache_bytes"],
        scanned_at=held["scanned_at"],
        n_requests=requests["count"],
        request_ns=requests["total_ns"],
        json_ns=requests["json_ns"],
        n_encodes=requests["encodes"],
        n_decodes=requests["decodes"],
        updated_at=worker["updated_at"],
    )


def _leaves(root: int) -> Sequence[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(stat.parent.name))

    def below(pid: int) -> list[int]:
        own = children.get(pid, [])
        return [leaf for child in own for leaf in below(child)] if own else [pid]

    return sorted(below(root))
