"""The memory of a process as Linux's /proc and its C library report it."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path


def rss_bytes(pid: int | None = None) -> int:
    """proc(5), statm, field 2 x page size."""
    resident_pages = int((_proc(pid) / "statm").read_bytes().split()[1])
    return resident_pages * os.sysconf("SC_PAGE_SIZE")


def uss_bytes(pid: int | None = None) -> int:
    """proc(5), smaps_rollup."""
    return _smaps_rollup_bytes(pid, b"Private_Clean:", b"Private_Dirty:", b"Private_Hugetlb:")


def pss_bytes(pid: int | None = None) -> int:
    """proc(5), smaps_rollup."""
    return _smaps_rollup_bytes(pid, b"Pss:")


def peak_rss_bytes(pid: int | None = None) -> int:
    """proc(5), status, VmHWM."""
    for line in (_proc(pid) / "status").read_bytes().splitlines():
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"{_proc(pid)}/status has no VmHWM: a kernel thread or a zombie")


def reset_peak(pid: int | None = None) -> None:
    """proc(5), clear_refs, 5."""
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
    """mallinfo(3), uordblks + hblkhd."""
    try:
        mallinfo2 = ctypes.CDLL(None).mallinfo2
    except (AttributeError, OSError, TypeError):
        raise OSError("the C library has no mallinfo2: it is not glibc, or older than 2.33") from None
    mallinfo2.restype = _Mallinfo2
    info = mallinfo2()
    return int(info.uordblks + info.hblkhd)


def trim() -> bool:
    """malloc_trim(3)."""
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
