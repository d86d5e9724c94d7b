"""The results in a load test's folder: the workers before and after, locust's tables, and the machine."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.kit.machine import describe_machine, installed_versions
from bench.load.plan import Plan
from bench.load.samples import Sample, WorkerOutcome, lines_of
from bench.source_tree import ROOT

SAMPLES, OUTCOME, LOCUST = "samples.jsonl", "outcome.json", "locust"
PERCENTILES = ("50%", "95%", "99%")
_ALL = "Aggregated"

_PACKAGES = (
    "ssrjson_web",
    "locust",
    "uvicorn",
    "gunicorn",
    "hypercorn",
    "fastapi",
    "django",
    "flask",
    "pydantic",
    "orjson",
    "msgspec",
)


@dataclass(frozen=True, kw_only=True)
class RequestRow:
    """One kind of request, or all together."""

    name: str
    n_requests: int
    n_failures: int
    percentiles_ms: Sequence[float]
    """Latencies in the order of PERCENTILES."""


@dataclass(frozen=True, kw_only=True)
class Results:
    """All data of a report."""

    plan: Plan
    machine: Mapping[str, str]
    samples: Sequence[Sample]
    workers: Sequence[WorkerOutcome]
    requests: Sequence[RequestRow]
    """The last one covers all requests."""
    latencies_ms: Mapping[str, Sequence[tuple[float, float]]]
    """Latency over time by percentile: seconds, and milliseconds of the requests at about that time."""
    is_complete: bool

    @property
    def is_measured(self) -> bool:
        """Whether each worker was measured before the load and after it."""
        return all(None not in (each.rss_before_bytes, each.after_trim_bytes) for each in self.workers)

    def as_json(self) -> str:
        """Every figure."""
        fields: dict[str, Any] = asdict(self)
        return json.dumps(fields, indent=1, default=str)


def read_results(plan: Plan, *, is_complete: bool) -> Results:
    """The results in the plan's folder; missing files give empty parts."""
    folder = plan.folder
    outcome = folder / OUTCOME
    return Results(
        plan=plan,
        machine=describe_machine(installed_versions(_PACKAGES), sources=ROOT),
        samples=[Sample.from_line(line) for line in lines_of(folder / SAMPLES)],
        workers=[WorkerOutcome(**each) for each in json.loads(outcome.read_text("utf-8"))] if outcome.exists() else [],
        requests=_request_rows(folder / f"{LOCUST}.json"),
        latencies_ms=_latencies(folder / f"{LOCUST}_stats_history.csv"),
        is_complete=is_complete and outcome.exists(),
    )


def _request_rows(path: Path) -> list[RequestRow]:
    """The requests by kind, and all together. locust's CSV is not used: it may be a second older."""
    if not path.exists():
        return []
    entries = [each for each in json.loads(path.read_text("utf-8")) if each["method"] in ("GET", "POST")]
    rows = [
        _row(f"{each['method']} {each['name']}", [each])
        for each in sorted(entries, key=lambda each: (each["method"], each["name"]))
        if each["num_requests"]
    ]
    return [*rows, _row(_ALL, entries)] if rows else []


def _row(name: str, entries: Sequence[Mapping[str, Any]]) -> RequestRow:
    times: Counter[float] = Counter()
    for each in entries:
        times.update({float(ms): number for ms, number in each["response_times"].items()})
    return RequestRow(
        name=name,
        n_requests=sum(each["num_requests"] for each in entries),
        n_failures=sum(each["num_failures"] for each in entries),
        percentiles_ms=[percentile(times, float(share.rstrip("%")) / 100) for share in PERCENTILES],
    )


def percentile(times: Mapping[float, int], share: float) -> float:
    """The time that this share of the requests did not exceed, as locust computes it; 0 without requests."""
    n_below = sum(times.values())
    wanted = int(n_below * share)
    for time in sorted(times, reverse=True):
        n_below -= times[time]
        if n_below <= wanted:
            return time
    return 0.0


def _latencies(path: Path) -> dict[str, list[tuple[float, float]]]:
    # without users locust repeats the percentiles of the last requests
    rows = [row for row in _rows(path) if row["Name"] == _ALL and row["User Count"] != "0"]
    return {
        name: [
            (int(row["Timestamp"]) - int(rows[0]["Timestamp"]), float(row[name])) for row in rows if row[name] != "N/A"
        ]
        for name in PERCENTILES
    }


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
