"""The check of random serializers: a sample of it passes, and it finds what another implementation would do wrong."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("rest_framework", reason="Django REST framework is not installed")


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}

PLANTED = """
import contextlib, sys
from check_serializers import project, run
from rest_framework import serializers

@contextlib.contextmanager
def changed():
    stock = serializers.{owner}.{method}
    serializers.{owner}.{method} = {function}
    try:
        yield
    finally:
        serializers.{owner}.{method} = stock

run.ways = lambda is_stock: (contextlib.nullcontext, changed)
sys.exit(run.main(["--cases", "5000"]))
"""


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, timeout=300, env=ENVIRONMENT)


@pytest.mark.full
@pytest.mark.parametrize(
    ("owner", "method", "function"),
    [
        ("IntegerField", "to_representation", "lambda self, value: stock(self, value) + 0.0"),
        ("CharField", "to_internal_value", "lambda self, data: stock(self, data).strip()"),
        ("Serializer", "to_representation", "lambda self, x: dict(sorted(stock(self, x).items()))"),
        ("ListSerializer", "to_representation", "lambda self, x: stock(self, list(x)[::-1])[::-1]"),
        ("PrimaryKeyRelatedField", "use_pk_only_optimization", "lambda self: False"),
    ],
)
def test_planted_difference_is_found_and_made_small(owner: str, method: str, function: str) -> None:
    done = run_command(sys.executable, "-c", PLANTED.format(owner=owner, method=method, function=function))
    assert done.returncode == 1, done.stderr
    assert "Difference: step 0 differs:\n" in done.stdout
    told = {line.split()[0] for line in done.stdout.splitlines() if line.startswith("    ")}
    assert told >= {"stock", "ours"} or "\n  events " in done.stdout
    assert done.stdout.splitlines()[-1].startswith("differs: --seed ")
    assert "# step 1\n" not in done.stdout
