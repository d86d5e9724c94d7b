"""The command of `make check-marshmallow`."""

from __future__ import annotations

import sys

try:
    from check_marshmallow.run import PROGRAM, main
except ImportError as error:
    sys.exit(f"python -m check_marshmallow: error: {error}")

from ssrjson_web._cli.command_line import run_command

if __name__ == "__main__":
    sys.exit(run_command(main, program=PROGRAM))
