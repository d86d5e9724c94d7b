"""The command of platforms that this machine does not have: what is fetched for them stays in `build/platforms/`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from platforms.debian import PlatformError, say
from platforms.pythons import fetch_python


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m platforms",
        description="Platforms that this machine does not have, without root rights. What is fetched stays in "
        "build/platforms/, and a second run fetches nothing. The exit status is 2 where a platform cannot be had.",
    )
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    python = commands.add_parser("python", help="fetch a Python from Debian, and print the path of the interpreter")
    python.add_argument("version", metavar="VERSION", help="such as 3.14")
    return made


def main(words: Sequence[str]) -> int:
    """The exit status."""
    options = parser().parse_args(words)
    try:
        print(fetch_python(options.version))
    except PlatformError as error:
        say(f"error: {error}")
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
