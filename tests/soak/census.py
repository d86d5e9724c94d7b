"""The resources that a server and its children hold, from /proc, and the faults in its log."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path

PAGE_BYTES = 4096

CLIENTS_OWN = frozenset(
    {
        "starlette.requests.ClientDisconnect",
        "ConnectionResetError",
        "BrokenPipeError",
        "aiohttp.http_exceptions.BadHttpMessage",
        "quart.exceptions.ClientDisconnect",
    }
)
"""Exceptions caused by clients, which servers write into their logs."""

_LAST_LINE = re.compile(r"^([A-Za-z_][\w.]*)(?:: .*)?$")


@dataclass(frozen=True, kw_only=True)
class Census:
    """The resources of a process and its descendants."""

    rss_bytes: int
    threads: int
    descriptors: int
    processes: int
    tasks: int = 0


def family(pid: int) -> list[int]:
    """The process and its descendants."""
    found = [pid]
    for member in found:
        for path in Path(f"/proc/{member}/task").glob("*/children"):
            try:
                found += map(int, path.read_text().split())
            except OSError:  # the thread ended
                continue
    return found


def census(pid: int, *, tasks: int = 0) -> Census:
    """The resources held now. Raises OSError if the server has ended."""
    members = family(pid)
    return Census(
        rss_bytes=sum(int(Path(f"/proc/{each}/statm").read_text().split()[1]) for each in members) * PAGE_BYTES,
        threads=sum(len(list(Path(f"/proc/{each}/task").iterdir())) for each in members),
        descriptors=sum(len(list(Path(f"/proc/{each}/fd").iterdir())) for each in members),
        processes=len(members),
        tasks=tasks,
    )


def complaints(log: str, known: Container[str] = ()) -> list[str]:
    """The last lines of tracebacks that clients do not explain, except those of known exceptions."""
    found, is_inside = [], False
    for line in log.splitlines():
        text = line.strip(" |")
        if text.startswith("Traceback (most recent call last)"):
            is_inside = True
        elif is_inside and not line.startswith((" ", "\t")) and (last := _LAST_LINE.match(text)):
            is_inside = False
            if last[1] not in CLIENTS_OWN and last[1] not in known:
                found.append(text)
    return [*found, "a traceback without an end"] if is_inside else found
