"""The command line: `python -m ssrjson_web`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import ssrjson_web
from ssrjson_web._cli import run
from ssrjson_web._cli.audit import command as audit
from ssrjson_web._cli.command_line import Parser, run_command
from ssrjson_web._cli.doctor import command as doctor
from ssrjson_web._cli.verify import command as verify

__all__ = ["main"]

_PROGRAM = "python -m ssrjson_web"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. Raises SystemExit for `--help` and for wrong usage."""
    parser: argparse.ArgumentParser = Parser(
        prog=_PROGRAM,
        description="Fast JSON for Python web frameworks that caches no UTF-8 copies in your strings.",
        epilog="python -m ssrjson_web COMMAND --help explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"ssrjson_web {ssrjson_web.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    doctor.add_command(commands)
    audit.add_command(commands)
    verify.add_command(commands)
    run.add_command(commands)
    options = parser.parse_args(arguments)
    return int(options.run(options))


if __name__ == "__main__":
    sys.exit(run_command(main, program=_PROGRAM))
