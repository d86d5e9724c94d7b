"""A snippet of Python in a fresh interpreter."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

LIMIT = "import resource; resource.setrlimit(resource.RLIMIT_AS, ({0}, {0}))"


def run_python(
    snippet: str, folder: Path, *, max_gib: int | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The snippet's exit code and output; beyond `max_gib` of memory it gets a MemoryError.

    `folder` is the working folder: not the checkout, whose `ssrjson_web/` would hide the installed one.
    SSRJSON_ISA is not inherited. Sanitizers' and coverage's variables are.
    """
    variables = {name: value for name, value in os.environ.items() if name != "SSRJSON_ISA"} | environment
    snippet = textwrap.dedent(snippet)
    if max_gib is not None and "asan" in os.environ.get("LD_PRELOAD", ""):
        # AddressSanitizer reserves far more address space than it uses; its limit on all memory acts late
        mib = max_gib * 1024
        options = f"soft_rss_limit_mb={mib}:max_allocation_size_mb={mib}:allocator_may_return_null=1:detect_leaks=0"
        variables["ASAN_OPTIONS"] = options
    elif max_gib is not None:
        # a free-threaded interpreter reserves address space for the heaps of its threads
        reserved = 8 if sysconfig.get_config_var("Py_GIL_DISABLED") else 0
        snippet = f"{LIMIT.format((max_gib + reserved) << 30)}\n{snippet}"
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-c", snippet],
        cwd=folder,
        env=variables,
        capture_output=True,
        encoding="utf-8",
        errors="backslashreplace",
        timeout=300,
    )
