"""The command line: `python -m bench encode | decode | article | memory | web | load | report`."""

from __future__ import annotations

import argparse
import sys

from bench.source_tree import prefer_installed_packages

prefer_installed_packages()

from bench import article, memory, speed  # noqa: E402
from bench.comparison import command as comparison  # noqa: E402
from bench.load import command as load  # noqa: E402
from bench.web import command  # noqa: E402


def main(arguments: list[str] | None = None) -> int:
    """The exit status; `page.publish` says what it means."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Side-by-side benchmarks of JSON libraries.")
    commands = parser.add_subparsers(title="benchmarks", metavar="")
    speed.add_commands(commands)
    article.add_command(commands)
    memory.add_command(commands)
    command.add_command(commands)
    load.add_command(commands)
    comparison.add_command(commands)
    options = parser.parse_args(arguments)
    if not hasattr(options, "start"):
        parser.print_help()
        return 0
    try:
        status: int = options.start(options)
    except KeyboardInterrupt:
        print("stopped by Ctrl-C", file=sys.stderr)
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())
