"""The frame of the checks that compare random cases for minutes: options, seeds, processes, and the way they end."""

from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from itertools import islice
from typing import Any, NoReturn

from helpers.processes import ctrl_c_noted
from ssrjson_web._cli.command_line import run_command

__all__ = [
    "Progress",
    "add_options",
    "check_seeds",
    "in_processes",
    "one_or_more",
    "positive",
    "run_check",
    "seeds_alike",
    "status_of",
]

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


def one_or_more(text: str) -> int:
    """The whole number from 1 on that an option gives."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text}: not a whole number") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: not 1 or more")
    return number


class Progress:
    """Says on stderr each 5 s how far a check is."""

    def __init__(self) -> None:
        self._started = self._shown = time.monotonic()

    @property
    def seconds(self) -> float:
        """The time since the check began."""
        return time.monotonic() - self._started

    def show(self, said: Callable[[], object]) -> None:
        """`said()`, if it is time."""
        if time.monotonic() - self._shown >= _SHOWN_EVERY_S:
            self._shown = time.monotonic()
            print(f"{self.seconds:.0f} s: {said()}", file=sys.stderr, flush=True)


def check_seeds(first: int, *, seconds: float, check: Callable[[int], bool], said: Callable[[], object]) -> int:
    """The seed after the last one that was checked: the time is over, or `check` has returned False.

    After Ctrl-C the case ends, and then KeyboardInterrupt is raised.
    """
    progress = Progress()
    seed = first
    with ctrl_c_noted() as interrupted:
        while progress.seconds < seconds:
            goes_on = check(seed)
            if interrupted:
                raise KeyboardInterrupt
            seed += 1
            if not goes_on:
                break
            progress.show(said)
    return seed


def in_processes(
    check: Callable[..., Any], cases: Iterable[tuple[Any, ...]], *, n_processes: int, said: Callable[[], object]
) -> Iterator[Any]:
    """What `check(*case)` returns for each case, as they end. The processes end with the iteration."""
    progress = Progress()
    # only the parent handles Ctrl-C: children would print their own tracebacks
    executor = ProcessPoolExecutor(n_processes, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
    try:
        waiting = iter(cases)
        running = {executor.submit(check, *case) for case in islice(waiting, 2 * n_processes)}
        while running:
            finished = next(as_completed(running))
            running.remove(finished)
            yield finished.result()
            running |= {executor.submit(check, *case) for case in islice(waiting, 1)}
            progress.show(said)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


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


def status_of(found: Sequence[object], what: str) -> int:
    """The exit status of a check; shows the differences, and what was compared."""
    for difference in found:
        print(difference)
    print(what)
    return 1 if found else 0


def run_check(package: str) -> NoReturn:
    """Ends the process with the status of `main` in the module `run` of a package; a missing library is one line."""
    program = f"python -m {package}"
    try:
        main = import_module(f"{package}.run").main
    except ImportError as error:
        sys.exit(f"{program}: error: {error}")
    sys.exit(run_command(main, program=program))
