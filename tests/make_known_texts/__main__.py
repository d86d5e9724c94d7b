"""The command of `make known-texts`."""

from __future__ import annotations

import sys

from make_known_texts.run import PROGRAM, main
from ssrjson_web._cli.command_line import run_command

if __name__ == "__main__":
    sys.exit(run_command(main, program=PROGRAM))
