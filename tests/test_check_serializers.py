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


OPTIONS = """
import inspect
from check_serializers import project, fields
from rest_framework import serializers

for kind in fields.KINDS:
    bases = [one for one in getattr(serializers, kind.cls).__mro__ if one is not serializers.Field]
    makers = [vars(one)["__init__"] for one in bases if "__init__" in vars(one)]
    named = {one for maker in makers for one in inspect.signature(maker).parameters} - {"self", "args", "kwargs"}
    drawn = " ".join((*kind.options, *kind.needs))
    print(*(f"{kind.cls}.{one}\\n" for one in named if f"{one}=" not in drawn), end="")
"""


DRAWN = """
from check_serializers import project, fields
from ssrjson_web.rest_framework._fields import describer

print(*{cls.__name__ for cls in (*describer._READING, *describer._LOADING)} - {kind.cls for kind in fields.KINDS})
"""
DRAWN_OTHERWISE = {"DictField", "FilePathField", "HStoreField", "ListField", "ListSerializer", "ManyRelatedField"}
DRAWN_OTHERWISE |= {"Serializer", "SerializerMethodField", "_UnvalidatedField"}
"""With fields within, of a relation, or with a method; but FilePathField, a choice that reads a directory, is not."""


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, capture_output=True, text=True, timeout=300, env=ENVIRONMENT)


def test_random_fields_have_each_option_that_their_classes_name() -> None:
    done = run_command(sys.executable, "-c", OPTIONS)
    assert (done.returncode, done.stdout) == (0, ""), f"no random field has these options\n{done.stderr}"


def test_random_fields_are_of_each_class_that_ours_describe() -> None:
    done = run_command(sys.executable, "-c", DRAWN)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) <= DRAWN_OTHERWISE, "no Kind in KINDS of check_serializers/fields.py"


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
