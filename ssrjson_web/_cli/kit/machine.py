"""What a figure depends on beside the code: the head of every report."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path

from bench.source_tree import ROOT

LEVELS = ("portable", "sse4.2", "avx2", "avx512", "neon")
"""Instruction-set levels, slowest first; neon stands alone on its architecture."""


def describe_machine(versions: Mapping[str, str]) -> dict[str, str]:
    """CPU, level in use, compiler, Python, versions of the rivals (given), date, commit and load."""
    return {
        "cpu": f"{_cpu_model()}, {os.cpu_count()} cores",
        **_our_features(),
        "python": f"{platform.python_implementation()} {platform.python_version()} ({platform.python_compiler()})",
        "libraries": ", ".join(f"{name} {version}" for name, version in versions.items()),
        "commit": _commit(),
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "load": f"{os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else "unknown",
        "note": "shared machine: ratios, not absolute times",
    }


def _our_features() -> dict[str, str]:
    try:
        from ssrjson_web import get_current_features
    except ImportError:
        return {}
    features = get_current_features()
    return {
        "level": features["level"],
        "best level": max(features["levels"], key=LEVELS.index),
        "compiler": features["compiler"],
    }


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _commit() -> str:
    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True
        ).stdout.strip()

    try:
        return git("rev-parse", "--short", "HEAD") + (" with changes" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return "none"
