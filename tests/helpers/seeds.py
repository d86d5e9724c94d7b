"""Seeds of random cases, checked one after another until the time is over."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from helpers.processes import ctrl_c_noted

__all__ = ["check_seeds", "positive"]

_SHOWN_EVERY_S = 5


def positive(text: str) -> float:
    """The number above 0 that an option gives; argparse says what is wrong with another text."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: not a number") from None
    if not 0 < number < 1e9:
        raise argparse.ArgumentTypeError(f"{text}: not above 0")
    return number


def check_seeds(first: int, *, seconds: float, check: Callable[[int], bool], said: Callable[[], object]) -> int:
    """The seed after the last one that was checked: the time is over, or `check` has returned False.

    `said()` is shown on stderr each 5 s. After Ctrl-C the case ends, and then KeyboardInterrupt is raised.
    """
    started = shown = time.monotonic()
    seed = first
    with ctrl_c_noted() as interrupted:
        while time.monotonic() - started < seconds:
            goes_on = check(seed)
            if interrupted:
                raise KeyboardInterrupt
            seed += 1
            if not goes_on:
                break
            if time.monotonic() - shown >= _SHOWN_EVERY_S:
                shown = time.monotonic()
                print(f"{shown - started:.0f} s: {said()}", file=sys.stderr, flush=True)
    return seed
