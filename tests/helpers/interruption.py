"""A long check that is stopped by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence

__all__ = ["assert_stops_by_ctrl_c"]


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
