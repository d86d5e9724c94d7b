"""Threads that call until they are stopped."""

from __future__ import annotations

import random
import sys
import threading
import traceback
from collections.abc import Sequence

from threads.calls import READERS, WRITERS, Call
from threads.shared import Shared


def call_at_once(
    shared: Shared, names: Sequence[str], *, n_readers: int, n_writers: int, seed: int = 0, n_rounds: int | None = None
) -> int:
    """The number of calls that were made until `shared.stop` is set, or each reader has made `n_rounds`.

    What went wrong is in `shared.failures`.
    """
    counts = [0] * n_readers
    begin = threading.Barrier(n_readers + n_writers)

    def call(made: Call, rng: random.Random) -> None:
        try:
            made(shared, rng)
        except BaseException:
            shared.check(False, traceback.format_exc())

    def read(number: int) -> None:
        rng = random.Random(seed * 1000 + number)
        begin.wait()
        while not shared.stop.is_set() and (n_rounds is None or counts[number] < n_rounds):
            call(READERS[rng.choice(names)], rng)
            counts[number] += 1

    def write(number: int) -> None:
        rng = random.Random(seed * 1000 + 500 + number)
        written = list(WRITERS.values())
        begin.wait()
        while not shared.stop.is_set():
            call(rng.choice(written), rng)

    readers = [threading.Thread(target=read, args=(number,), daemon=True) for number in range(n_readers)]
    writers = [threading.Thread(target=write, args=(number,), daemon=True) for number in range(n_writers)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # with the GIL: more turns
    try:
        for thread in readers + writers:
            thread.start()
        for thread in readers:
            thread.join()
        shared.stop.set()
        for thread in writers:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    return sum(counts)
