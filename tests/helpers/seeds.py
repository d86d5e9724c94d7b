"""Seeds of random cases, checked one after another until the time is over."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from helpers.processes import ctrl_c_noted

__all__ = ["add_options", "check_seeds", "positive", "seeds_alike"]

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


def add_options(parser: argparse.ArgumentParser, each: str) -> None:
    """The options of a check that `seeds_alike` runs; `values` are those of each `each`."""
    parser.add_argument("--minutes", type=positive, default=10.0, metavar="M", help="default 10")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="the first seed, default 1")
    parser.add_argument("--values", type=int, default=30, metavar="N", help=f"values of each {each}, default 30")


def seeds_alike(options: argparse.Namespace, check_seed: Callable[[int, int, Any], None], counts: object) -> str:
    """The seeds in which nothing differed until the time was over, as text; empty where one differs, which is shown.

    `check_seed(seed, n_values, counts)` raises where something differs.
    """
    differing: list[int] = []

    def check(seed: int) -> bool:
        try:
            check_seed(seed, options.values, counts)
        except Exception:
            traceback.print_exc()
            print(f"differs: --seed {seed} --values {options.values}; before it {counts}")
            differing.append(seed)
        return not differing

    end = check_seeds(
        options.seed, seconds=60 * options.minutes, check=check, said=lambda: f"{counts}, no difference so far"
    )
    return "" if differing else f"seeds {options.seed} to {end - 1}"
