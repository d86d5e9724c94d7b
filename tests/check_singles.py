"""Compare float32="shortest" with orjson and numpy, as `make check-singles ARGS='...'` does.

Each finite float of 32 bits is written by ours and by orjson, whose digits are the shortest too, and the two texts must
be of the same doubles. Each one of 16 bits must have the digits that numpy gives it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import islice

_PROGRAM = "python tests/check_singles.py"

try:
    import numpy as np
    import orjson

    from ssrjson_web import _core
    from ssrjson_web._cli.command_line import Parser, run_command
except ImportError as error:
    if __name__ != "__main__":
        raise
    sys.exit(f"{_PROGRAM}: error: {error}")

BATCH = 1 << 18
"""Patterns of bits in a batch: 2**32 of them are 2**14 batches."""
N_BATCHES = 2**32 // BATCH
N_SHOWN = 10


def written(numbers: object) -> bytes:
    return _core.dumps_to_bytes(numbers, numpy=True, float32="shortest")


def wrong_halves() -> list[str]:
    """The floats of 16 bits whose digits are not those of numpy."""
    halves = np.arange(2**16, dtype="u2").view("f2")
    halves = halves[np.isfinite(halves)]
    texts = written(halves)[1:-1].decode().split(",")
    expected = [repr(float(np.format_float_scientific(half, unique=True))) for half in halves]
    return [
        f"{half!r}: expected {right}, got {got}"
        for half, right, got in zip(halves, expected, texts, strict=True)
        if right != got
    ]


def wrong_singles(batch: int) -> list[str]:
    """The floats of 32 bits in one batch whose text is of another double than that of orjson."""
    first = batch * BATCH
    singles = np.arange(first, first + BATCH, dtype=np.int64).astype("u4").view("f4")
    singles = np.ascontiguousarray(singles[np.isfinite(singles)])
    if not singles.size:
        return []
    ours = written(singles)
    theirs = orjson.dumps(singles, option=orjson.OPT_SERIALIZE_NUMPY)
    got, expected = (np.array(orjson.loads(text)) for text in (ours, theirs))
    differ = np.flatnonzero(got.view("i8") != expected.view("i8"))
    return [f"{singles[i]!r}: expected {expected[i]!r}, got {got[i]!r}" for i in differ[:N_SHOWN]]


def check(batches: Sequence[int], n_processes: int) -> list[str]:
    """The first differences in these batches, and among the floats of 16 bits."""
    found = wrong_halves()
    started = shown = time.monotonic()
    n_done = 0
    # only the parent handles Ctrl-C: children would print their own tracebacks
    executor = ProcessPoolExecutor(n_processes, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    try:
        waiting = iter(batches)
        running = {executor.submit(wrong_singles, batch) for batch in islice(waiting, 2 * n_processes)}
        while running and not found:
            finished = next(as_completed(running))
            running.remove(finished)
            found += finished.result()
            n_done += 1
            running |= {executor.submit(wrong_singles, batch) for batch in islice(waiting, 1)}
            if time.monotonic() - shown >= 5:
                shown = time.monotonic()
                text = f"{n_done / len(batches):.0%}, {shown - started:.0f} s, no difference so far"
                print(text, file=sys.stderr, flush=True)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)
    return found


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 0 where all are right, 1 where not. Ctrl-C: KeyboardInterrupt."""
    parser = Parser(prog=_PROGRAM, description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each Nth batch of 2**18, default 1")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)), metavar="N")
    options = parser.parse_args(arguments)
    for name in ("every", "processes"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: not 1 or more")
    batches = range(0, N_BATCHES, options.every)
    found = check(batches, options.processes)
    for difference in found:
        print(difference)
    what = f"{len(batches) * BATCH:,} patterns of 32 bits and all of 16"
    print(f"{what}: {'some are wrong' if found else 'each finite one has its shortest digits'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(run_command(main, program=_PROGRAM))
