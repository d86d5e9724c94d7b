"""Other processes, seen through /proc: which are whose children, and when they are gone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path


def children(pid: int) -> list[int]:
    """The processes that `pid` started and that still run."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_running(pid: int) -> bool:
    """Whether it runs: a zombie that nobody has waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition: Callable[[], bool], *, seconds: float = 30.0) -> bool:
    """Whether `condition` came true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def all_gone(pids: Iterable[int], *, seconds: float = 30.0) -> bool:
    """Whether all of them end in time."""
    pids = list(pids)
    return wait_until(lambda: not any(map(is_running, pids)), seconds=seconds)
