"""What the commands share: one line for wrong usage, for Ctrl-C, and for an output that cannot be written."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import Any, NoReturn

__all__ = ["Parser", "between", "run_command"]

_FAILED, _WRONG_USAGE, _INTERRUPTED, _NOBODY_READS = 1, 2, 130, 141


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        """Exit with status 2."""
        self.exit(_WRONG_USAGE, f"{self.prog}: error: {message} (see {self.prog} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout and file is not None:
            file.write(message)  # the base class hides errors: a help text that was not written would be a success
        else:
            super()._print_message(message, file)


def between(low: float, high: float, kind: type[int | float] = float) -> Callable[[str], float]:
    """The type of an option whose value is a number in this range."""

    def number(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text}: not a number") from None
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text}: not between {low:g} and {high:g}")
        return value

    return number


def run_command(main: Callable[[], int], *, program: str) -> int:
    """Run `main`, flush the output, and return the exit status.

    Characters that the output's encoding cannot hold are escaped. Ctrl-C prints a line and gives 130. A closed pipe,
    as after `head`, prints nothing and gives 141. An OSError, such as a full disk, prints a line and gives 1.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        status = _status(main)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        _say(f"{program}: stopped by Ctrl-C")
        return _INTERRUPTED
    except BrokenPipeError:
        _leave_output()
        return _NOBODY_READS
    except OSError as error:
        _leave_output()
        is_of_output = error.filename is None and error.strerror is not None
        _say(f"{program}: error: {f'the output cannot be written: {error.strerror}' if is_of_output else error}")
        return _FAILED


def _status(main: Callable[[], int]) -> int:
    try:
        return main()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        _say(str(end.code))
        return _FAILED


def _say(line: str) -> None:
    """Print a line to standard error, if that is open."""
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr)


def _leave_output() -> None:
    """Discard the output that is not yet written: the interpreter would try again when it exits, and complain."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
