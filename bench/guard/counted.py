"""The program that runs under callgrind: `python -m bench.guard.counted NAME...` makes the calls of these names."""

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
from bench.guard.calls import all_calls
from bench.guard.guarded import GuardedCall

SAMPLES = 4
"""Number of counts of each call. Each has its own document: addresses decide how well CPython's caches work."""


def repeat(call: Callable[[Any], object], argument: object, rounds: int) -> None:
    """The code that is counted, the loop included."""
    for _ in range(rounds):
        call(argument)


def main(names: Sequence[str]) -> int:
    """The exit status. Each call is counted in a child, so that no figure depends on the calls before it."""
    Counter()  # it should raise here rather than in a child
    gc.disable()  # a collection at any time would change the count
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
    """Has callgrind write the counts of the call to files, all under its name."""
    counter = Counter()
    subjects = [each.make() for _ in range(SAMPLES)]  # all kept alive, so that each has its own address
    counter.start()
    for call, argument in subjects:
        repeat(call, argument, each.warm_ups)
        counter.zero()
        repeat(call, argument, each.rounds)
        counter.write(each.name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
