"""The program that callgrind watches: `python -m bench.guard.counted NAME...` makes the calls of these names."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from bench.source_tree import prefer_installed_packages

if __name__ == "__main__":
    prefer_installed_packages()

from bench.guard.callgrind import Counter
from bench.guard.calls import GuardedCall, all_calls

WARM_UPS = 3
"""Calls before the count: caches of keys, shapes and plans are full then."""
SAMPLES = 4
"""Counts of each call, every one on a document of its own: CPython's caches by address favour one or the other."""


def repeat(call: Callable[[Any], object], argument: object, rounds: int) -> None:
    """What is counted, the loop included."""
    for _ in range(rounds):
        call(argument)


def main(names: Sequence[str]) -> int:
    """The exit status. Each call is counted in a child, so that no figure depends on the calls before it."""
    Counter()  # better here than in a child
    gc.disable()  # it would run when it likes
    gc.freeze()
    for each in all_calls():
        if each.name in names:
            child = os.fork()
            if not child:
                try:
                    sample(each)
                    os._exit(0)
                finally:
                    sys.excepthook(*sys.exc_info())
                    os._exit(1)
            if os.waitpid(child, 0)[1]:
                return 1
    return 0


def sample(each: GuardedCall) -> None:
    """Has callgrind write the counts of the call down, all under its name."""
    counter = Counter()
    subjects = [each.make() for _ in range(SAMPLES)]  # all kept, so that each lies elsewhere
    counter.start()
    for call, argument in subjects:
        repeat(call, argument, WARM_UPS)
        counter.zero()
        repeat(call, argument, each.rounds)
        counter.write(each.name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
