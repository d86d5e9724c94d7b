"""Threads side by side: what several threads do in the time of one, and what a call takes with the GIL and without.

    python3.13t -m bench threads
    python3.13t -m bench threads --threads 4 --cases '*FastAPI*'
    python3.13 -m bench threads --save with-gil.json
    python3.13t -m bench threads --beside with-gil.json

Each thread makes its own objects; what servers share, such as encoders, applications and schemas, the threads share.
Results are compared with those of the standard library, or of the framework alone, before the clock starts. One thread
and several take turns; the lines have the fastest of the rounds. With a GIL several threads do what one does.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from bench.command_output import say
from bench.threads.cases import CASES, Work


@dataclass(frozen=True, kw_only=True)
class Round:
    """What some threads took for their calls."""

    elapsed_s: float
    cpu_s: float
    """Of all threads together."""
    n_waits: int
    """How often a thread has given up the CPU by itself, as it does for a lock that another one has."""

    def best(self, other: Round) -> Round:
        return Round(
            elapsed_s=min(self.elapsed_s, other.elapsed_s),
            cpu_s=min(self.cpu_s, other.cpu_s),
            n_waits=min(self.n_waits, other.n_waits),
        )


def time_threads(make: Callable[[], Work], n_threads: int, n_calls: int) -> Round:
    """What n threads take that make `n_calls` each. An error in one of them is raised."""
    ready = threading.Barrier(n_threads)
    # by the threads' own clocks: a thread that only watches them may get a CPU long after they have started
    started, ended = [0.0] * n_threads, [0.0] * n_threads
    cpu_s, n_waits = [0.0] * n_threads, [0] * n_threads
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            work = make()
            work(max(5, n_calls // 20))  # plans and shapes are learnt
            ready.wait()
            waits, cpu = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw, time.thread_time()
            started[number] = time.perf_counter()
            work(n_calls)
            ended[number] = time.perf_counter()
            cpu_s[number] = time.thread_time() - cpu
            n_waits[number] = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw - waits
        except BaseException as error:
            errors.append(error)
            ready.abort()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in errors:
        if not isinstance(error, threading.BrokenBarrierError):
            raise error
    return Round(elapsed_s=max(ended) - min(started), cpu_s=sum(cpu_s), n_waits=sum(n_waits))


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Of one case."""

    call_us: float
    """CPU time of a call in one thread."""
    speed_up: float
    """How many times the work of one thread several do, by the clock."""
    cpu_ratio: float
    """CPU time of a call among several threads, beside that in one."""
    waits_per_1000: float
    """Of calls of several threads."""


class Case:
    """Work that is timed in rounds: in one thread, and in several."""

    def __init__(self, make: Callable[[], Work], n_threads: int, loop_s: float) -> None:
        self._make = make
        self._n_threads = n_threads
        self._n_calls = 1
        while (alone := time_threads(make, 1, self._n_calls)).elapsed_s < loop_s:
            wanted = int(self._n_calls * loop_s / max(alone.elapsed_s, 1e-6))
            self._n_calls = min(max(2 * self._n_calls, wanted), 10 * self._n_calls)
        self._alone = alone
        self._several = time_threads(make, n_threads, self._n_calls)

    def add_round(self) -> None:
        self._alone = self._alone.best(time_threads(self._make, 1, self._n_calls))
        self._several = self._several.best(time_threads(self._make, self._n_threads, self._n_calls))

    def figures(self) -> Figures:
        """Of the fastest rounds."""
        alone, several = self._alone, self._several
        return Figures(
            call_us=alone.cpu_s / self._n_calls * 1e6,
            speed_up=self._n_threads * alone.elapsed_s / several.elapsed_s,
            cpu_ratio=several.cpu_s / self._n_threads / alone.cpu_s,
            waits_per_1000=several.n_waits / self._n_threads / self._n_calls * 1000,
        )


def _timed(options: argparse.Namespace) -> dict[str, Figures]:
    """What each case takes. A round is of all cases, so that a minute in which the machine is busy spoils none."""
    cases: dict[str, Case] = {}
    for name, make in CASES.items():
        if fnmatchcase(name, options.cases):
            try:
                cases[name] = Case(make, options.threads, options.seconds)
            except ModuleNotFoundError as error:
                say(f"{name}: {error.name} is not installed")
    for number in range(2, options.rounds + 1):
        say(f"round {number} of {options.rounds}")
        for case in cases.values():
            case.add_round()
    return {name: case.figures() for name, case in cases.items()}


def _start(options: argparse.Namespace) -> int:
    is_gil_on = getattr(sys, "_is_gil_enabled", lambda: True)()
    beside = json.loads(options.beside.read_text("utf-8")) if options.beside else {}
    say(f"Python {sys.version.split()[0]} {'with' if is_gil_on else 'without'} the GIL, {options.threads} threads")
    gc.disable()
    try:
        found = _timed(options)
    finally:
        gc.enable()
    for name, figures in found.items():
        ratio = f", {beside[name] / figures.call_us:.2f} of the other's speed" if name in beside else ""
        say(
            f"{name}: {figures.call_us:.1f} us a call{ratio}; {options.threads} threads x{figures.speed_up:.2f}, "
            f"CPU of a call x{figures.cpu_ratio:.2f}, {figures.waits_per_1000:.2f} waits in 1000 calls"
        )
    if options.save:
        calls = {name: figures.call_us for name, figures in found.items()}
        options.save.write_text(json.dumps(calls, indent=1), "utf-8")
    return 0


def add_command(commands: Any) -> None:
    """Adds `threads` to an `argparse` subparsers object."""
    made = commands.add_parser("threads", help="work of several threads beside that of one")
    made.add_argument("--threads", type=int, default=2, metavar="N", help="default 2")
    made.add_argument("--rounds", type=int, default=7, metavar="N", help="default 7")
    made.add_argument("--seconds", type=float, default=0.2, metavar="S", help="of one thread in a round; default 0.2")
    made.add_argument("--cases", default="*", metavar="GLOB", help="names of cases; all by default")
    made.add_argument("--save", type=Path, metavar="FILE", help="write what a call takes in one thread")
    made.add_argument("--beside", type=Path, metavar="FILE", help="what --save of another Python has written")
    made.set_defaults(start=_start)
