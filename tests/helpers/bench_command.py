"""`python -m bench`, from beginning to end or stopped by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
_START = """\
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell has it ignored
from bench.__main__ import main
from bench.kit.command_line import run_command
sys.exit(run_command(main, program="bench"))
"""


def bench(*words: str | Path, level: str | None = None) -> subprocess.CompletedProcess[str]:
    """The command, ended; at an instruction-set level, if one is named."""
    environment = {name: value for name, value in os.environ.items() if name != "SSRJSON_ISA"}
    if level is not None:
        environment["SSRJSON_ISA"] = level
    command = [sys.executable, "-m", "bench", *map(str, words)]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=600
    )


def started(*words: str | Path) -> subprocess.Popen[str]:
    """The command, running."""
    return subprocess.Popen(
        [sys.executable, "-c", _START, *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def said(child: subprocess.Popen[str], text: str, *, times: int = 1) -> str:
    """What the command has written to standard error when the text is in it that often."""
    assert child.stderr is not None
    told = ""
    while told.count(text) < times:
        line = child.stderr.readline()
        assert line, f"it ended before: {told}"
        told += line
    return told


def interrupted(*words: str | Path, until: Callable[[subprocess.Popen[str]], object]) -> tuple[str, str]:
    """Output and errors of a command that gets Ctrl-C when `until` returns, and then ends with status 130."""
    with started(*words) as child:
        try:
            until(child)
            child.send_signal(signal.SIGINT)
            output, errors = child.communicate(timeout=120)
        finally:
            child.kill()
    assert child.returncode == 130, errors
    assert "Traceback" not in errors
    return output, errors
