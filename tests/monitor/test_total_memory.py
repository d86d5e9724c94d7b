"""TotalMemory: shared pages once where the kernel tells, else a sum that says what it is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ssrjson_web import memory
from ssrjson_web.monitor.total_memory import TotalMemory

needs_rollup = pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs smaps_rollup")


@pytest.fixture
def sizes(monkeypatch: pytest.MonkeyPatch) -> dict[int, Any]:
    """Proportional sets by pid, or the error that reading one raises."""
    sizes: dict[int, Any] = {}

    def pss(pid: int) -> int:
        if isinstance(sizes[pid], Exception):
            raise sizes[pid]
        return int(sizes[pid])

    monkeypatch.setattr(memory, "pss_bytes", pss)
    return sizes


def test_sum_is_of_the_proportional_sets(sizes: dict[int, Any]) -> None:
    sizes |= {1: 100, 2: 20}
    figures, problem = TotalMemory().figures({2: 1000, 1: 1000})
    assert figures == {"bytes": 120, "source": "pss", "is_upper_bound": False}
    assert problem is None


@pytest.mark.parametrize("error", [PermissionError("another user's"), FileNotFoundError("an old kernel's")])
def test_sum_without_one_of_them_is_of_resident_sets_and_says_so(sizes: dict[int, Any], error: OSError) -> None:
    sizes |= {os.getpid(): 100, os.getppid(): error}
    total = TotalMemory()
    for _ in range(2):
        figures, problem = total.figures({os.getpid(): 1000, os.getppid(): 500})
        assert figures == {"bytes": 1500, "source": "rss", "is_upper_bound": True}
        assert problem == f"the sum is one of resident sets, so a shared page counts in each worker: {error}"


def test_nothing_known_is_no_number(sizes: dict[int, Any]) -> None:
    sizes[1] = PermissionError("x")
    assert TotalMemory().figures({1: None})[0]["bytes"] is None


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_worker_that_has_ended_meanwhile_adds_nothing(sizes: dict[int, Any]) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    sizes |= {ended.pid: FileNotFoundError("gone"), 1: ProcessLookupError("a zombie"), 2: 5}
    assert TotalMemory().figures({ended.pid: 1000, 1: 1000, 2: 1000})[0]["bytes"] == 5


def test_measurement_is_kept_for_a_while_unless_the_workers_change(sizes: dict[int, Any]) -> None:
    total = TotalMemory()
    sizes |= {1: 10, 2: 20}
    assert total.figures({1: 0})[0]["bytes"] == 10
    sizes[1] = 11
    assert total.figures({1: 0})[0]["bytes"] == 10
    assert total.figures({1: 0, 2: 0})[0]["bytes"] == 31
    sizes[1] = 12
    total._opens_at = 0
    assert total.figures({1: 0, 2: 0})[0]["bytes"] == 32


@needs_rollup
def test_pages_that_forked_workers_share_count_once() -> None:
    script = """if True:
        import os, signal
        block = bytearray(b"x" * 60_000_000)
        pids = []
        for _ in range(3):
            pid = os.fork()
            if pid == 0:
                signal.pause()
            pids.append(pid)
        from ssrjson_web import memory
        from ssrjson_web.monitor.total_memory import TotalMemory
        rss = {pid: memory.rss_bytes(pid) for pid in [os.getpid(), *pids]}
        print(TotalMemory().figures(rss)[0]["bytes"], sum(rss.values()))
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    """
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    together, added_up = map(int, ran.stdout.split())
    assert 60_000_000 < together < 120_000_000 < 240_000_000 < added_up
