"""Memory and CPU time of a server and of all processes that it started, from /proc."""

from __future__ import annotations

import os
from pathlib import Path

from ssrjson_web import memory

__all__ = ["cpu_seconds", "rss_bytes", "tree_of"]


def tree_of(pid: int) -> list[int]:
    """The process and its descendants."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _stat(int(folder.name))
        if fields:
            children.setdefault(int(fields[1]), []).append(int(folder.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def rss_bytes(pid: int) -> int:
    """The sum of the resident sets; pages that they share count several times."""
    total = 0
    for one in tree_of(pid):
        try:
            total += memory.rss_bytes(one)
        except OSError:  # it has just ended
            continue
    return total


def cpu_seconds(pid: int) -> float:
    """CPU time in user mode and in the kernel until now. Source: proc(5), stat, fields 14 and 15."""
    ticks = sum(int(fields[11]) + int(fields[12]) for fields in map(_stat, tree_of(pid)) if fields)
    return ticks / os.sysconf("SC_CLK_TCK")


def _stat(pid: int) -> list[str]:
    """The fields after the name, which may hold anything; none where the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return []
