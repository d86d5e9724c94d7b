"""What a load test left in its folder: the workers before and after, locust's tables, and where it ran."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from bench.load.plan import Plan
from bench.load.samples import Sample, WorkerOutcome, lines_of
from bench.machine import describe_machine

SAMPLES, OUTCOME, LOCUST = "samples.jsonl", "outcome.json", "locust"
PERCENTILES = ("50%", "95%", "99%")

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
    """In the order of PERCENTILES."""


@dataclass(frozen=True, kw_only=True)
class Results:
    """All that a report says."""

    plan: Plan
    machine: Mapping[str, str]
    samples: Sequence[Sample]
    workers: Sequence[WorkerOutcome]
    requests: Sequence[RequestRow]
    """The last is of all together."""
    latencies_ms: Mapping[str, Sequence[tuple[float, float]]]
    """By percentile: seconds, and milliseconds of the requests about then."""
    is_complete: bool

    def as_json(self) -> str:
        """Every figure."""
        fields: dict[str, Any] = asdict(self)
        return json.dumps(fields, indent=1, default=str)


def read_results(plan: Plan, *, is_complete: bool) -> Results:
    """The results in the plan's folder; what is not there is empty."""
    folder = plan.folder
    outcome = folder / OUTCOME
    return Results(
        plan=plan,
        machine=describe_machine({name: metadata.version(name) for name in _PACKAGES if _is_installed(name)}),
        samples=[Sample.from_line(line) for line in lines_of(folder / SAMPLES)],
        workers=[WorkerOutcome(**each) for each in json.loads(outcome.read_text("utf-8"))] if outcome.exists() else [],
        requests=_request_rows(folder / f"{LOCUST}_stats.csv"),
        latencies_ms=_latencies(folder / f"{LOCUST}_stats_history.csv"),
        is_complete=is_complete and outcome.exists(),
    )


def _request_rows(path: Path) -> list[RequestRow]:
    return [
        RequestRow(
            name=f"{row['Type']} {row['Name']}".strip(),
            n_requests=int(row["Request Count"]),
            n_failures=int(row["Failure Count"]),
            percentiles_ms=[float(row[name]) for name in PERCENTILES],
        )
        for row in _rows(path)
        if row["Type"] in ("GET", "POST", "") and row["Request Count"] != "0"
    ]


def _latencies(path: Path) -> dict[str, list[tuple[float, float]]]:
    rows = [row for row in _rows(path) if row["Name"] == "Aggregated"]
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


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
