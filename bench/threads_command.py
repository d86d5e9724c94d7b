"""Threads side by side: how many times the work of one thread several threads do, each on data of its own.

    python -m bench threads
    python -m bench threads --threads 4 --rounds 9

With a GIL the answer is about 1. Each thread makes its own objects, encodes and decodes them, and its results are
compared with stdlib's before the clock starts. One thread and several take turns; the lines have the medians.
"""

from __future__ import annotations

import argparse
import dataclasses
import gc
import json
import statistics
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import ssrjson_web
from bench.command_output import say

Work = Callable[[int], None]
"""Makes a number of calls."""


@dataclasses.dataclass
class Row:
    id: int
    name: str
    tags: list[str]


def records(n: int) -> list[dict[str, Any]]:
    """Objects that no other thread refers to. Their strings are new, without a UTF-8 copy."""
    return [
        {
            "id": i,
            "name": f"name {i}",
            "city": "Zürich" * (i % 3 + 1),
            "score": i / 7,
            "tags": [f"t{i % 5}", None, True],
        }
        for i in range(n)
    ]


def _encode(n: int) -> Work:
    rows, encode = records(n), ssrjson_web.Encoder().encode
    assert json.loads(encode(rows)) == rows

    def work(n_calls: int) -> None:
        for _ in range(n_calls):
            encode(rows)

    return work


def _decode(n: int) -> Work:
    rows, decode = records(n), ssrjson_web.Decoder().decode
    text = json.dumps(rows, ensure_ascii=False).encode()
    assert decode(text) == rows

    def work(n_calls: int) -> None:
        for _ in range(n_calls):
            decode(text)

    return work


def _encode_models(n: int) -> Work:
    rows = [Row(i, f"name {i}", [f"t{i % 5}"]) for i in range(n)]
    encode = ssrjson_web.Encoder(natives=True).encode
    assert json.loads(encode(rows)) == [dataclasses.asdict(row) for row in rows]

    def work(n_calls: int) -> None:
        for _ in range(n_calls):
            encode(rows)

    return work


def _spin(n: int) -> Work:
    """No library: what the machine and the interpreter give."""

    def work(n_calls: int) -> None:
        for _ in range(n_calls):
            total = 0
            for i in range(n * 20):
                total += i

    return work


CASES: dict[str, Callable[[], Work]] = {
    "Python alone": lambda: _spin(100),
    "encode 1 object": lambda: _encode(1),
    "encode 100 objects": lambda: _encode(100),
    "encode 100 dataclasses": lambda: _encode_models(100),
    "decode 1 object": lambda: _decode(1),
    "decode 100 objects": lambda: _decode(100),
}


def _elapsed(make: Callable[[], Work], n_threads: int, n_calls: int) -> float:
    """Seconds in which n threads make n_calls each."""
    ready = threading.Barrier(n_threads + 1)
    done = threading.Barrier(n_threads + 1)

    def run() -> None:
        work = make()
        work(max(1, n_calls // 20))  # plans and shapes are learnt
        ready.wait()
        work(n_calls)
        done.wait()

    threads = [threading.Thread(target=run) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    ready.wait()
    started = time.perf_counter()
    done.wait()
    elapsed = time.perf_counter() - started
    for thread in threads:
        thread.join()
    return elapsed


def speed_up(make: Callable[[], Work], n_threads: int, rounds: int, loop_s: float) -> tuple[float, float]:
    """Microseconds of a call in one thread, and how many times its work n threads do: medians over the rounds."""
    n_calls = 1
    while (alone := _elapsed(make, 1, n_calls)) < loop_s:
        n_calls = max(2 * n_calls, int(n_calls * loop_s / max(alone, 1e-6)))
    singles, ratios = [], []
    for _ in range(rounds):
        alone = _elapsed(make, 1, n_calls)
        singles.append(alone / n_calls * 1e6)
        ratios.append(n_threads * alone / _elapsed(make, n_threads, n_calls))
    return statistics.median(singles), statistics.median(ratios)


def _start(options: argparse.Namespace) -> int:
    is_gil_on = getattr(sys, "_is_gil_enabled", lambda: True)()
    say(f"Python {sys.version.split()[0]} {'with' if is_gil_on else 'without'} the GIL, {options.threads} threads")
    gc.disable()
    try:
        for name, make in CASES.items():
            one, ratio = speed_up(make, options.threads, options.rounds, options.seconds)
            say(f"{name}: {one:.1f} us a call, x{ratio:.2f}")
    finally:
        gc.enable()
    return 0


def add_command(commands: Any) -> None:
    """Adds `threads` to an `argparse` subparsers object."""
    made = commands.add_parser("threads", help="work of several threads beside that of one")
    made.add_argument("--threads", type=int, default=2, metavar="N", help="default 2")
    made.add_argument("--rounds", type=int, default=7, metavar="N", help="default 7")
    made.add_argument("--seconds", type=float, default=0.2, metavar="S", help="of one thread in a round; default 0.2")
    made.set_defaults(start=_start)
