"""namedtuple_as_object: namedtuples are objects of what their _asdict() gives, as in simplejson."""

from __future__ import annotations

import collections
import os
import sys
import time
from typing import Any, NamedTuple

import pytest
from helpers.all_outputs import assert_encoded_as, assert_refused, in_chunks, run_with_little_stack

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

Point = collections.namedtuple("Point", "y x")
Empty = collections.namedtuple("Empty", "")


class Book(NamedTuple):
    title: str
    price: Any = None


class Derived(Point):
    """One with a __dict__, and an attribute that is no field."""

    def __init__(self, *arguments: Any) -> None:
        self.more = 1


class Own(Point):
    def _asdict(self) -> Any:
        return {"own": self.y, 2: [self.x]}


class Refused(Point):
    def _asdict(self) -> Any:
        return [("a", 1)]


class Raising(Point):
    def _asdict(self) -> Any:
        raise KeyError("mine")


class NoFields(tuple):  # type: ignore[type-arg]
    _fields = ("a", 1)

    def _asdict(self) -> Any:
        raise AssertionError("not a namedtuple")


class NoDict(tuple):  # type: ignore[type-arg]
    _fields = ("a", "b")


class Within(Point):
    def _asdict(self) -> Any:
        return {"again": self}


class Endless(Point):
    def _asdict(self) -> Any:
        return {"next": Endless(1, 2)}


class Clearing(Point):
    def _asdict(self) -> Any:
        for container in self.x:
            container.clear()
        return {"y": self.y}


class Unreadable(Point):
    @property
    def _fields(self) -> Any:  # type: ignore[override]
        raise AssertionError("not read")


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Point(1, 2), {"y": 1, "x": 2}),
        (Book("é"), {"title": "é", "price": None}),
        (Empty(), {}),
        (Derived(1, 2), {"y": 1, "x": 2}),
        (
            Point(Point(1, [Point("中", ())]), {"a": Empty()}),
            {"y": {"y": 1, "x": [{"y": "中", "x": []}]}, "x": {"a": {}}},
        ),
    ],
    ids=["namedtuple", "typed", "empty", "derived", "nested"],
)
def test_namedtuple_is_written_as_an_object(value: Any, plain: Any) -> None:
    assert_encoded_as(plain, value, namedtuple_as_object=True)
    assert_encoded_as(plain, value, namedtuple_as_object=True, exact_types=True)
    assert_encoded_as(plain, value, namedtuple_as_object=True, models=True)


def test_overridden_asdict_decides() -> None:
    assert _core.dumps([Own(1, 2)], namedtuple_as_object=True) == '[{"own":1,"2":[2]}]'
    asked = _core.dumps(
        [Own(1, 2)], namedtuple_as_object=True, exact_types=True, default=lambda value: sorted(map(str, value))
    )
    assert asked == '[["2","own"]]'  # exact_types gives dicts with keys that are no str to the hook


def test_other_tuples_are_arrays() -> None:
    for value in (NoFields((1, 2)), NoDict((1, 2)), Unreadable(1, 2), (1, 2)):
        assert_encoded_as([1, 2], value, namedtuple_as_object=True)
    now = time.gmtime(0)
    assert _core.dumps(now, namedtuple_as_object=True) == _core.dumps(list(now))
    size = os.terminal_size((1, 2))
    assert _core.dumps([size], namedtuple_as_object=True) == "[[1,2]]"


def test_namedtuple_is_an_array_without_the_option() -> None:
    assert _core.dumps(Point(1, 2)) == _core.dumps(Point(1, 2), namedtuple_as_object=False) == "[1,2]"
    assert _core.dumps(Point(1, 2), exact_types=True, default=lambda value: "asked") == '"asked"'


def test_fields_that_are_none_are_left_out_and_keys_are_sorted() -> None:
    assert _core.dumps([Point(1, None)], namedtuple_as_object=True, exclude_none=True) == '[{"y":1}]'
    assert _core.dumps([Point(1, 2)], namedtuple_as_object=True, sort_keys=True) == '[{"x":2,"y":1}]'
    text = _core.dumps([Point(None, None)], namedtuple_as_object=True, exclude_none=True, indent=1)
    assert text == "[\n {}\n]"


def test_asdict_that_gives_no_dict_is_refused() -> None:
    assert_refused(Refused(1, 2), namedtuple_as_object=True)
    with pytest.raises(TypeError, match=r"_asdict\(\) of Refused must return a dict, not list"):
        _core.dumps(Refused(1, 2), namedtuple_as_object=True)


def test_exception_of_asdict_passes_through() -> None:
    for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
        with pytest.raises(KeyError, match="mine"):
            encode([{"a": Raising(1, 2)}], namedtuple_as_object=True)


def test_namedtuple_within_itself_is_refused() -> None:
    with pytest.raises(ValueError, match="Circular"):
        _core.dumps([Within(1, 2)], namedtuple_as_object=True)
    items: list[Any] = []
    items.append(Point(1, items))
    with pytest.raises(ValueError, match="Circular"):
        _core.dumps(items, namedtuple_as_object=True)
    for value in (Endless(1, 2), Within(1, 2)):
        with pytest.raises(RecursionError):
            _core.dumps(value, namedtuple_as_object=True, check_circular=False)


def test_deep_nesting_needs_no_stack() -> None:
    value: Any = 1
    for _ in range(sys.getrecursionlimit() // 2):
        value = Point(1, [value])

    def run() -> None:
        assert _core.dumps(value, namedtuple_as_object=True).endswith("}]}")

    assert run_with_little_stack(run)


def test_asdict_that_clears_the_containers_around_does_no_harm() -> None:
    inner: dict[str, Any] = {}
    outer: list[Any] = [inner, "é"]
    inner.update(a=Clearing(1, [inner, outer]), b=[2])
    assert _core.dumps(outer, namedtuple_as_object=True) in ('[{"a":{"y":1},"b":[2]}]', '[{"a":{"y":1},"b":[2]},"é"]')


def test_simplejson_writes_the_same() -> None:
    simplejson = pytest.importorskip("simplejson", reason="simplejson is not installed")
    for value in (Point(1, 2), Book("a"), Empty(), Derived(1, 2), Own(1, 2), [Point(None, Point(1, (2,)))]):
        assert _core.dumps(value, namedtuple_as_object=True) == simplejson.dumps(value, separators=(",", ":"))
