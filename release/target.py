"""What is built: a Python, a system and a CPU, with the names that wheels, CMake and zig have for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

System = Literal["manylinux", "musllinux", "macos", "windows"]

PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.15")
FREE_THREADED_PYTHONS = ("3.13t", "3.14t", "3.15t")
GLIBC = "2.17"
MUSL = "1_2"
MACOS = {"x86_64": "10_13", "aarch64": "11_0"}


@dataclass(frozen=True, order=True)
class Target:
    """One wheel."""

    python: str  # such as "3.13", or "3.13t" without the GIL
    system: System
    machine: str  # "x86_64" or "aarch64"

    def __str__(self) -> str:
        return f"{self.python_tag}{'t' if self.is_free_threaded else ''}-{self.system}-{self.machine}"

    @property
    def is_free_threaded(self) -> bool:
        return self.python.endswith("t")

    @property
    def version(self) -> str:
        """The Python's version without a `t`."""
        return self.python.removesuffix("t")

    @property
    def python_tag(self) -> str:
        return "cp" + self.version.replace(".", "")

    @property
    def abi_tag(self) -> str:
        return "cp" + self.python.replace(".", "")

    @property
    def platform_tags(self) -> tuple[str, ...]:
        """Of one wheel; a manylinux wheel has its old name, too."""
        if self.system == "manylinux":
            return (f"manylinux_2_17_{self.machine}", f"manylinux2014_{self.machine}")
        if self.system == "musllinux":
            return (f"musllinux_{MUSL}_{self.machine}",)
        if self.system == "macos":
            return (f"macosx_{MACOS[self.machine]}_{'arm64' if self.machine == 'aarch64' else self.machine}",)
        return ("win_arm64" if self.machine == "aarch64" else "win_amd64",)

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(f"{self.python_tag}-{self.abi_tag}-{platform}" for platform in self.platform_tags)

    @property
    def zig_target(self) -> str:
        abi = {
            "manylinux": f"linux-gnu.{GLIBC}",
            "musllinux": "linux-musl",
            "macos": f"macos.{MACOS[self.machine].replace('_', '.')}-none",
            "windows": "windows-gnu",
        }[self.system]
        return f"{self.machine}-{abi}"

    @property
    def soabi(self) -> str:
        """The part of the module's file name between `_core.` and the suffix of the system.

        None on musl with Python 3.10: CPython began to tell the C libraries apart with 3.11, some distributions before.
        """
        digits = self.python.replace(".", "")
        if self.system == "windows":
            return f"cp{digits}-{self.platform_tags[0]}"
        if self.system == "macos":
            return f"cpython-{digits}-darwin"
        if self.system == "musllinux":
            return "" if self.python == "3.10" else f"cpython-{digits}-{self.machine}-linux-musl"
        return f"cpython-{digits}-{self.machine}-linux-gnu"

    @property
    def cmake_system(self) -> str:
        return {"macos": "Darwin", "windows": "Windows"}.get(self.system, "Linux")


def linux_targets() -> list[Target]:
    """Those of `make wheels`."""
    systems: tuple[System, ...] = ("manylinux", "musllinux")
    return [
        Target(python, system, machine)
        for system in systems
        for machine in ("x86_64", "aarch64")
        for python in (*PYTHONS, *FREE_THREADED_PYTHONS)
    ]


def matching(targets: list[Target], patterns: list[str]) -> list[Target]:
    """Those whose name matches one of the patterns, or all without any pattern.

    Raises ValueError for a pattern that matches none.
    """
    for pattern in patterns:
        if not any(re.search(pattern, str(target)) for target in targets):
            raise ValueError(f"no wheel matches {pattern!r}: one is named {targets[0]}")
    return [target for target in targets if not patterns or any(re.search(p, str(target)) for p in patterns)]
