"""Runs the steps one after the other, each in its own process."""

from __future__ import annotations

import contextlib
import shlex
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.kit.machine import commit_of, utc_now
from bench.kit.processes import Process
from bench.kit.progress import Progress
from bench.report.run_records import NoRunError, Record, Status, read_records, write_records
from bench.report.run_steps import Step
from bench.source_tree import ROOT

_STOPPED = "stopped by Ctrl-C"
_LOOK_SECONDS = 0.2
_STOPPING_SECONDS = 60.0
"""Time for a child to stop: after its current round it prints the figures so far."""
_STOPPED_STATUS = 130
_MAX_REASON_CHARS = 500


def collect(steps: Sequence[Step], data: Path, progress: Progress) -> bool:
    """Runs the steps and records the outcome of each in `data`; False if Ctrl-C stopped it.

    Records of other parts stay there. Raises OSError if `data` cannot be written.
    """
    data.mkdir(parents=True, exist_ok=True)
    commit = commit_of(ROOT)
    records = {step.name: _fresh_record(step, data, commit) for step in steps}
    try:
        # all of the part: an earlier run may have had more rounds
        others = [record for record in read_records(data) if record.part not in {step.part for step in steps}]
    except NoRunError:
        others = []
    left = sum(step.seconds for step in steps)
    for number, step in enumerate(steps, start=1):
        write_records([*others, *records.values()], data)
        progress.say(
            f"[{number}/{len(steps)}] {step.title}: about {_span(step.seconds)}; with all after it {_span(left)}"
        )
        left -= step.seconds
        record = _run(step, records[step.name], data, progress)
        records[step.name] = record
        progress.finish(f"{record.status} in {_span(record.seconds)}" + (f": {record.reason}" if record.reason else ""))
        if record.reason == _STOPPED:
            write_records([*others, *records.values()], data)
            return False
    write_records([*others, *records.values()], data)
    return True


def _fresh_record(step: Step, data: Path, commit: str) -> Record:
    (data / step.document).unlink(missing_ok=True)
    return Record(
        name=step.name,
        part=step.part,
        title=step.title,
        command=shlex.join(["python", "-m", "bench", *step.words]),
        document=step.document,
        commit=commit,
    )


def _run(step: Step, record: Record, data: Path, progress: Progress) -> Record:
    date = utc_now()
    started = time.monotonic()
    was_stopped, last_line = False, ""
    progress.start(step.name, "starting")
    with Process(step.command(data), folder=ROOT, log=data / f"{step.name}.log", drops_output=True) as process:
        try:
            while not process.wait(_LOOK_SECONDS):
                progress.start(step.name, _last_line(process))
        except KeyboardInterrupt:
            was_stopped = True
            progress.say("Stopping: the figures so far are kept. Press Ctrl-C again to end at once.")
            process.interrupt()
            with contextlib.suppress(KeyboardInterrupt):
                process.wait(_STOPPING_SECONDS)
        last_line = _last_line(process)
    has_figures = (data / step.document).is_file()
    status = process.exit_status()
    assert status is not None
    outcome, reason = _judge(status, has_figures=has_figures, was_stopped=was_stopped, last_line=last_line)
    return replace(record, status=outcome, reason=reason, date=date, seconds=round(time.monotonic() - started, 1))


def _last_line(process: Process) -> str:
    return "".join(process.last_lines(1)).strip()[:_MAX_REASON_CHARS]


def _judge(status: int, *, has_figures: bool, was_stopped: bool, last_line: str) -> tuple[Status, str]:
    if was_stopped or status == _STOPPED_STATUS:
        return ("incomplete" if has_figures else "failed"), _STOPPED
    if not has_figures:
        return "failed", last_line or f"exit status {status}"
    if status < 0:
        return "incomplete", f"ended by signal {-status}: {last_line}"
    return "measured", f"exit status {status}: {last_line}" if status else ""


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
