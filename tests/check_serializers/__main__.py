"""The command of `make check-serializers`."""

from __future__ import annotations

import sys

try:
    from check_serializers import project  # noqa: F401 - settings first: REST framework reads them when it is imported
    from check_serializers.run import PROGRAM, main
except ImportError as error:
    sys.exit(f"python -m check_serializers: error: {error}")

from ssrjson_web._cli.command_line import run_command

if __name__ == "__main__":
    sys.exit(run_command(main, program=PROGRAM))
