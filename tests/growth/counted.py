"""The program that callgrind watches: `python -m growth.counted PATTERN ...` makes calls by name."""

from __future__ import annotations

import fnmatch
import gc
import sys

from bench.guard.callgrind import Counter
from growth.entries import calls

SMALLEST = 4_000
"""Units of the smallest document. With this number, work that grows too fast takes most of the instructions."""
TIMES = (1, 2, 4)


def main(patterns: list[str]) -> None:
    counter = Counter()
    gc.disable()
    counter.start()
    for times in TIMES:
        for name, call in calls(SMALLEST * times).items():
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
                counter.zero()
                call()
                counter.write(f"{name}|{times}")


if __name__ == "__main__":
    main(sys.argv[1:])
