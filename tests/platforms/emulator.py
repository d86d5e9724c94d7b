"""qemu in user mode, which runs programs of other CPUs without a virtual machine and without root rights."""

from __future__ import annotations

from pathlib import Path

from platforms.debian import fetch_root, locked, native_architecture

__all__ = ["fetch_qemu"]

SUITE = "trixie"
KEPT = ("aarch64", "loongarch64", "riscv64", "x86_64")
"""The CPUs that are kept of thirty."""


def fetch_qemu(machine: str) -> Path:
    """The program `qemu-<machine>` of qemu 10: one file without libraries. Raises PlatformError."""
    with locked():
        folder = fetch_root(
            "qemu",
            suite=SUITE,
            architecture=native_architecture(),
            packages=("qemu-user",),
            with_dependencies=False,
            adapt=_keep_few,
            version=1,
        )
    return folder / "usr" / "bin" / f"qemu-{machine}"


def _keep_few(folder: Path) -> None:
    for program in (folder / "usr" / "bin").iterdir():
        if program.name.removeprefix("qemu-") not in KEPT:
            program.unlink()
