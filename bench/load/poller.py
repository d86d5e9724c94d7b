"""Adds the figures of the server's workers to locust's own: as rows of its tables, CSV and report."""

from __future__ import annotations

import itertools
import json
import logging
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import gevent

from bench.load.samples import Phase, Sample, WorkerOutcome, WorkerSample
from bench.load.stats import Stats, StatsError, WorkerFigures

if TYPE_CHECKING:  # importing locust replaces the blocking calls of the standard library
    from locust.env import Environment

_EVERY_SECONDS = 1.0
_SCAN_EVERY = 2
"""The copies are scanned with every n-th sample only: a scan holds the GIL of the worker."""
_FIRST_SECONDS = 15.0
_LAST_SECONDS = 30.0
"""Far more time than needed, except on a busy machine: a worker that is not reached has no figures."""
_SETTLE_SECONDS = 10.0
"""A worker's figures of the others are up to a second old, on a busy machine older."""
_PAUSE_SECONDS = 0.2
_CSV_SECONDS = 1.2
"""locust writes its CSV each second, but not at the end."""

_log = logging.getLogger(__name__)


class Poller:
    """Samples from `start` to `stop`; `samples_file` gets a line for each sample, `outcome_file` the outcome.

    There are no figures where the server has no memory middleware.
    """

    def __init__(
        self,
        environment: Environment,
        stats: Stats,
        *,
        n_workers: int,
        samples_file: Path | None = None,
        outcome_file: Path | None = None,
    ) -> None:
        self.samples: list[Sample] = []
        self.is_prepared = False
        self._environment = environment
        self._stats = stats
        self._n_workers = n_workers
        self._samples_file = samples_file
        self._outcome_file = outcome_file
        self._first: dict[int, WorkerFigures] = {}
        self._measured_since = 0.0
        self._last: list[WorkerFigures] = []
        self._greenlet: gevent.Greenlet | None = None
        self._started_at = time.monotonic()

    def prepare(self) -> None:
        """Measure all workers at rest, which may take some seconds."""
        self.is_prepared = True
        self._first.clear()
        self._last.clear()
        try:
            self._measured_since = time.time()
            measured = self._stats.measure(n_workers=self._n_workers, seconds=_FIRST_SECONDS)
        except StatsError as error:
            _log.warning("no figures of the server: %s", error)
            return
        self._first = {each.pid: each for each in measured}

    def start(self) -> None:
        """Begin to sample."""
        self.samples.clear()
        if self._samples_file is not None:
            self._samples_file.write_text("")
        if self._first:
            self._started_at = time.monotonic()
            self._sample(list(self._first.values()))
            self._greenlet = gevent.spawn(self._run)

    def stop(self) -> None:
        """Measure all workers once more, and write the outcome."""
        self.is_prepared = False
        if self._greenlet is None:
            return
        self._greenlet.kill()
        self._greenlet = None
        since = time.time()
        try:
            self._sample(self._settled(since), "after")
            before_trim = {each.pid: each.rss_bytes for each in self._last if (each.updated_at or since) >= since}
            since = time.time()
            self._sample(self._stats.measure(n_workers=self._n_workers, seconds=_LAST_SECONDS), "trimmed", since)
        except StatsError as error:
            _log.error("the last figures are missing: %s", error)
            return
        if self._outcome_file is not None:
            outcomes = [asdict(self._outcome(each, before_trim.get(each.pid), since)) for each in self._last]
            self._outcome_file.write_text(json.dumps(outcomes, indent=1), "utf-8")
        gevent.sleep(_CSV_SECONDS)

    def _settled(self, since: float) -> list[WorkerFigures]:
        """The workers' figures from after the load; older ones of workers that do not report in time."""
        deadline = time.monotonic() + _SETTLE_SECONDS
        while True:
            figures = self._stats.read()
            if all((each.updated_at or since) >= since for each in figures) or time.monotonic() > deadline:
                return figures
            gevent.sleep(_PAUSE_SECONDS)

    def _run(self) -> None:
        for number in itertools.count(1):
            gevent.sleep(_EVERY_SECONDS)
            try:
                if number % _SCAN_EVERY == 0:
                    self._stats.scan()
                self._sample(self._stats.read())
            except StatsError as error:
                _log.warning("a sample is missing: %s", error)

    def _sample(self, figures: list[WorkerFigures], phase: Phase = "load", since: float = 0.0) -> None:
        self._last = figures
        workers = []
        for each in figures:
            self._first.setdefault(each.pid, each.at_rest())  # its first request was under load
            is_trimmed = phase == "trimmed" and each.was_measured(since)
            workers.append(
                WorkerSample(
                    pid=each.pid,
                    rss_bytes=each.after_trim_bytes if is_trimmed else each.rss_bytes,
                    cache_bytes=each.cache_bytes,
                )
            )
        self._keep(workers, phase)

    def _keep(self, workers: list[WorkerSample], phase: Phase) -> None:
        total = self._environment.stats.total
        sample = Sample(
            seconds=time.monotonic() - self._started_at,
            users=self._environment.runner.user_count if self._environment.runner else 0,
            n_requests=total.num_requests,
            n_failures=total.num_failures,
            workers=workers,
            phase=phase,
        )
        self.samples.append(sample)
        if self._samples_file is not None:
            with self._samples_file.open("a", encoding="utf-8") as file:
                file.write(sample.as_line())
        for each in workers:
            if each.rss_bytes is not None:
                self._log("RSS MB", "MEM", each.pid, each.rss_bytes / 1e6, each.rss_bytes)
            if each.cache_bytes is not None:
                self._log("UTF-8 copies MB", "MEM", each.pid, each.cache_bytes / 1e6, each.cache_bytes)

    def _log(self, name: str, method: str, pid: int, number: float, n_bytes: int) -> None:
        """Add a row without `events.request`, so that Aggregated covers only requests."""
        self._environment.stats.get(f"{name} pid {pid}", method).log(number, n_bytes)  # type: ignore[arg-type] # floats are added as well

    def _outcome(self, last: WorkerFigures, rss_bytes: int | None, since: float) -> WorkerOutcome:
        first = self._first[last.pid]
        was_first, is_last = first.was_measured(self._measured_since), last.was_measured(since)
        is_fresh = (last.updated_at or 0) >= since
        return WorkerOutcome(
            pid=last.pid,
            rss_before_bytes=first.after_trim_bytes if was_first else None,
            rss_after_bytes=rss_bytes,
            after_trim_bytes=last.after_trim_bytes if is_last else None,
            cache_before_bytes=first.cache_bytes if was_first else None,
            cache_after_bytes=last.cache_bytes if is_last else None,
            n_requests=_since(first.n_requests, last.n_requests) if is_fresh else None,
        )


def _since(first: int | None, last: int | None) -> int | None:
    return None if last is None else last - (first or 0)
