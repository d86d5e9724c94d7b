"""Compare float32="shortest" with orjson and numpy, as `make check-singles ARGS='...'` does.

Each finite float of 32 bits is written by ours and by orjson, whose digits are the shortest too, and the two texts must
be of the same doubles. Each one of 16 bits must have the digits that numpy gives it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import closing

_PROGRAM = "python tests/check_singles.py"

try:
    import numpy as np
    import orjson
    from helpers.checks import in_processes, one_or_more, status_of

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
    n_done = 0

    def said() -> str:
        return f"{n_done / len(batches):.0%}, no difference so far"

    cases = ((batch,) for batch in batches)
    with closing(in_processes(wrong_singles, cases, n_processes=n_processes, said=said)) as results:
        while not found and n_done < len(batches):
            found += next(results)
            n_done += 1
    return found


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 0 where all are right, 1 where not. Ctrl-C: KeyboardInterrupt."""
    parser = Parser(prog=_PROGRAM, description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--every", type=one_or_more, default=1, metavar="N", help="only each Nth batch of 2**18, default 1"
    )
    parser.add_argument("--processes", type=one_or_more, default=len(os.sched_getaffinity(0)), metavar="N")
    options = parser.parse_args(arguments)
    batches = range(0, N_BATCHES, options.every)
    found = check(batches, options.processes)
    what = f"{len(batches) * BATCH:,} patterns of 32 bits and all of 16"
    return status_of(found, f"{what}: {'some are wrong' if found else 'each finite one has its shortest digits'}")


if __name__ == "__main__":
    sys.exit(run_command(main, program=_PROGRAM))
