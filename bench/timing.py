"""Interleaved timing of several rivals on one document."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

from bench.rivals import Call, compiled

Clock = Callable[[], int]
Loop = Callable[[Sequence[object], Clock], int]
"""Calls the rival on each argument and gives the nanoseconds that took."""

CPU_CLOCK: Clock = time.thread_time_ns
"""CPU time of the thread. The calls neither wait nor start threads, so on an idle machine it is wall time; on a shared
one it leaves out the turns of other processes."""
WALL_CLOCK: Clock = time.perf_counter_ns

_LOOP = """
def loop(batch, clock):
    start = clock()
    for value in batch:
        {expression}
    return clock() - start
"""
_KEEPING_LOOP = """
def loop(batch, clock):
    start = clock()
    results = [{expression} for value in batch]
    return clock() - start
"""


@dataclass(frozen=True, kw_only=True)
class Lane:
    """One rival's part in a race."""

    rival: str
    loop: Loop
    batch: Callable[[int], Sequence[object]]
    """Makes n arguments, while the clock is stopped."""
    max_batch: int
    """The number of arguments that stay in the CPU's cache until they are used."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How long to measure."""

    rounds: int = 17
    min_rounds: int = 5
    """The minimum of rounds, even where they exceed the budget."""
    loop_ns: int = 1_000_000
    """The minimum time of the fastest rival's loop in a round."""
    budget_ns: int = 1_500_000_000
    """Time for all rounds of all rivals on one document, by the race's clock; making the arguments is included."""

    def with_rounds(self, rounds: int) -> Settings:
        """These settings with exactly `rounds` rounds, without a limit of time."""
        return replace(self, rounds=rounds, min_rounds=rounds)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Nanoseconds per call, over the rounds."""

    median_ns: float
    p25_ns: float
    p75_ns: float
    best_ns: float

    @property
    def spread(self) -> float:
        """The middle half of the rounds, as a share of the median."""
        return (self.p75_ns - self.p25_ns) / self.median_ns


@dataclass(frozen=True, kw_only=True)
class Race:
    """The result of a race."""

    n_calls: int
    """Calls per round, equal for all rivals."""
    n_rounds: int
    samples: Mapping[str, Sample]


def timed_loop(call: Call, *, keep_results: bool = False) -> Loop:
    """The loop for `call`; with `keep_results` the results are freed after the clock has stopped."""
    loop: Loop = compiled(call, _KEEPING_LOOP if keep_results else _LOOP)["loop"]
    return loop


def called_loop(call: Callable[[Any], object], within: Callable[[], AbstractContextManager[Any]] = nullcontext) -> Loop:
    """The loop for a function, which is entered and left once for all arguments."""

    def loop(batch: Sequence[object], clock: Clock) -> int:
        with within():
            start = clock()
            for value in batch:
                call(value)
            return clock() - start

    return loop


def race(lanes: Sequence[Lane], settings: Settings, clock: Clock, *, with_collector: bool = False) -> Race:
    """Run every lane in every round, each round beginning with another lane.

    There is no automatic garbage collection, unless it is asked for.
    """
    assert lanes
    with nullcontext() if with_collector else _collector_resting():
        estimates = {lane.rival: _estimate_ns(lane, settings, clock) for lane in lanes}
        n_calls = _calls_per_round(estimates.values(), settings.loop_ns)
        ns: dict[str, list[float]] = {lane.rival: [] for lane in lanes}
        n_rounds, started = 0, clock()
        while n_rounds < settings.rounds:
            if n_rounds >= settings.min_rounds and (clock() - started) * (n_rounds + 1) > settings.budget_ns * n_rounds:
                break
            for place in range(len(lanes)):
                lane = lanes[(n_rounds + place) % len(lanes)]
                ns[lane.rival].append(_ns_per_call(lane, n_calls, clock))
            gc.collect()
            n_rounds += 1
    samples = {rival: sample(values) for rival, values in ns.items()}
    return Race(n_calls=n_calls, n_rounds=n_rounds, samples=samples)


def sample(ns: Sequence[float]) -> Sample:
    """Median, quartiles and minimum of `ns`, which is not empty."""
    p25, median, p75 = statistics.quantiles(ns, n=4, method="inclusive") if len(ns) > 1 else [ns[0]] * 3
    return Sample(median_ns=median, p25_ns=p25, p75_ns=p75, best_ns=min(ns))


def _ns_per_call(lane: Lane, n_calls: int, clock: Clock) -> float:
    elapsed_ns, left = 0, n_calls
    while left:
        batch = lane.batch(min(left, lane.max_batch))
        elapsed_ns += lane.loop(batch, clock)
        left -= len(batch)
    return elapsed_ns / n_calls


def _estimate_ns(lane: Lane, settings: Settings, clock: Clock) -> float:
    """The rough cost of a call, from calls for a tenth of a loop's time; they also warm up the caches."""
    n_calls = 1
    _ns_per_call(lane, n_calls, clock)
    while True:
        ns = max(_ns_per_call(lane, n_calls, clock), 1.0)
        if ns * n_calls * 10 >= settings.loop_ns:
            return ns
        n_calls *= 4


def _calls_per_round(estimates_ns: Collection[float], loop_ns: int) -> int:
    for_the_fastest = math.ceil(loop_ns / min(estimates_ns))
    for_the_slowest = math.ceil(20 * loop_ns / max(estimates_ns))  # the slowest must not prolong a round
    return max(1, min(for_the_fastest, for_the_slowest))


@contextmanager
def _collector_resting() -> Iterator[None]:
    was_enabled = gc.isenabled()
    gc.collect()
    gc.freeze()  # collections between the rounds skip the objects that exist now
    gc.disable()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_enabled:
            gc.enable()
