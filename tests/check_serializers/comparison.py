"""A program run without and with ours, and where the two differ."""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from types import CodeType
from typing import Any

from django.db import connection, transaction

from check_serializers.outcome import Places, describe, describe_error, without_addresses
from check_serializers.programs import Program, Step
from check_serializers.world import World

__all__ = ["Difference", "Way", "compare", "smallest"]

Way = Callable[[], AbstractContextManager[Any]]
"""Makes a context in which stock works, or ours."""

MAX_TRIES = 1500
_SAVEPOINT = re.compile(r"s\d+_x\d+")  # its name has the thread, and a number


class Difference(Exception):
    """Both ways of a step; the message shows where they differ first."""


def compare(program: Program, stock: Way, ours: Way, counts: Counter[str]) -> None:
    """Run each step both ways. Raises Difference."""
    world = World()
    names = world.names()
    try:
        if not _defined(program, names, counts):
            return
        for number, step in enumerate(program.steps):
            _compare_step(step, number, names, world, (stock, ours), counts)
    finally:
        world.close()


def _defined(program: Program, names: dict[str, Any], counts: Counter[str]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(program.source, names)
        except Exception as error:
            counts["classes refused"] += 1
            counts[f"refused: {type(error).__name__}: {str(error)[:60]}"] += 1
            return False
    return True


def _compare_step(
    step: Step, number: int, names: dict[str, Any], world: World, ways: Sequence[Way], counts: Counter[str]
) -> None:
    if step.before:
        try:
            exec(step.before, names)
        except Exception:
            counts["changes refused"] += 1
    codes = [_compiled(call) for call in step.calls]
    x = compile(step.x, "<x>", "eval")
    # the second way finds what the first one has left behind
    turned = number % 2 == 1
    found = [_run(step, x, codes, names, world, way) for way in (ways[::-1] if turned else ways)]
    stock, ours = found[::-1] if turned else found
    counts["cases"] += 1
    counts["cases that end well"] += all(each[0] == "value" for each in stock["outcomes"])
    for each in stock["outcomes"]:
        if each[0] != "value":
            counts[f"error: {str(each[1])[:110]}"] += 1
            break
    if stock != ours:
        lines = [f"step {number} differs:"]
        for part in stock:
            if stock[part] != ours[part]:
                lines += _shown(part, stock[part], ours[part])
        raise Difference("\n".join(lines))


def _shown(part: str, stock: Any, ours: Any) -> list[str]:
    for number, (one, other) in enumerate(zip(stock, ours, strict=False)):
        if one != other:
            place, one, other = _first_difference(one, other)
            return [f"  {part} {number}{place}", f"    stock {one!r}", f"    ours  {other!r}"]
    longer = stock if len(stock) > len(ours) else ours
    at = min(len(stock), len(ours))
    return [f"  {part} {at} is only in {'stock' if longer is stock else 'ours'}: {longer[at]!r}"]


def _first_difference(one: Any, other: Any) -> tuple[str, Any, Any]:
    """The innermost parts that differ, with the way to them."""
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)) and len(one) == len(other):
        for number, (each, its) in enumerate(zip(one, other, strict=True)):
            if each != its:
                place, *parts = _first_difference(each, its)
                return (f"[{number}]{place}", *parts)
    return "", one, other


def _compiled(call: str) -> CodeType:
    try:
        return compile(call, "<call>", "eval")
    except SyntaxError:
        return compile(call, "<call>", "exec")


def _run(
    step: Step, x: CodeType, codes: Sequence[CodeType], names: dict[str, Any], world: World, way: Way
) -> dict[str, Any]:
    """What one sees of a step: outcomes, calls and queries in their order, warnings, and what has become of `x`."""
    own = dict(names)
    outcomes: list[Any] = []
    places = Places()
    with ExitStack() as stack:
        stack.enter_context(_rolled_back())
        try:
            own["x"] = world.x = eval(x, own)
        except Exception as error:
            return {"outcomes": [("no x", describe_error(error))]}
        describe(own["x"], places, "x")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                for condition in step.conditions:
                    stack.enter_context(eval(condition, own))
                stack.enter_context(connection.execute_wrapper(_query_noted(world)))
                stack.enter_context(way())
                world.start()
                for code in codes:
                    outcomes.append(_outcome(code, own, world, places))
            finally:
                world.stop()
        made = own.get("s")
        held = [(name, describe(vars(made).get(name))) for name in _HELD] if hasattr(made, "__dict__") else []
        return {
            "outcomes": outcomes,
            "events": world.events,
            "warnings": [(each.category.__name__, str(each.message)) for each in caught],
            "x after it": [describe(own["x"])],
            "serializer after it": held,
        }


_HELD = ("_validated_data", "_errors", "_data", "instance", "initial_data", "partial")


def _outcome(code: CodeType, own: dict[str, Any], world: World, places: Places) -> Any:
    try:
        value = eval(code, own)
    except RecursionError:
        return ("raised", "RecursionError")
    except (Exception, KeyboardInterrupt) as error:
        world.is_noting = False
        made = ("raised", describe_error(error))
    else:
        world.is_noting = False
        made = ("value", describe(value, places, "result"))
    world.is_noting = True
    return made


def _query_noted(world: World) -> Callable[..., Any]:
    def noted(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if world.is_noting:
            world.events.append(("query", _SAVEPOINT.sub("", sql), without_addresses(repr(params))))
        return execute(sql, params, many, context)

    return noted


class _rolled_back:
    """The database is as before after it."""

    def __enter__(self) -> None:
        self._atomic = transaction.atomic()
        self._atomic.__enter__()

    def __exit__(self, *_: Any) -> None:
        transaction.set_rollback(True)
        self._atomic.__exit__(None, None, None)


def smallest(program: Program, differs: Callable[[Program], bool]) -> Program:
    """A program from which nothing can be taken away without the difference going, too."""
    n_tries, is_smaller = 0, True
    while is_smaller:
        is_smaller = False
        for smaller in program.smaller():
            n_tries += 1
            if n_tries > MAX_TRIES:
                print("not made smaller any further", file=sys.stderr)
                return program
            if differs(smaller):
                program, is_smaller = smaller, True
                break
    return program
