"""The memory of a process as macOS reports it. Sources: <sys/resource.h>, <libproc.h>, <malloc/malloc.h>."""

from __future__ import annotations

import ctypes
import os
from typing import Any

_COUNTERS = (
    "user_time",
    "system_time",
    "idle_wakeups",
    "interrupt_wakeups",
    "page_ins",
    "wired_bytes",
    "resident_bytes",
    "footprint_bytes",
    "started",
    "ended",
)


class _Usage(ctypes.Structure):
    """struct rusage_info_v0."""

    _fields_ = [("uuid", ctypes.c_uint8 * 16), *((name, ctypes.c_uint64) for name in _COUNTERS)]


class _MallocStatistics(ctypes.Structure):
    """struct malloc_statistics_t."""

    _fields_ = [
        ("blocks_in_use", ctypes.c_uint),
        ("size_in_use", ctypes.c_size_t),
        ("max_size_in_use", ctypes.c_size_t),
        ("size_allocated", ctypes.c_size_t),
    ]


def _system() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _usage(pid: int | None) -> _Usage:
    usage = _Usage()
    asked = os.getpid() if pid is None else pid
    if _system().proc_pid_rusage(ctypes.c_int(asked), ctypes.c_int(0), ctypes.byref(usage)) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"proc_pid_rusage({asked}): {os.strerror(code)}")
    return usage


def rss_bytes(pid: int | None) -> int:
    return int(_usage(pid).resident_bytes)


def uss_bytes(pid: int | None) -> int:
    return int(_usage(pid).footprint_bytes)


def pss_bytes(pid: int | None) -> int:
    raise OSError("macOS reports no proportional part of shared memory (PSS)")


def peak_rss_bytes(pid: int | None) -> int:
    """getrusage(2), whose figure is in bytes on macOS."""
    if pid is not None and pid != os.getpid():
        raise OSError(f"macOS reports the peak of this process only, not that of {pid}")
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def reset_peak(pid: int | None) -> None:
    raise OSError("macOS cannot reset the peak of a process")


def malloc_in_use_bytes() -> int:
    """Of all malloc zones."""
    statistics = _MallocStatistics()
    _system().malloc_zone_statistics(None, ctypes.byref(statistics))
    return int(statistics.size_in_use)


def trim() -> bool:
    """malloc_zone_pressure_relief of all zones; 0 is no limit."""
    relieve = _system().malloc_zone_pressure_relief
    relieve.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    relieve.restype = ctypes.c_size_t
    return bool(relieve(None, 0))
