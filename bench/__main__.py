"""The command line: `python -m bench COMMAND`; `python -m bench` lists the commands."""

from __future__ import annotations

import sys
from typing import Any

from bench.source_tree import prefer_installed_packages

prefer_installed_packages()

try:
    import ssrjson_web  # noqa: F401
except ImportError as error:
    sys.exit(f"python -m bench: error: {error}")

from bench import memory_command, peers_command, speed_command  # noqa: E402
from bench.compression import compression_command  # noqa: E402
from bench.demo import command as demo_command  # noqa: E402
from bench.guard import guard_command  # noqa: E402
from bench.httparena import httparena_command  # noqa: E402
from bench.kit.command_line import Parser, run_command  # noqa: E402
from bench.load import load_command  # noqa: E402
from bench.races import table as races  # noqa: E402
from bench.report import report_command  # noqa: E402
from bench.threads import one_copy_command, threads_command  # noqa: E402
from bench.web import web_command  # noqa: E402

_PROGRAM = "python -m bench"


def main(arguments: list[str] | None = None) -> int:
    """The exit status; `command_output.publishing` says what it means."""
    parser = Parser(prog=_PROGRAM, description="Side-by-side benchmarks of JSON libraries.")
    commands = parser.add_subparsers(title="benchmarks", metavar="COMMAND")
    speed_command.add_commands(commands)
    races.add_commands(commands)
    added: list[Any] = [peers_command, memory_command, web_command, load_command, compression_command]
    added += [httparena_command, threads_command, one_copy_command, guard_command, report_command, demo_command]
    for command in added:
        command.add_command(commands)
    options = parser.parse_args(arguments)
    if not hasattr(options, "start"):
        parser.print_help()
        return 0
    status: int = options.start(options)
    return status


if __name__ == "__main__":
    sys.exit(run_command(main, program=_PROGRAM))
