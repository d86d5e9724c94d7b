"""The machine and the software that a figure depends on: the head of every report."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path

import ssrjson_web

__all__ = ["LEVELS", "commit_of", "cpu_model", "describe_machine", "installed_versions", "python_build", "utc_now"]

LEVELS = ("portable", "sse4.2", "avx2", "avx512", "neon")
"""Instruction-set levels, slowest first; neon is the only one of its architecture."""


def describe_machine(versions: Mapping[str, str], *, sources: Path) -> dict[str, str]:
    """CPU, level in use, compiler, Python, date, load, the commit of `sources`, and the versions that are given."""
    features = ssrjson_web.get_current_features()
    return {
        "cpu": f"{cpu_model()}, {os.cpu_count()} cores",
        "level": features["level"],
        "best level": max(features["levels"], key=LEVELS.index),
        "compiler": features["compiler"],
        "python": f"{python_build()} ({platform.python_compiler()})",
        "libraries": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "commit": commit_of(sources),
        "date": utc_now(),
        "load": f"{os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else "unknown",
        "note": "shared machine: ratios, not absolute times",
    }


def python_build() -> str:
    """Implementation and version; `free-threaded` where it is."""
    build = " free-threaded" if ssrjson_web.get_current_features()["free_threading"] else ""
    return f"{platform.python_implementation()} {platform.python_version()}{build}"


def utc_now() -> str:
    """Date and time to the minute."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")


def cpu_model() -> str:
    """The CPU's name, if the system has it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.lower().startswith(("model name", "hardware")):
                return " ".join(line.split(":", 1)[1].split())
    except OSError:
        pass
    return platform.processor() or platform.machine()


def installed_versions(packages: Iterable[str]) -> dict[str, str]:
    """The version of each package that is installed."""
    versions = {}
    for package in packages:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return versions


def commit_of(sources: Path) -> str:
    """The commit of a working tree, `with changes` where files differ from it; `none` where there is no git."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(sources), *arguments], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        return git("rev-parse", "--short", "HEAD") + (" with changes" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return "none"
