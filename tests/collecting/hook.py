"""The stubs of a build with SSRJSON_COLLECTING: a function that they run at each call, or at a chosen one."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ssrjson_web import _core

__all__ = ["API", "Hook", "collect_at_each_call", "kinds_of_functions"]

API = Path(__file__).parents[2] / "core/pyobject/c_api.txt"
ALL = (0, 2**62)


class Hook:
    """Runs a function before the core's calls of what may run Python code (c_api.txt), in this thread."""

    def __init__(self) -> None:
        try:
            module = ctypes.PyDLL(_core.__file__)
            self._start = module.collecting_start
        except AttributeError:
            raise SystemExit("this core has no stubs: `make test-collections` builds one that has") from None
        self._start.argtypes = [ctypes.py_object, ctypes.c_long, ctypes.c_long]
        self._start.restype = None
        self._stop = module.collecting_stop
        self._stop.restype = ctypes.c_long
        self._last = module.collecting_last_call
        self._last.restype = ctypes.c_char_p

    def start(self, function: Callable[[], object], first: int, last: int) -> None:
        """Run the function at the calls `first` <= n < `last` from now on."""
        self._start(function, first, last)

    def stop(self) -> int:
        """The number of calls since the start."""
        n_calls: int = self._stop()
        return n_calls

    def last_call(self) -> str:
        """The function of the API before which the last run took place."""
        name: bytes = self._last()
        return name.decode()


def collect_at_each_call() -> None:
    """Collect garbage at each call from now on: what the process has by now is left out."""
    gc.collect()
    gc.freeze()
    # no function of Python's: it would run handlers of signals, and what they raise would be lost here
    Hook().start(partial(gc.collect, 0), *ALL)


def kinds_of_functions() -> dict[str, str]:
    """What each function of the API may run, by its name."""
    kinds = {}
    for line in API.read_text("utf-8").splitlines():
        kind, *names = line.split() or ["#"]
        if kind != "#":
            kinds.update(dict.fromkeys(names, kind))
    return kinds
