"""The command of `make check-orjson`."""

from helpers.checks import run_check

run_check("check_orjson")
