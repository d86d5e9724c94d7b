"""What builds of CPython differ in."""

from __future__ import annotations

import functools
import subprocess
import sys

from ssrjson_web import get_current_features

__all__ = ["CLASSES_ARE_IMMORTAL", "IS_FREE_THREADED", "crashes_without_memory"]

IS_FREE_THREADED = bool(get_current_features()["free_threading"])

CLASSES_ARE_IMMORTAL = IS_FREE_THREADED and sys.version_info < (3, 14)
"""CPython 3.13 never frees classes and functions of modules, once it has started a thread without the GIL."""

WITHOUT_MEMORY = """
import _testcapi

def inner():
    def function():
        return inner
    return function

for call in (inner, lambda: tuple(n for n in range(3))):
    for n in range(40):
        _testcapi.set_nomemory(n, n + 1)
        try:
            call()
        except MemoryError:
            pass
        finally:
            _testcapi.remove_mem_hooks()
"""


@functools.cache
def crashes_without_memory() -> bool:
    """Whether CPython crashes by itself without memory for a function or a generator's tuple: 3.12.1, 3.13.0."""
    return subprocess.run([sys.executable, "-c", WITHOUT_MEMORY], capture_output=True, check=False).returncode < 0
