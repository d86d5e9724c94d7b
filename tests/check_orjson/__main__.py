"""The command of `make check-orjson`."""

from __future__ import annotations

import sys

try:
    from check_orjson.run import PROGRAM, main
except ImportError as error:
    sys.exit(f"python -m check_orjson: error: {error}")

from ssrjson_web._cli.command_line import run_command

if __name__ == "__main__":
    sys.exit(run_command(main, program=PROGRAM))
