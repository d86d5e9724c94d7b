"""scan_utf8_cache and _audit_utf8_cache beside Ctrl-C, and the reference counts of what they look at."""

from __future__ import annotations

import ctypes
import functools
import operator
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers.cached_strings import cached

from ssrjson_web import _core, scan_utf8_cache

Look = Callable[[Any], Any]


def audit(root: object) -> Any:
    return _core._audit_utf8_cache(root, 5, 5)


of_both = pytest.mark.parametrize("look", [scan_utf8_cache, audit])


class Plain:
    def __init__(self, text: str) -> None:
        self.text = text


class Slotted:
    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


@of_both
def test_reference_counts_stay_as_they_were(look: Look) -> None:
    text, inner, thing, key, slotted = cached(10), [cached(20)], Plain(cached(30)), cached(40), Slotted(cached(50))
    root = {key: [text, inner, (thing, text)], "b": {text, 1.5}, "c": deque([inner]), "d": slotted}
    kinds = [Plain, Slotted, dict, list, deque, str]
    everything: list[Any] = [text, inner, inner[0], thing, key, slotted, root, root[key], *kinds, __name__]
    look(root)
    before = [sys.getrefcount(each) for each in everything]
    for _ in range(50):
        look(root)
        look(everything)
    assert [sys.getrefcount(each) for each in everything] == before


def interrupted(look: Look, root: object, found: list[Any]) -> None:
    """Append what a look gives that begins with SIGINT already there: no bytecode runs before its end that sees it."""
    interrupt = ctypes.pythonapi.PyErr_SetInterrupt
    interrupt.restype = None
    in_c = functools.partial(_core._audit_utf8_cache, root, 5, 5) if look is audit else functools.partial(look, root)
    found.extend(filter(None, map(operator.methodcaller("__call__"), [interrupt, in_c])))


@pytest.fixture
def large() -> list[Any]:
    return [[number] for number in range(200_000)] + [[cached(10)]]


@pytest.fixture
def handled_interrupts() -> Iterator[None]:
    """Python's own handler, which a process that a shell has started in the background has not."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)


@of_both
@pytest.mark.usefixtures("handled_interrupts")
def test_look_is_ended_by_an_interrupt(look: Look, large: list[Any]) -> None:
    reference = sys.getrefcount(large)
    found: list[Any] = []
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            interrupted(look, large, found)
    assert found == []
    assert sys.getrefcount(large) == reference
    assert scan_utf8_cache(large)["bytes"] == 10


@of_both
def test_look_survives_an_interrupt_that_raises_nothing_and_changes_the_objects(look: Look, large: list[Any]) -> None:
    def handle(_number: int, _frame: object) -> None:
        del large[:100_000]
        large.append([cached(20)])

    found: list[Any] = []
    previous = signal.signal(signal.SIGINT, handle)
    try:
        interrupted(look, large, found)
    finally:
        signal.signal(signal.SIGINT, previous)
    assert len(large) == 100_002
    assert found == [look(large)]
    assert scan_utf8_cache(large)["bytes"] == 30
