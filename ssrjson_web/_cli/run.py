"""The `run` command: a program that imports orjson gets `ssrjson_web.orjson`."""

from __future__ import annotations

import argparse
import importlib.util
import runpy
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from ssrjson_web._shared.plain_text import print_error

if TYPE_CHECKING:
    from argparse import _SubParsersAction

__all__ = ["add_command", "run_program"]

_FAILED, _WRONG_USAGE = 1, 2

_DESCRIPTION = """\
Run a module or a file as `python -m MODULE` and `python FILE` do. What imports orjson in that process gets
ssrjson_web.orjson, which has orjson's functions, bytes and errors and caches no UTF-8 copies in your strings.
"""

_EPILOG = """\
examples:
  python -m ssrjson_web run --as-orjson uvicorn shop.main:app --port 8000
  python -m ssrjson_web run --as-orjson manage.py runserver --noreload

Forked processes, such as gunicorn's workers, have the module, too. New interpreters do not: those of
uvicorn's --workers and --reload, and of multiprocessing's spawn. For them put these lines into sitecustomize.py:
  import sys
  from ssrjson_web import orjson
  sys.modules["orjson"] = orjson

exit status: that of the program; 2 if there is no such module or file.
"""


def add_command(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `run` to a command line."""
    parser = commands.add_parser(
        "run",
        help="run a program that imports orjson with ssrjson_web.orjson in its place",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="%(prog)s [-h] --as-orjson MODULE|FILE.py [ARGUMENT ...]",
    )
    parser.add_argument("--as-orjson", action="store_true", required=True, help="what the program imports as orjson")
    parser.add_argument("program", metavar="MODULE|FILE.py", help="the program")
    parser.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="its own arguments")
    parser.set_defaults(run=run_program)


def run_program(arguments: argparse.Namespace) -> int:
    """Run the program and return the exit status. Raises what the program raises."""
    program = arguments.program
    is_file = program.endswith(".py")
    if not (Path(program).is_file() if is_file else _is_module(program)):
        what = "file" if is_file else "module"
        print_error(f"ssrjson_web run: error: there is no {what} {program or repr(program)}\n")
        return _WRONG_USAGE
    from ssrjson_web import orjson

    sys.modules["orjson"] = orjson
    sys.argv = [program, *arguments.arguments]
    try:
        if is_file:
            sys.path[0] = str(Path(program).resolve().parent)  # it was the working folder, as for a module
            runpy.run_path(program, run_name="__main__")
        else:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
    except OSError:  # of the program: our caller would show it as an error of a command, in one line
        traceback.print_exc()
        return _FAILED
    return 0


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):  # its package is missing, or it is not a name
        return False
