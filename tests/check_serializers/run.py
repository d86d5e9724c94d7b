"""Compare random serializers with Django REST framework's own work, as `make check-serializers ARGS='...'` does.

Each case is a serializer that reads an object, or that loads a client's data, once while ours is disabled and once
while it is not. Values, exceptions, warnings, queries and calls of user code must be the same, in the same order.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter

import django
import rest_framework
from helpers.checks import check_seeds, positive

from check_serializers import project, tables  # noqa: F401 - settings first: tables imports what reads them
from check_serializers.classes import random_program
from check_serializers.comparison import Difference, Way, compare, smallest
from check_serializers.programs import Program
from ssrjson_web._cli.command_line import Parser

PROGRAM = "python -m check_serializers"


def ways(is_stock: bool) -> tuple[Way, Way]:
    """Contexts in which stock works, and ours."""
    if is_stock:
        return contextlib.nullcontext, contextlib.nullcontext
    from ssrjson_web.rest_framework import _reading, _templates, disabled, setup

    setup()
    _templates.MIN_USES = 1  # each class is used a few times
    _reading.MANY_ROWS = 2  # and its lists are short
    return disabled, contextlib.nullcontext


def _report(program: Program, seed: int, options: argparse.Namespace, error: Exception, both: tuple[Way, Way]) -> None:
    def differs(smaller: Program) -> bool:
        try:
            compare(smaller, *both, Counter())
        except Difference as other:
            found.append(other)
            return True
        return False

    found = [error]
    if isinstance(error, Difference):
        program = smallest(program, differs)
    print(f"{program}\n\n{type(found[-1]).__name__}: {found[-1]}")
    print(f"differs: --seed {seed} --steps {options.steps} --cases 1")


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 0 where nothing differs from stock, 1 where something does. Ctrl-C: KeyboardInterrupt."""
    parser = Parser(prog=PROGRAM, description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--minutes", type=positive, metavar="M", help="default 10, without --cases")
    parser.add_argument("--cases", type=int, metavar="N", help="stop after N cases")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="the first seed, default 1")
    parser.add_argument("--steps", type=int, default=20, metavar="N", help="cases of each program, default 20")
    parser.add_argument("--stock", action="store_true", help="compare stock with itself: the check must find nothing")
    parser.add_argument("--go-on", action="store_true", help="go on after a difference, which is not made smaller")
    parser.add_argument("--refused", action="store_true", help="list why programs are refused")
    options = parser.parse_args(arguments)
    seconds = 60 * (options.minutes or (1e9 if options.cases else 10))
    both = ways(options.stock)
    tables.fill()
    counts: Counter[str] = Counter()
    status = 0

    def check(seed: int) -> bool:
        nonlocal status
        program = random_program(seed, options.steps)
        try:
            compare(program, *both, counts)
        except Difference as error:
            status = 1
            if not options.go_on:
                _report(program, seed, options, error, both)
                return False
            counts["programs that differ"] += 1
            print(f"--seed {seed} --steps {options.steps}: {error}")
        return counts["cases"] < (options.cases or sys.maxsize)

    end = check_seeds(options.seed, seconds=seconds, check=check, said=lambda: _said(counts))
    if status and not options.go_on:
        return status
    if options.refused:
        for name, n in counts.most_common(60):
            print(f"{n:>8,} {name}")
    versions = f"REST framework {rest_framework.VERSION}, Django {django.get_version()}"
    print(f"{versions}: {_said(counts)}, seeds {options.seed} to {end - 1}")
    return status


def _said(counts: Counter[str]) -> str:
    found = (
        f"{counts['programs that differ']:,} programs differ"
        if counts["programs that differ"]
        else "no difference so far"
    )
    return (
        f"{counts['cases']:,} cases, {counts['cases that end well']:,} of them without an exception; "
        f"{counts['classes refused']:,} programs refused; {found}"
    )
