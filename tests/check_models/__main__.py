"""The command of `make check-models`."""

from __future__ import annotations

import sys

try:
    from check_models.run import PROGRAM, main
except ImportError as error:
    sys.exit(f"python -m check_models: error: {error}")

from ssrjson_web._cli.command_line import run_command

if __name__ == "__main__":
    sys.exit(run_command(main, program=PROGRAM))
