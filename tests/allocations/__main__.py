"""`make test-allocations`: fail each allocation of each call, one after the other.

Each time there must be a MemoryError or the right outcome, and nothing may leak. A call takes a process of
its own, so that one that crashes does not hide the others.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import gc
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ssrjson_web import _core

ENOUGH_PASSES = 12
"""Calls in a row that do not fail: then the number is beyond that of their allocations."""
MAX_POINTS = 4000


class Failing:
    """Allocators of which one request fails, out of the library that is built for this."""

    slack = 0

    def __init__(self, library: Path) -> None:
        loaded = ctypes.PyDLL(str(library))
        for function in (loaded.failing_start, loaded.failing_disarm, loaded.failing_stop):
            function.restype = None
        loaded.failing_start.argtypes = [ctypes.c_long, ctypes.c_long]
        loaded.failing_n_live.restype = ctypes.c_long
        self.start: Callable[[int, int], None] = loaded.failing_start
        self.disarm: Callable[[], None] = loaded.failing_disarm
        self.stop: Callable[[], None] = loaded.failing_stop
        self.n_live: Callable[[], int] = loaded.failing_n_live


class CPythonsOwn:
    """CPython's own, where it was built with them; small blocks only are counted, and the counting makes some."""

    slack = 2 if sys.version_info < (3, 15) else 5

    def __init__(self) -> None:
        import _testcapi

        self.set = _testcapi.set_nomemory
        self.disarm: Callable[[], None] = _testcapi.remove_mem_hooks
        self.n_before = 0

    def start(self, at: int, until: int) -> None:
        self.n_before = sys.getallocatedblocks()
        self.set(at, until)

    def stop(self) -> None:
        self.disarm()

    def n_live(self) -> int:
        return sys.getallocatedblocks() - self.n_before


FAILED = ("MemoryError",)

LOST = re.compile(
    r"error return without exception set|<function \w+ at 0x\w+> returned NULL without setting an exception"
)
"""The SystemError of CPython's interpreter loop where it has no memory for a traceback, or none for this text; an
extension that forgets its exception gets another text: it has built-in functions and methods."""

KEPT_BY_CPYTHON = {
    "dumps of a new class",
    "json.dump",
    "json.dumps with options",
    "json.JSONEncoder",
    "json.JSONEncoder.iterencode",
    "json.JSONDecoder",
    "json.JSONDecoder.raw_decode",
}
"""Calls that make a class, a function with a closure, or an encoder or a scanner of stdlib's: CPython 3.11 leaks where
making one of these fails."""


def attempt(call: Callable[[], Any]) -> Any:
    """The call's value, its error in a list, or FAILED."""
    try:
        return call()
    except MemoryError:
        return FAILED
    except SystemError as error:
        if LOST.fullmatch(str(error)) is None:
            raise
        return FAILED
    except Exception as error:
        if sys.version_info < (3, 11) and not str(error):
            return FAILED  # CPython 3.10 raises an error without the text that it has no memory for
        return [type(error), str(error), "raised"]


def text_of(outcome: Any) -> str:
    return repr(outcome)


class Check:
    """One call."""

    def __init__(self, call: Callable[[], Any], failing: Failing | CPythonsOwn) -> None:
        self.call = call
        self.failing = failing
        self.expected = self.outcome()
        assert self.expected == self.outcome(), "each call gives another outcome"

    def outcome(self) -> str:
        return text_of(attempt(self.call))

    def attempt_at(self, n: int) -> tuple[bool, int]:
        """Whether the call failed with allocation n failing; the blocks that it left."""
        failing = self.failing
        failing.start(n, n + 1)
        try:
            outcome = attempt(self.call)
        except MemoryError:  # while an error's text was made
            outcome = FAILED
        failing.disarm()
        has_failed = outcome is FAILED
        got = self.expected if has_failed else text_of(outcome)
        del outcome
        is_right = got == self.expected
        if is_right:
            del got
        n_live = failing.n_live()
        failing.stop()
        if not is_right:
            raise AssertionError(f"allocation {n}: {got:.300} instead of {self.expected:.300}")
        return has_failed, n_live

    def growth(self, n: int) -> int:
        """Blocks that are left after the call; what Python itself keeps, it keeps once or gives back."""
        least = sys.maxsize
        for _ in range(8):
            least = min(least, self.attempt_at(n)[1])
            if least <= self.failing.slack:
                return 0
        return least

    def run(self, *, keeps_blocks: bool = False) -> int:
        """The number of allocations that failed."""
        n = n_passes = n_failures = 0
        while n_passes < ENOUGH_PASSES and n < MAX_POINTS:
            has_failed, _ = self.attempt_at(n)
            n_failures += has_failed
            n_passes = 0 if has_failed else n_passes + 1
            growth = 0 if keeps_blocks else self.growth(n)
            assert growth == 0, f"allocation {n}: {growth} blocks are left each time"
            assert self.outcome() == self.expected, f"after allocation {n} had failed"
            n += 1
        return n_failures


def run_here(names: list[str], library: Path | None) -> dict[str, Any]:
    """What came of each call, in this process: the number of failures, or what was wrong."""
    from allocations.calls import calls

    failing = CPythonsOwn() if library is None else Failing(library)
    known = calls()
    gc.collect()
    gc.disable()  # objects of a cycle would go at any time
    results: dict[str, Any] = {}
    for name in names:
        print(name, file=sys.stderr, flush=True)
        try:
            results[name] = Check(known[name], failing).run(keeps_blocks=name in KEPT_BY_CPYTHON)
        except Exception as error:
            failing.stop()
            results[name] = f"{type(error).__name__}: {error}"
    return results


def run_apart(names: list[str], level: str, library: Path | None) -> dict[str, Any]:
    """As `run_here`, in a process at the level; a call that ends it is named, and the others go on."""
    results: dict[str, Any] = {}
    left = list(names)
    while left:
        done = subprocess.run(
            [sys.executable, "-m", "allocations", "--here", str(library or ""), *left],
            env=os.environ | {"SSRJSON_ISA": level, "PYTHONPATH": str(Path(__file__).parent.parent)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return results | json.loads(done.stdout)
        begun = [line for line in done.stderr.splitlines() if line in left]
        if not begun:
            raise SystemExit(done.stderr)
        results[begun[-1]] = f"exit code {done.returncode}: {done.stderr[-2000:]}"
        finished, left = left[: len(begun) - 1], left[len(begun) :]
        if finished:
            results |= run_apart(finished, level, library)
    return results


def main() -> int:
    if sys.argv[1:2] == ["--here"]:
        faulthandler.enable()
        print(json.dumps(run_here(sys.argv[3:], Path(sys.argv[2]) if sys.argv[2] else None)))
        return 0
    from allocations.calls import calls

    levels = _core.get_current_features()["levels"]
    parser = argparse.ArgumentParser(prog="make test-allocations", description=__doc__)
    parser.add_argument("--library", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--level", nargs="+", choices=levels, default=levels)
    parser.add_argument("--match", default="", help="calls whose names hold this text")
    arguments = parser.parse_args()
    names = [name for name in calls() if arguments.match in name]
    n_wrong = 0
    for level in arguments.level:
        results = run_apart(names, level, arguments.library)
        wrong = {name: result for name, result in results.items() if not isinstance(result, int)}
        n_failures = sum(result for result in results.values() if isinstance(result, int))
        print(f"{level}: {len(results)} calls, {n_failures:,} allocations failed, {len(wrong)} calls wrong", flush=True)
        for name, result in wrong.items():
            print(f"   {name}: {result}")
        n_wrong += len(wrong)
    return int(n_wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
