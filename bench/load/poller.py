"""Puts the figures of the server's workers among locust's own: rows of its tables, CSV and report."""

from __future__ import annotations

import itertools
import json
import logging
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import gevent
from locust.env import Environment

from bench.load.samples import Sample, WorkerOutcome, WorkerSample
from bench.load.stats import Stats, StatsError, WorkerFigures, shares

_EVERY_SECONDS = 1.0
_SCAN_EVERY = 2
"""A scan with every so many-th sample: it holds the GIL of the worker."""
_FIRST_SECONDS = 5.0
_LAST_SECONDS = 8.0
_SETTLE_SECONDS = 1.2
"""A worker knows of the others what they were up to a second ago."""

_log = logging.getLogger(__name__)


class Poller:
    """Samples from `start` to `stop`; `samples_file` gets a line each, `outcome_file` what came of it.

    `open_stats` is asked at the beginning of each test, and may raise StatsError: there are no figures then.
    """

    def __init__(
        self,
        environment: Environment,
        open_stats: Callable[[], Stats],
        *,
        n_workers: int,
        samples_file: Path | None = None,
        outcome_file: Path | None = None,
    ) -> None:
        self.samples: list[Sample] = []
        self.is_prepared = False
        self._environment = environment
        self._open_stats = open_stats
        self._n_workers = n_workers
        self._samples_file = samples_file
        self._outcome_file = outcome_file
        self._stats: Stats | None = None
        self._first: dict[int, WorkerFigures] = {}
        self._last: list[WorkerFigures] = []
        self._greenlet: gevent.Greenlet | None = None
        self._started_at = time.monotonic()

    def prepare(self) -> None:
        """Measure all workers at rest, which may take some seconds."""
        self.is_prepared = True
        self._stats = None
        self._first.clear()
        self._last.clear()
        try:
            stats = self._open_stats()
            measured = stats.measure(n_workers=self._n_workers, seconds=_FIRST_SECONDS)
        except StatsError as error:
            _log.warning("no figures of the server: %s", error)
            return
        self._first = {each.pid: each for each in measured}
        self._stats = stats

    def start(self) -> None:
        """Begin to sample."""
        self.samples.clear()
        if self._samples_file is not None:
            self._samples_file.write_text("")
        if self._stats is not None:
            self._started_at = time.monotonic()
            self._sample(list(self._first.values()))
            self._greenlet = gevent.spawn(self._run, self._stats)

    def stop(self) -> None:
        """Measure all workers once more, and write what came of it."""
        self.is_prepared = False
        if self._greenlet is None or self._stats is None:
            return
        self._greenlet.kill()
        self._greenlet = None
        gevent.sleep(_SETTLE_SECONDS)
        try:
            self._sample(self._stats.read())
            before_trim = {each.pid: each.rss_bytes for each in self._last}
            self._sample(self._stats.measure(n_workers=self._n_workers, seconds=_LAST_SECONDS))
        except StatsError as error:
            _log.error("the last figures are missing: %s", error)
            return
        if self._outcome_file is not None:
            outcomes = [asdict(self._outcome(each, before_trim.get(each.pid))) for each in self._last]
            self._outcome_file.write_text(json.dumps(outcomes, indent=1), "utf-8")

    def _run(self, stats: Stats) -> None:
        for number in itertools.count(1):
            gevent.sleep(_EVERY_SECONDS)
            try:
                if number % _SCAN_EVERY == 0:
                    stats.scan()
                self._sample(stats.read())
            except StatsError as error:
                _log.warning("a sample is missing: %s", error)

    def _sample(self, figures: list[WorkerFigures]) -> None:
        found = shares(self._last or self._first.values(), figures)
        self._last = figures
        workers = []
        for each in figures:
            self._first.setdefault(each.pid, each)
            workers.append(
                WorkerSample(
                    pid=each.pid,
                    rss_bytes=each.rss_bytes,
                    cache_bytes=each.cache_bytes,
                    json_share=found.get(each.pid),
                )
            )
        self._keep(workers)

    def _keep(self, workers: list[WorkerSample]) -> None:
        total = self._environment.stats.total
        sample = Sample(
            seconds=time.monotonic() - self._started_at,
            users=self._environment.runner.user_count if self._environment.runner else 0,
            n_requests=total.num_requests,
            n_failures=total.num_failures,
            workers=workers,
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
            if each.json_share is not None:
                self._log("JSON share %", "TIME", each.pid, 100 * each.json_share, 0)

    def _log(self, name: str, method: str, pid: int, number: float, n_bytes: int) -> None:
        """A row of its own, past `events.request`: so Aggregated is of requests alone."""
        self._environment.stats.get(f"{name} pid {pid}", method).log(number, n_bytes)  # type: ignore[arg-type] # floats are added as well

    def _outcome(self, last: WorkerFigures, rss_bytes: int | None) -> WorkerOutcome:
        first = self._first[last.pid]
        return WorkerOutcome(
            pid=last.pid,
            rss_before_bytes=first.rss_bytes,
            rss_after_bytes=rss_bytes,
            after_trim_bytes=last.after_trim_bytes,
            cache_before_bytes=first.cache_bytes,
            cache_after_bytes=last.cache_bytes,
            json_share=shares([first], [last]).get(last.pid),
            n_requests=None if last.n_requests is None else last.n_requests - (first.n_requests or 0),
        )
