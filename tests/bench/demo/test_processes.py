"""Processes of the reporting kit: they report how they end, and leave no process running."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import pytest
from helpers.processes import all_gone, children, wait_until

from bench.kit.processes import Process

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")

PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(100)'])"


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_process_and_all_that_it_started_end_with_the_block() -> None:
    with Process(python(PARENT)) as process:
        assert wait_until(lambda: bool(children(process.pid)))
        started = [process.pid, *children(process.pid)]
    assert all_gone(started)
    assert process.exit_status() == -signal.SIGTERM
    process.stop()


def test_process_keeps_its_last_lines_after_its_end(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with Process(python("for n in range(20): print(n)"), log=log) as process:
        assert process.wait(30)
        assert process.exit_status() == 0
    assert process.last_lines(2) == ["18", "19"]
    assert str(process.died("no more")) == "\n".join(["no more", *(f"    {n}" for n in range(12, 20))])
    assert log.read_text().splitlines()[0] == "0"


def test_stop_while_a_process_starts_is_heeded_and_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Any] = []
    popen = subprocess.Popen

    def popen_with_a_stop(*arguments: Any, **options: Any) -> Any:
        weakref.finalize(Subject(), os.kill, os.getpid(), signal.SIGTERM)  # a hook, whose exceptions are ignored
        started.append(popen(*arguments, **options))
        return started[0]

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    is_over = threading.Event()
    other = threading.Thread(target=is_over.wait)  # the kernel may give it the signal
    other.start()
    try:
        monkeypatch.setattr(subprocess, "Popen", popen_with_a_stop)
        with pytest.raises(KeyboardInterrupt):
            Process(python("import time; time.sleep(100)"))
    finally:
        signal.signal(signal.SIGTERM, before)
        is_over.set()
        other.join()
    assert started[0].poll() is not None


class Subject:
    """An object that ends at once."""
