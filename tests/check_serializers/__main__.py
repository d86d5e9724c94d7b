"""The command of `make check-serializers`."""

from helpers.checks import run_check

run_check("check_serializers")
