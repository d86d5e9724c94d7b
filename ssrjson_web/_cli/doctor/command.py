"""The `doctor` command."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ssrjson_web._cli.doctor.application import examine_application
from ssrjson_web._cli.doctor.application_report import application_as_json, application_as_text, is_unserved
from ssrjson_web._cli.doctor.examination import examine
from ssrjson_web._cli.doctor.migration import run_migration
from ssrjson_web._cli.doctor.report import as_json, as_text
from ssrjson_web._cli.progress import Progress
from ssrjson_web._cli.target import TargetError, WrongTarget
from ssrjson_web._shared.plain_text import print_error, print_text

if TYPE_CHECKING:
    from argparse import _SubParsersAction

__all__ = ["add_command", "run_doctor"]

_PROBLEMS, _FAILED, _WRONG_USAGE, _INTERRUPTED = 1, 1, 2, 130

_DESCRIPTION = """\
Without a target: examine this installation. The report has the core's instruction-set level and
switches, the versions of the frameworks that there are adapters for, and which of the installed JSON
libraries cache UTF-8 copies in the strings that they encode; each library is tried.

With a target: import an application of FastAPI, Starlette, Flask, Quart or Django, and list the
routes that the core serves and those that it does not serve, with the reasons. No endpoint is called.
An application of FastAPI that does not call setup is reported as it would be with it, with the time that
made-up answers of its response models take by FastAPI and by the core.

With --migrate: read the source of a project, without running it, and list each use of orjson, ujson,
simplejson, rapidjson, msgspec.json and json, each response class and setting, with its replacement.
"""

_EPILOG = """\
examples:
  python -m ssrjson_web doctor                               this installation
  python -m ssrjson_web doctor shop.main:app                 an application, with or without middlewares
  python -m ssrjson_web doctor --call shop.main:create_app   the application that a function returns
  python -m ssrjson_web doctor shop.settings                 a Django project, by its settings
  python -m ssrjson_web doctor shop.wsgi:application         the same, by its WSGI or ASGI application
  python -m ssrjson_web doctor --migrate src                 what a project uses of other libraries
  python -m ssrjson_web doctor --migrate src --diff | patch -d src -p1
                                                             replace what needs no further change

exit status: 0; 1 if something should be done (the report ends with it), if a use of another library was
found, or a file or folder could not be read, if no route of the application is known to be served, or if
it cannot be imported; 2 for wrong usage, as for an object that is no application; 130 after Ctrl-C.
In a program: from ssrjson_web.fastapi import route_report; route_report(app)
"""


def add_command(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `doctor` to a command line."""
    parser = commands.add_parser(
        "doctor",
        help="examine this installation, or the routes of an application",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "target",
        nargs="?",
        metavar="MODULE[:OBJECT]",
        help="an application or Django's settings; modules are looked for in the working folder first",
    )
    parser.add_argument("--call", action="store_true", help="examine the application that the object returns")
    parser.add_argument("--json", action="store_true", help="the whole report as JSON on standard output")
    parser.add_argument("--migrate", type=Path, metavar="PATH", help="read a file or folder of source instead")
    parser.add_argument("--diff", action="store_true", help="with --migrate: a patch of what can be replaced as it is")
    parser.set_defaults(run=run_doctor)


def run_doctor(arguments: argparse.Namespace) -> int:
    """Run the command and return the exit status."""
    if arguments.migrate is not None:
        return _migrate(arguments)
    if arguments.diff:
        return _refuse("--diff needs --migrate PATH", status=_WRONG_USAGE)
    if arguments.target is not None:
        return _examine_application(arguments)
    if arguments.call:
        return _refuse("--call needs a MODULE:OBJECT", status=_WRONG_USAGE)
    progress = Progress(sys.stderr)
    try:
        progress.start("ssrjson_web doctor", "trying the JSON libraries")
        examination = examine()
        progress.clear()
    except KeyboardInterrupt:
        progress.say("Stopped.")
        return _INTERRUPTED
    print_text(as_json(examination) if arguments.json else as_text(examination))
    return _PROBLEMS if examination.problems else 0


def _migrate(arguments: argparse.Namespace) -> int:
    if arguments.target is not None or arguments.call:
        return _refuse("--migrate reads source: it takes no application", status=_WRONG_USAGE)
    if arguments.diff and arguments.json:
        return _refuse("--diff and --json are two forms of the report: choose one", status=_WRONG_USAGE)
    return run_migration(arguments.migrate, as_diff=arguments.diff, as_json=arguments.json)


def _examine_application(arguments: argparse.Namespace) -> int:
    try:
        report = examine_application(arguments.target, is_called=arguments.call)
    except TargetError as error:
        return _refuse(str(error), status=_WRONG_USAGE if isinstance(error, WrongTarget) else _FAILED)
    except KeyboardInterrupt:
        print_error("Stopped.\n")
        return _INTERRUPTED
    as_output = application_as_json if arguments.json else application_as_text
    print_text(as_output(arguments.target, report))
    return _PROBLEMS if is_unserved(report) else 0


def _refuse(message: str, *, status: int) -> int:
    """Say why, after the traceback where the message has one."""
    traceback, _, reason = message.rpartition("\n")
    print_error("\n".join([*filter(None, [traceback]), f"ssrjson_web doctor: {reason}\n"]))
    return status
