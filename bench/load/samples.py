"""The figures of the workers in the course of a load test, and their file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from bench.kit.tables import megabytes

Phase = Literal["load", "after", "trimmed"]


@dataclass(frozen=True, kw_only=True)
class WorkerSample:
    """A worker of the server at one moment; figures that are not available are None."""

    pid: int
    rss_bytes: int | None
    cache_bytes: int | None


@dataclass(frozen=True, kw_only=True)
class Sample:
    """All workers at one moment."""

    seconds: float
    """Seconds since the start of the load."""
    users: int
    n_requests: int
    n_failures: int
    workers: Sequence[WorkerSample]
    phase: Phase = "load"
    """After: the users have stopped. Trimmed: free memory was returned since then, before RSS was read."""

    def as_line(self) -> str:
        """A line of JSON."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def from_line(cls, line: str) -> Sample:
        """The sample of a line."""
        fields = json.loads(line)
        return cls(**{**fields, "workers": [WorkerSample(**each) for each in fields["workers"]]})

    def as_text(self) -> str:
        """The sample for a terminal."""
        workers = "; ".join(
            f"{each.pid}: RSS {megabytes(each.rss_bytes)} MB, copies {megabytes(each.cache_bytes)} MB"
            for each in self.workers
        )
        return f"{self.seconds:5.1f} s  {self.users:>3} users  {self.n_requests:>6,} requests  {workers}"


@dataclass(frozen=True, kw_only=True)
class WorkerOutcome:
    """A worker before and after the load; at both ends the copies are counted, and free memory is returned.

    Figures that were not measured, for example because a worker did not answer in time, are None.
    """

    pid: int
    rss_before_bytes: int | None
    rss_after_bytes: int | None
    after_trim_bytes: int | None
    cache_before_bytes: int | None
    cache_after_bytes: int | None
    n_requests: int | None
    """Requests finished between the measurements before and after the load."""


def lines_of(path: Path) -> Iterator[str]:
    """The complete lines of a file that another process may still write; none if the file does not exist."""
    if path.exists():
        yield from (line for line in path.read_text("utf-8").splitlines(keepends=True) if line.endswith("\n"))
