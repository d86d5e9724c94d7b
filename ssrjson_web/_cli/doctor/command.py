"""The `doctor` command."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from ssrjson_web._cli.doctor.examination import examine
from ssrjson_web._cli.doctor.report import as_json, as_text
from ssrjson_web._cli.kit.progress import Progress
from ssrjson_web._shared.plain_text import print_text

if TYPE_CHECKING:
    from argparse import _SubParsersAction

__all__ = ["add_command", "run_doctor"]

_PROBLEMS, _INTERRUPTED = 1, 130

_DESCRIPTION = """\
Tell what this installation is and does: the core's instruction-set level and switches, the versions
of the frameworks that there are adapters for, and, by trying each, which of the installed JSON
libraries leave UTF-8 copies in the strings that they encode.
"""

_EPILOG = """\
exit status: 0; 1 if something should be done, which is then said at the end; 130 after Ctrl-C.
"""


def add_command(commands: _SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `doctor` to a command line."""
    parser = commands.add_parser(
        "doctor",
        help="tell what this installation is and does, and what should be done about it",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="all of it as JSON on standard output")
    parser.set_defaults(run=run_doctor)


def run_doctor(arguments: argparse.Namespace) -> int:
    """Run it and return the exit status."""
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
