"""The command of `make check-marshmallow`."""

from helpers.checks import run_check

run_check("check_marshmallow")
