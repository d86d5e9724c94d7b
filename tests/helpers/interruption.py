"""A long check that is stopped by Ctrl-C, and how it notices that."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

__all__ = ["assert_stops_by_ctrl_c", "ctrl_c_noted"]


def assert_stops_by_ctrl_c(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    """Interrupt a command after its first line of progress: it says so, without a traceback."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        assert process.stderr is not None
        assert "no difference so far" in process.stderr.readline()
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert errors.endswith("stopped by Ctrl-C\n")
    assert "Traceback" not in errors


@contextmanager
def ctrl_c_noted() -> Iterator[list[int]]:
    """A list that the first Ctrl-C fills, for a check to look at between two cases; the second raises.

    A KeyboardInterrupt within a case is no answer: pydantic and orjson turn it into an error of their own where they
    call Python code, and then the case differs.
    """
    noted: list[int] = []

    def note(number: int, frame: object) -> None:
        if noted:
            raise KeyboardInterrupt
        noted.append(number)

    previous = signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, previous)
