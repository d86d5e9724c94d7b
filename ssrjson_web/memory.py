"""The memory of a process, and of the UTF-8 copies that its strings hold.

A non-ASCII `str` can carry a second, UTF-8 copy of itself (PEP 393). It is written by whoever asks
CPython for UTF-8 in place, and it is freed with the `str`: `utf8_cache_bytes` counts these copies.
The figures of a process come from Linux's /proc, so they can be taken from outside as well.
"""

from __future__ import annotations

import ctypes
import gc
import os
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ssrjson_web._core import utf8_cache_size

__all__ = [
    "CacheReport",
    "peak_rss_bytes",
    "pss_bytes",
    "reset_peak",
    "rss_bytes",
    "trim",
    "uss_bytes",
    "utf8_cache_bytes",
]


@dataclass(frozen=True, kw_only=True)
class CacheReport:
    """The UTF-8 copies held by the strings under some roots."""

    strings: int
    """Strings found, each counted once however often it is referred to."""
    cached_strings: int
    """Those of them that hold a UTF-8 copy."""
    bytes: int
    """Bytes in these copies, the terminating NUL of each included."""


def rss_bytes(pid: int | None = None) -> int:
    """Resident set of this process, or of `pid`, in bytes.

    Process-wide: concurrent requests share it, so a before/after difference is an upper bound.
    Raises OSError where /proc is absent or the process is gone. Source: proc(5), statm, field 2 x page size.
    """
    resident_pages = int((_proc(pid) / "statm").read_bytes().split()[1])
    return resident_pages * os.sysconf("SC_PAGE_SIZE")


def uss_bytes(pid: int | None = None) -> int:
    """Memory of the process that no other process shares, in bytes: what its end would give back.

    The kernel walks the page tables for it, which takes the longer the larger the process is: sample it seldom.
    Raises OSError as `rss_bytes` does, and for another user's process. Source: proc(5), smaps_rollup.
    """
    return _smaps_rollup_bytes(pid, b"Private_Clean:", b"Private_Dirty:", b"Private_Hugetlb:")


def pss_bytes(pid: int | None = None) -> int:
    """Private memory of the process and its share of what it shares, in bytes; the sum over workers is what they cost.

    As dear as `uss_bytes`, with the same errors. Source: proc(5), smaps_rollup.
    """
    return _smaps_rollup_bytes(pid, b"Pss:")


def peak_rss_bytes(pid: int | None = None) -> int:
    """Largest resident set since the process began, or since `reset_peak`, in bytes.

    Raises OSError as `rss_bytes` does. Source: proc(5), status, VmHWM.
    """
    for line in (_proc(pid) / "status").read_bytes().splitlines():
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"{_proc(pid)}/status has no VmHWM: a kernel thread or a zombie")


def reset_peak(pid: int | None = None) -> None:
    """Make `peak_rss_bytes` start again from the present resident set.

    Raises OSError as `rss_bytes` does, and without the right to write there. Source: proc(5), clear_refs, 5.
    """
    (_proc(pid) / "clear_refs").write_bytes(b"5")


def trim() -> bool:
    """Ask the C allocator to give its free pages back; True when some went.

    What remains after it is held, not merely retained. False where there is no `malloc_trim`, as outside glibc.
    """
    try:
        malloc_trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return False
    malloc_trim.argtypes = [ctypes.c_size_t]
    malloc_trim.restype = ctypes.c_int
    return bool(malloc_trim(0))


_FENCES = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.CodeType,
    types.FrameType,
    types.TracebackType,
)
"""Where the walk stops: beyond them lies the program, not its data."""

_LEAVES = frozenset({int, float, bool, complex, bytes, bytearray, type(None)})
_BATCH = 4096
"""Objects handed to one `gc.get_referents` call."""


def utf8_cache_bytes(*roots: object) -> CacheReport:
    """The UTF-8 copies held by the strings reachable from `roots`.

    Containers, instances with `__dict__` or slots and whatever else the garbage collector can traverse
    are followed; classes, modules and functions only when they are roots themselves. No code of the
    objects is run. The GIL is held throughout, and the walk remembers each object in about 100 bytes: call it
    on demand, on the structures in question.
    """
    seen: set[int] = set()
    strings = cached_strings = cached_bytes = 0
    pending: list[Any] = []
    found: list[Any] = list(roots)
    fences: tuple[type, ...] = ()
    while found or pending:
        for candidate in found:
            kind = type(candidate)
            if kind in _LEAVES or id(candidate) in seen:
                continue
            seen.add(id(candidate))
            if issubclass(kind, str):  # isinstance would ask the object for its __class__
                strings += 1
                size = utf8_cache_size(candidate)
                if size:
                    cached_strings += 1
                    cached_bytes += size
            if kind is not str and not issubclass(kind, fences):
                pending.append(candidate)
        batch = pending[-_BATCH:]
        del pending[-_BATCH:]
        found = gc.get_referents(*batch)
        for container in batch:
            if issubclass(type(container), dict):
                found.extend(dict.keys(container))  # dict_traverse leaves str keys out
        fences = _FENCES
    return CacheReport(strings=strings, cached_strings=cached_strings, bytes=cached_bytes)


def _proc(pid: int | None) -> Path:
    return Path("/proc/self" if pid is None else f"/proc/{pid}")


def _smaps_rollup_bytes(pid: int | None, *fields: bytes) -> int:
    lines = (_proc(pid) / "smaps_rollup").read_bytes().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(fields))
