"""The command of `make check-models`."""

from helpers.checks import run_check

run_check("check_models")
