"""The memory of a process as Windows reports it. Source: <psapi.h>, GetProcessMemoryInfo."""

from __future__ import annotations

import ctypes
import os
from typing import Any

_QUERY_LIMITED_INFORMATION = 0x1000


class _Counters(ctypes.Structure):
    """PROCESS_MEMORY_COUNTERS_EX."""

    _fields_ = [
        ("size", ctypes.c_uint32),
        ("page_faults", ctypes.c_uint32),
        ("peak_working_set", ctypes.c_size_t),
        ("working_set", ctypes.c_size_t),
        ("peak_paged_pool", ctypes.c_size_t),
        ("paged_pool", ctypes.c_size_t),
        ("peak_nonpaged_pool", ctypes.c_size_t),
        ("nonpaged_pool", ctypes.c_size_t),
        ("commit", ctypes.c_size_t),
        ("peak_commit", ctypes.c_size_t),
        ("private", ctypes.c_size_t),
    ]


def _kernel32() -> Any:
    library = ctypes.CDLL("kernel32")  # the convention of all functions of 64-bit Windows
    library.OpenProcess.restype = ctypes.c_void_p
    library.OpenProcess.argtypes = [ctypes.c_uint32, ctypes.c_int, ctypes.c_uint32]
    library.CloseHandle.argtypes = [ctypes.c_void_p]
    library.K32GetProcessMemoryInfo.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32]
    return library


def _counters(pid: int | None) -> _Counters:
    kernel32 = _kernel32()
    asked = os.getpid() if pid is None else pid
    handle = kernel32.OpenProcess(_QUERY_LIMITED_INFORMATION, 0, asked)
    if not handle:
        raise OSError(f"OpenProcess({asked}): the process is gone, or it belongs to another user")
    counters = _Counters(size=ctypes.sizeof(_Counters))
    try:
        if not kernel32.K32GetProcessMemoryInfo(handle, ctypes.byref(counters), counters.size):
            raise OSError(f"GetProcessMemoryInfo({asked}) failed")
    finally:
        kernel32.CloseHandle(handle)
    return counters


def rss_bytes(pid: int | None) -> int:
    return int(_counters(pid).working_set)


def uss_bytes(pid: int | None) -> int:
    return int(_counters(pid).private)


def pss_bytes(pid: int | None) -> int:
    raise OSError("Windows reports no proportional part of shared memory (PSS)")


def peak_rss_bytes(pid: int | None) -> int:
    return int(_counters(pid).peak_working_set)


def reset_peak(pid: int | None) -> None:
    raise OSError("Windows cannot reset the peak of a process")


def malloc_in_use_bytes() -> int:
    raise OSError("the C library of Windows does not say how much it has allocated")


def trim() -> bool:
    return False
