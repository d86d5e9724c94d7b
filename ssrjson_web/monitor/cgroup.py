"""The memory that the kernel charges to this process's control group, to which a container's limit applies."""

from __future__ import annotations

from pathlib import Path

__all__ = ["cgroup_files", "cgroup_memory"]

_FILES_V2 = ("memory.current", "memory.peak")
_FILES_V1 = ("memory.usage_in_bytes", "memory.max_usage_in_bytes")


def cgroup_files(listing: Path = Path("/proc/self/cgroup"), mount: Path = Path("/sys/fs/cgroup")) -> tuple[Path, Path]:
    """The files that hold the bytes in use and their peak; the second may be missing (v2 before Linux 5.19).

    Raises OSError where the process has no memory control group that can be read: outside Linux, or in the root group.
    Source: cgroups(7).
    """
    groups = [line.split(":", 2) for line in listing.read_text(encoding="utf-8").splitlines() if line.count(":") >= 2]
    candidates = []
    for _, controllers, path in groups:
        if "memory" in controllers.split(","):
            candidates += [(folder, _FILES_V1) for folder in (mount / "memory" / path.lstrip("/"), mount / "memory")]
        elif controllers == "":
            candidates += [(folder, _FILES_V2) for folder in (mount / path.lstrip("/"), mount)]
    for folder, (current, peak) in candidates:
        if (folder / current).is_file():
            return folder / current, folder / peak
    raise OSError(f"no memory control group of this process below {mount}")


def cgroup_memory(file: Path) -> int:
    """Bytes that one of `cgroup_files` holds. Raises OSError where it cannot be read."""
    try:
        return int(file.read_bytes())
    except ValueError as error:
        raise OSError(f"{file} holds no number") from error
