"""What all commands share: one line for wrong usage, for Ctrl-C, and for an output that cannot be written."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import errno
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from ssrjson_web._shared.plain_text import print_error

__all__ = ["Parser", "run_command"]

_FAILED, _WRONG_USAGE, _INTERRUPTED, _NOBODY_READS = 1, 2, 130, 141
_OF_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a write to standard output, which name no file."""
_UNRECOGNIZED = "unrecognized arguments: "


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one line: what is wrong, and what the user probably meant."""

    def error(self, message: str) -> NoReturn:
        """Exit with status 2."""
        if message.startswith(_UNRECOGNIZED):
            word = message.removeprefix(_UNRECOGNIZED).split()[0].partition("=")[0]
            message += _hint(word, sorted(set(_options(self))))
        self.exit(_WRONG_USAGE, f"{self.prog}: error: {message} (see {self.prog} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout and file is not None:
            file.write(message)  # the base class hides errors: a help text that was not written would be a success
        else:
            super()._print_message(message, file)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices or (action.nargs == "*" and not value):
            return
        choices = [str(choice) for choice in action.choices]
        text = f"invalid choice: {str(value)!r}{_hint(str(value), choices)} (choose from {', '.join(choices)})"
        raise argparse.ArgumentError(action, text)


def _hint(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1)
    return f", did you mean {near[0]}?" if near else ""


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The options of a parser and of its commands."""
    for action in parser._actions:
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _options(command)


def run_command(main: Callable[[], int], *, program: str) -> int:
    """Run `main`, flush the output, and return the exit status.

    Ctrl-C prints a line and gives 130. A closed pipe, as after `head`, prints nothing and gives 141. An OSError, such
    as a full disk, prints a line and gives 1.
    """
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
        is_of_output = error.filename is None and error.errno in _OF_OUTPUT
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
    with contextlib.suppress(OSError):
        print_error(f"{line}\n")


def _leave_output() -> None:
    """Discard the output that is not yet written: the interpreter would try again when it exits, and complain."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
