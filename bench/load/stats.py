"""The figures of a server's workers, from the memory middleware's endpoints."""

from __future__ import annotations

import contextlib
import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Literal

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
    updated_at: float | None = None
    """Unix time of all these figures."""

    def was_measured(self, since: float) -> bool:
        """Whether it has trimmed its memory and counted its copies since that Unix time."""
        return (self.scanned_at or 0) >= since and (self.trimmed_at or 0) >= since

    def at_rest(self) -> WorkerFigures:
        """The figures before the load of a worker that is first seen under load: counters are 0, memory is unknown."""
        return WorkerFigures(pid=self.pid, rss_bytes=None, n_requests=0)


class StatsError(Exception):
    """No figures are available; the message gives the reason."""


class Stats:
    """The figures of `ssrjson_web.asgi.MemoryMiddleware` or `ssrjson_web.wsgi.MemoryMiddleware` at an address."""

    def __init__(self, host: str, *, token: str, prefix: str = PREFIX) -> None:
        self._root = host.rstrip("/") + prefix
        self._token = token

    def read(self) -> list[WorkerFigures]:
        """The workers that the answering worker knows, by pid. Raises StatsError."""
        return [_of_worker(worker) for worker in self._ask("GET", "stats")["workers"]]

    def measure(self, *, n_workers: int, seconds: float) -> list[WorkerFigures]:
        """The workers after `n_workers` of them have scanned and trimmed, or after `seconds` if some are not reached.

        New connections reach the workers that have had no request yet. Raises StatsError.
        """
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


class _TooSoon(Exception):
    """The worker refuses, because it has measured this only just before."""


_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _of_worker(worker: dict[str, Any]) -> WorkerFigures:
    held = worker["memory"]
    return WorkerFigures(
        pid=worker["pid"],
        rss_bytes=held["rss"],
        after_trim_bytes=held["after_trim"],
        trimmed_at=held["after_trim_at"],
        cache_bytes=held["cache_bytes"],
        scanned_at=held["scanned_at"],
        n_requests=worker["requests"]["count"],
        updated_at=worker["updated_at"],
    )
