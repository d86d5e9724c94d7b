"""The files that a run leaves: for each step its outcome, and its figures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

Status = Literal["measured", "incomplete", "failed", "not reached"]
_FILE = "run.json"


@dataclass(frozen=True, kw_only=True)
class Record:
    """The outcome of a step."""

    name: str
    part: str
    title: str
    command: str
    document: str
    status: Status = "not reached"
    reason: str = ""
    """Why the step was not completed, or another fault."""
    date: str = ""
    commit: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A record with the figures of its step."""

    record: Record
    document: Mapping[str, Any] | None
    """The figures; None if the step wrote none."""


class NoRunError(Exception):
    """The folder holds no run; the message names it."""


def write_records(records: Sequence[Record], data: Path) -> None:
    """Writes the outcomes of the steps beside their figures."""
    content = json.dumps({"steps": [asdict(record) for record in records]}, ensure_ascii=False, indent=1)
    (data / _FILE).write_text(content + "\n", "utf-8")


def read_records(data: Path) -> list[Record]:
    """The records in the file of `write_records`. Raises NoRunError."""
    try:
        content = json.loads((data / _FILE).read_text("utf-8"))
        return [Record(**step) for step in content["steps"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoRunError(f"{data / _FILE}: no run of the report is recorded there ({error})") from error


def read_findings(data: Path) -> list[Finding]:
    """Every record with its figures, in the order of the run. Raises NoRunError."""
    return [Finding(record=record, document=_document(data / record.document)) for record in read_records(data)]


def _document(path: Path) -> Mapping[str, Any] | None:
    try:
        content = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
