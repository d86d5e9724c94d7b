"""zig of PyPI's wheel `ziglang`, whose `zig cc` is a Clang with the C libraries of many targets."""

from __future__ import annotations

import os
import re
from pathlib import Path

from platforms.debian import BUILD
from platforms.pypi import fetch_packages

__all__ = ["fetch_zig", "zig_environment"]

BACKEND = BUILD.parents[1] / "build_backend" / "ssrjson_build.py"


def fetch_zig() -> Path:
    """The program `zig`, of the release that the build uses. The caller holds `locked()`. Raises PlatformError."""
    (wanted,) = re.findall(r'^ZIGLANG = "(.*)"', BACKEND.read_text("utf-8"), re.MULTILINE)
    return fetch_packages("zig", wanted, size="100 MB") / "ziglang" / "zig"


def zig_environment() -> dict[str, str]:
    """This environment, with zig's cache inside `build/platforms/`."""
    return {
        **os.environ,
        "ZIG_GLOBAL_CACHE_DIR": str(BUILD / "zig-cache"),
        "ZIG_LOCAL_CACHE_DIR": str(BUILD / "zig-cache"),
    }
