"""The commands of the report: each runs in its own process, and leaves its figures and its outcome in a folder."""

from __future__ import annotations

import contextlib
import json
import shlex
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from bench.kit.machine import commit_of, utc_now
from bench.kit.processes import Process
from bench.kit.progress import Progress
from bench.races.table import RACES
from bench.source_tree import ROOT

__all__ = ["PARTS", "NoRunError", "Record", "collect", "read_records", "steps", "write_records"]

Status = Literal["measured", "incomplete", "failed", "not reached"]
PARTS = ("memory", "article", "encode", "decode", "web", "races")
"""Memory before time."""
_FILE = "run.json"
_STOPPED, _STOPPED_STATUS = "stopped by Ctrl-C", 130
_LOOK_SECONDS, _STOPPING_SECONDS = 0.2, 60.0
"""Between looks at a child, and for it to stop: after its current round it prints the figures so far."""
_MAX_REASON_CHARS = 500


class NoRunError(Exception):
    """The folder holds no run; the message names it."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """A command, and its outcome."""

    name: str
    part: str
    title: str
    words: Sequence[str]
    """The arguments after `python -m bench`, without the option for the file of figures."""
    status: Status = "not reached"
    reason: str = ""
    """Why it was not completed, or another fault."""
    date: str = ""
    commit: str = ""
    seconds: float = 0.0
    """What it took."""

    @property
    def document(self) -> str:
        """The file of its figures, in the folder."""
        return f"{self.name}/results.json" if self.part == "memory" else f"{self.name}.json"

    @property
    def command(self) -> str:
        return shlex.join(["python", "-m", "bench", *self.words])

    def started(self, data: Path) -> Process:
        """The process of the command, which writes into `data`."""
        document = (data / self.document).resolve()
        document.unlink(missing_ok=True)
        written = ("--out", str(document.parent)) if self.part == "memory" else ("--json", str(document))
        command = [sys.executable, "-m", "bench", *self.words, *written]
        return Process(command, folder=ROOT, log=data / f"{self.name}.log", drops_output=True)


def steps(parts: Collection[str] = PARTS, *, quick: bool = False) -> list[Record]:
    """The commands of those parts, in the order of the page."""
    few = ("--quick", "--rounds", "9") if quick else ()
    memory = ("--mb", "20", "--seconds", "2") if quick else ()
    once = ("--quick",) if quick else ()
    table: Sequence[tuple[str, str, str, Sequence[str]]] = (
        ("memory", "memory", "Memory of real servers", ("demo", *memory)),
        ("article", "article", "The article's two scripts", ("memory", "--parts", "article", *once)),
        ("encode", "encode", "Encoding", ("encode", *few)),
        ("decode", "decode", "Decoding", ("decode", *few)),
        ("fastapi", "web", "FastAPI", ("web", *few)),
        ("django", "web", "Django", ("web", "--django", *few)),
        ("flask", "web", "Flask", ("web", "--flask", *few)),
        *((each.name, "races", each.help[0].upper() + each.help[1:], (each.name, *once)) for each in RACES),
    )
    return [
        Record(name=name, part=part, title=title, words=words) for name, part, title, words in table if part in parts
    ]


def collect(chosen: Sequence[Record], data: Path, progress: Progress) -> bool:
    """Run the commands one after the other, and record the outcomes; False if Ctrl-C stopped it.

    Records of other parts stay there. Raises OSError if `data` cannot be written.
    """
    data.mkdir(parents=True, exist_ok=True)
    commit = commit_of(ROOT)
    for each in chosen:
        (data / each.document).unlink(missing_ok=True)
    records = {each.name: replace(each, commit=commit) for each in chosen}
    try:
        # all of the part: an earlier run may have had more commands
        others = [record for record in read_records(data) if record.part not in {each.part for each in chosen}]
    except NoRunError:
        others = []
    for number, each in enumerate(chosen, start=1):
        write_records([*others, *records.values()], data)
        progress.say(f"[{number}/{len(chosen)}] {each.title}")
        record = records[each.name] = _run(records[each.name], data, progress)
        progress.finish(f"{record.status} in {record.seconds:.0f} s" + (f": {record.reason}" if record.reason else ""))
        if record.reason == _STOPPED:
            break
    write_records([*others, *records.values()], data)
    return all(record.reason != _STOPPED for record in records.values())


def _run(record: Record, data: Path, progress: Progress) -> Record:
    date, started = utc_now(), time.monotonic()
    was_stopped = False
    progress.start(record.name, "starting")
    (data / record.document).parent.mkdir(exist_ok=True)
    with record.started(data) as process:
        try:
            while not process.wait(_LOOK_SECONDS):
                progress.start(record.name, _last_line(process))
        except KeyboardInterrupt:
            was_stopped = True
            progress.say("Stopping: the figures so far are kept. Press Ctrl-C again to end at once.")
            process.interrupt()
            with contextlib.suppress(KeyboardInterrupt):
                process.wait(_STOPPING_SECONDS)
        last_line = _last_line(process)
    exit_status = process.exit_status()
    has_figures = (data / record.document).is_file()
    status: Status = "measured"
    reason = "" if exit_status == 0 else f"exit status {exit_status}: {last_line}"
    if was_stopped or exit_status == _STOPPED_STATUS:
        status, reason = "incomplete", _STOPPED
    if not has_figures:
        status, reason = "failed", reason if was_stopped else last_line or f"exit status {exit_status}"
    return replace(record, status=status, reason=reason, date=date, seconds=round(time.monotonic() - started, 1))


def _last_line(process: Process) -> str:
    return "".join(process.last_lines(1)).strip()[:_MAX_REASON_CHARS]


def write_records(records: Sequence[Record], data: Path) -> None:
    """Write the outcomes beside the figures."""
    content = json.dumps({"steps": [asdict(record) for record in records]}, ensure_ascii=False, indent=1)
    (data / _FILE).write_text(content + "\n", "utf-8")


def read_records(data: Path) -> list[Record]:
    """The records in the file of `write_records`, in the order of the page. Raises NoRunError."""
    try:
        content = json.loads((data / _FILE).read_text("utf-8"))
        found = [Record(**{**step, "words": tuple(step["words"])}) for step in content["steps"]]
        return sorted(found, key=lambda record: PARTS.index(record.part))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoRunError(f"{data / _FILE}: no run of the report is recorded there ({error})") from error
