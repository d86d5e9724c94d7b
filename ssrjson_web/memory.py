"""The memory of this or another process, read from Linux's /proc.

`ssrjson_web.scan_utf8_cache` counts the cached UTF-8 copies in strings of this process.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

__all__ = [
    "malloc_in_use_bytes",
    "peak_rss_bytes",
    "pss_bytes",
    "reset_peak",
    "rss_bytes",
    "trim",
    "uss_bytes",
]


def rss_bytes(pid: int | None = None) -> int:
    """Resident set of this process, or of `pid`, in bytes.

    Process-wide: concurrent requests share it, so a before/after difference is an upper bound.
    Raises OSError where /proc is absent or the process is gone. Source: proc(5), statm, field 2 x page size.
    """
    resident_pages = int((_proc(pid) / "statm").read_bytes().split()[1])
    return resident_pages * os.sysconf("SC_PAGE_SIZE")


def uss_bytes(pid: int | None = None) -> int:
    """Memory that no other process shares (USS), in bytes. The system gets it back when the process ends.

    The kernel walks the page tables, which takes longer for a larger process, so sample it rarely.
    Raises OSError as `rss_bytes` does, and for another user's process. Source: proc(5), smaps_rollup.
    """
    return _smaps_rollup_bytes(pid, b"Private_Clean:", b"Private_Dirty:", b"Private_Hugetlb:")


def pss_bytes(pid: int | None = None) -> int:
    """Private memory and a proportional part of shared memory (PSS), in bytes. Its sum is the memory of all workers.

    It takes as long as `uss_bytes` and raises the same errors. Source: proc(5), smaps_rollup.
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

    Raises OSError as `rss_bytes` does, and without permission to write to /proc. Source: proc(5), clear_refs, 5.
    """
    (_proc(pid) / "clear_refs").write_bytes(b"5")


class _Mallinfo2(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"
        )
    ]  # fmt: skip


def malloc_in_use_bytes() -> int:
    """Memory that the C allocator of this process has allocated and not freed, in bytes.

    Python's small objects are included only as the arenas that hold them. Raises OSError without `mallinfo2`, which
    needs glibc 2.33 or newer. Source: mallinfo(3), uordblks + hblkhd.
    """
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError, TypeError):
        raise OSError("the C library has no mallinfo2: it is not glibc, or older than 2.33") from None
    mallinfo2.restype = _Mallinfo2
    info = mallinfo2()
    return int(info.uordblks + info.hblkhd)


def trim() -> bool:
    """Return free pages of the C allocator to the system. Returns whether there were any.

    The memory that remains is in use. Returns False where there is no `malloc_trim`, as outside glibc.
    """
    try:
        malloc_trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return False
    malloc_trim.argtypes = [ctypes.c_size_t]
    malloc_trim.restype = ctypes.c_int
    return bool(malloc_trim(0))


def _proc(pid: int | None) -> Path:
    return Path("/proc/self" if pid is None else f"/proc/{pid}")


def _smaps_rollup_bytes(pid: int | None, *fields: bytes) -> int:
    lines = (_proc(pid) / "smaps_rollup").read_bytes().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(fields))
