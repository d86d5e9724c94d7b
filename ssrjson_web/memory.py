"""The memory of this or another process, as Linux, macOS or Windows reports it.

`ssrjson_web.scan_utf8_cache` counts the cached UTF-8 copies in strings of this process.
"""

from __future__ import annotations

import sys

if sys.platform == "win32":
    from ssrjson_web._shared import memory_windows as _system
elif sys.platform == "darwin":
    from ssrjson_web._shared import memory_macos as _system
else:
    from ssrjson_web._shared import memory_linux as _system

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
    """Resident set of this process, or of `pid`, in bytes. Windows calls it the working set.

    Process-wide: concurrent requests share it, so a before/after difference is an upper bound.
    Raises OSError where the system does not report it, as without /proc on Linux, or if the process is gone.
    """
    return _system.rss_bytes(pid)


def uss_bytes(pid: int | None = None) -> int:
    """Memory that no other process shares (USS), in bytes. The system gets it back when the process ends.

    The system's nearest figure: private pages on Linux, where the kernel walks the page tables, which takes longer for
    a larger process; the physical footprint on macOS; the private commit charge on Windows. The last two include
    memory that was compressed or paged out. Raises OSError as `rss_bytes` does, and for another user's process.
    """
    return _system.uss_bytes(pid)


def pss_bytes(pid: int | None = None) -> int:
    """Private memory and a proportional part of shared memory (PSS), in bytes. Its sum is the memory of all workers.

    It takes as long as `uss_bytes` and raises the same errors. macOS and Windows do not report it: an OSError.
    """
    return _system.pss_bytes(pid)


def peak_rss_bytes(pid: int | None = None) -> int:
    """Largest resident set since the process began, or since `reset_peak`, in bytes.

    Raises OSError as `rss_bytes` does. macOS reports it for this process only.
    """
    return _system.peak_rss_bytes(pid)


def reset_peak(pid: int | None = None) -> None:
    """Make `peak_rss_bytes` start again from the present resident set.

    Raises OSError as `rss_bytes` does, without permission to write to /proc, and on macOS and Windows.
    """
    _system.reset_peak(pid)


def malloc_in_use_bytes() -> int:
    """Memory that the C allocator of this process has allocated and not freed, in bytes.

    Python's small objects are included only as the arenas that hold them. Raises OSError without glibc 2.33 or newer,
    or macOS.
    """
    return _system.malloc_in_use_bytes()


def trim() -> bool:
    """Return free pages of the C allocator to the system. Returns whether there were any.

    The memory that remains is in use. Returns False where the allocator offers nothing like it, as with musl and on
    Windows.
    """
    return _system.trim()
