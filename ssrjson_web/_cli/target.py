"""The object that MODULE:OBJECT names."""

from __future__ import annotations

import asyncio
import contextlib
import difflib
import importlib
import inspect
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["TargetError", "WrongTarget", "load", "user_code"]


class TargetError(Exception):
    """The object does not exist, or its code failed. The message is complete, with a traceback if code failed."""


class WrongTarget(TargetError):
    """The text is not of the form MODULE:OBJECT, or the object is of the wrong kind."""


def load(target: str, *, is_called: bool = False) -> Any:
    """The object that `target` names, or the module; with `is_called` what it returns, awaited if necessary.

    Modules are searched in the working folder first. What they print goes to stderr. Raises TargetError, and its
    subclass WrongTarget if `target` is not of the form MODULE:OBJECT.
    """
    module_name, colon, path = target.partition(":")
    if any(not part.isidentifier() for part in (*module_name.split("."), *(path.split(".") if colon else ()))):
        raise WrongTarget(f"{target!r}: write MODULE:OBJECT, as app.main:catalogue")
    if str(Path.cwd()) not in sys.path and "" not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    with contextlib.redirect_stdout(sys.stderr):
        found = _module(module_name)
        walked = module_name
        for name in path.split(".") if colon else ():
            found = _attribute(found, name, of=walked)
            walked = f"{walked}.{name}"
        if is_called:
            found = _call(found, name=target)
    return found


def _module(name: str) -> Any:
    with user_code(f"importing {name} failed"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise  # the module exists, and imports one that does not
            reason = f"there is no module {error.name!r} in {Path.cwd()}, nor among the installed ones"
            raise TargetError(reason) from None


def _attribute(holder: Any, name: str, *, of: str) -> Any:
    with user_code(f"getting {of}.{name} failed"):
        try:
            return getattr(holder, name)
        except AttributeError:
            if inspect.getattr_static(holder, name, None) is not None:
                raise  # the attribute exists, and its code raises
            names = [known for known in dir(holder) if not known.startswith("_")]
            near = difflib.get_close_matches(name, names, n=3)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise TargetError(f"{of} has no attribute {name!r}{hint}") from None


def _call(function: Any, *, name: str) -> Any:
    if not callable(function):
        raise TargetError(f"{name} is a {type(function).__name__} and cannot be called")
    with user_code(f"calling {name} failed"):
        result = function()
        return asyncio.run(_awaited(result)) if inspect.isawaitable(result) else result


async def _awaited(awaitable: Any) -> Any:
    return await awaitable


@contextlib.contextmanager
def user_code(what: str) -> Iterator[None]:
    """Turn an exception of the user's code into a TargetError with its traceback, without our own frames."""
    try:
        yield
    except (TargetError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:  # SystemExit too: a module that is meant to be run may end there
        report = traceback.TracebackException.from_exception(error)
        _leave_out_loading(report)
        raise TargetError("".join(report.format()) + what) from None


def _leave_out_loading(report: traceback.TracebackException) -> None:
    report.stack = traceback.StackSummary.from_list(
        [
            frame
            for frame in report.stack
            if frame.filename != __file__
            and frame.filename != importlib.__file__
            and not frame.filename.startswith("<frozen importlib")
        ]
    )
