"""The note on a JSONEncodeError: the path to the value, and the option that would write it."""

from __future__ import annotations

import array
import dataclasses
import datetime
import decimal
import enum
import math
import pathlib
import types
import uuid
from collections import OrderedDict, UserDict, deque
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import numpy
import pydantic
import pytest
from helpers.call_outcome import lasting_repr
from helpers.structs import HAS_MSGSPEC, msgspec

from ssrjson_web import Fragment, _core

pytestmark = pytest.mark.usefixtures("isa")


class Thing:
    pass


@dataclasses.dataclass
class Point:
    x: Any
    y: Any = 0


@dataclasses.dataclass
class Slotted:
    __slots__ = ("x", "y")
    x: Any
    y: Any


class Model(pydantic.BaseModel):
    a: Any = pydantic.Field(default=0, alias="A b")
    b: Any = 1
    model_config = pydantic.ConfigDict(populate_by_name=True)


@attrs.define
class Attrs:
    a: Any
    b: Any


class Struct(msgspec.Struct):
    a: Any
    b: Any


class Items(list[Any]):
    pass


class Own(dict[Any, Any]):
    def items(self) -> Any:
        return [("first", 1), *super().items()]


THING = Thing()


def in_chunks(value: Any, **options: Any) -> bytes:
    return b"".join(_core.Encoder(**options).iterencode(value, 1))


ENCODERS: tuple[Callable[..., Any], ...] = (_core.dumps, _core.dumps_to_bytes, in_chunks)


def note_of(encode: Callable[..., Any], value: Any, **options: Any) -> str:
    with pytest.raises(_core.JSONEncodeError) as raised:
        encode(value, **options)
    notes: list[str] = getattr(raised.value, "__notes__", [])
    assert len(notes) == 1, notes
    return notes[0]


def assert_path(expected: str, make: Callable[[], Any] | Any, **options: Any) -> None:
    for encode in ENCODERS:
        value = make() if isinstance(make, types.FunctionType) else make
        assert note_of(encode, value, **options) == f"at {expected}", (encode, value, options)


def test_path_goes_through_lists_tuples_and_dicts() -> None:
    for options in ({}, {"indent": 1}, {"ensure_ascii": True}, {"check_circular": False}):
        assert_path("$", THING, **options)
        assert_path("$[0]", [THING], **options)
        assert_path("$[2]", [0, [], THING, THING], **options)
        assert_path("$[1][1]", ("a", ("b", THING)), **options)
        assert_path("$.items[3].when", {"items": [1, 2.5, None, {"x": 1, "when": THING}]}, **options)
        assert_path("$[20]", [*range(20), THING], **options)
        assert_path("$[20]", [*map(float, range(20)), THING], **options)
        assert_path("$[20]", [True] * 20 + [THING], **options)
        assert_path("$[9].a", [[1.5, 2.5]] * 9 + [{"a": THING}], **options)


def test_path_to_what_stands_after_finished_containers() -> None:
    assert_path("$.b[1]", {"a": [[], {}, [1]], "b": [{"x": {"y": 1}}, THING], "c": 1})


def test_path_quotes_keys_that_are_no_identifiers() -> None:
    assert_path('$["a b"]', {"a b": THING})
    assert_path('$[""]["1a"]["a-b"].été._x1["中 文"]', {"": {"1a": {"a-b": {"été": {"_x1": {"中 文": THING}}}}}})
    assert_path(r'$["\"\\\u000a\ud800\U000e0001"]', {'"\\\n\ud800\U000e0001': THING}, ensure_ascii=True)


def test_path_writes_keys_that_are_no_str_as_their_text() -> None:
    deep = {None: {True: {False: {5: {-(2**62): {2.5: {math.nan: {math.inf: THING}}}}}}}}
    assert_path('$["null"]["true"]["false"]["5"]["-4611686018427387904"]["2.5"]["NaN"]["Infinity"]', deep)
    assert_path("$[<int>]", {2**70: THING})
    assert_path("$[<UUID>][<date>]", {uuid.UUID(int=5): {datetime.date(2026, 1, 2): THING}}, natives=True)


def test_path_of_key_subclasses_runs_no_python_code() -> None:
    class Text(str):
        def __repr__(self) -> str:
            raise AssertionError

        __str__ = __format__ = __repr__

    class Number(int):
        def __repr__(self) -> str:
            raise AssertionError

        __str__ = __format__ = __index__ = __int__ = __repr__  # type: ignore[assignment]

    assert_path('$.key["7"]', {Text("key"): {Number(7): THING}})


def test_path_cuts_long_keys_and_deep_paths() -> None:
    assert_path("$." + "k" * 40, {"k" * 40: THING})
    assert_path('$["' + "k" * 40 + '..."]', {"k" * 41: THING})
    assert_path('$["' + "k" * 40 + '..."]', {"k" * 1_000_000: THING})
    assert_path('$["' + r"\U0010ffff" * 4 + '..."]', {"\U0010ffff" * 50: THING})
    value: Any = THING
    for i in range(24):
        value = [value] if i % 2 else {f"k{i}": value}
    assert_path("$" + "".join(f"[0].k{i}" for i in range(22, -1, -2)), value)
    for depth in (25, 100, 5000, 100_000):
        value = THING
        for _ in range(depth):
            value = [value]
        assert_path("$" + "[0]" * 12 + "..." + "[0]" * 12, value)
        while isinstance(value, list):  # no recursion when it goes
            value = value.pop()
    wide: Any = THING
    for _ in range(1000):
        wide = {"\n" * 100: wide}
    assert len(note_of(_core.dumps, wide)) < 2000


def test_path_through_sorted_pairs_and_subclasses() -> None:
    for options in ({}, {"sort_keys": True}):
        members: Any = {"z": THING, "a": THING} if options else {"z": 1, "a": THING}
        assert_path("$.b.a", {"c": THING, "b": members} if options else {"b": members, "c": THING}, **options)
        assert_path("$.x[1][1]", OrderedDict(x=Items([0, Items([1, THING])])), **options)
        assert_path("$.second[0]", Own(second=[THING]), **options)
    assert_path('$["2"].a', {3: 1, 2: {"b": 1, "a": THING}}, sort_keys=True)


def test_path_through_iterators_and_mappings() -> None:
    def values() -> Iterator[Any]:
        yield 1
        yield {"a": (THING for _ in range(3))}

    assert_path("$[1].a[0]", lambda: values(), iterables=True)
    assert_path("$[0]", {THING}, iterables=True)
    assert_path("$[1][1]", [0, deque([0, THING])], iterables=True)
    assert_path("$.b.c", types.MappingProxyType({"a": 1, "b": UserDict(c=THING)}), mapping=True)


def test_path_through_models() -> None:
    assert_path("$[0].y", [Point(1, THING)], dataclass=True)
    assert_path("$[0].y[0]", [Slotted(1, [THING])], natives=True)
    assert_path("$.p.x.y", {"p": Point(Point(1, THING))}, models=True)
    assert_path("$[0].b", [Attrs(1, THING)], models=True)
    assert_path("$[0].b", [Struct(1, THING)], models=True)
    assert_path("$.list[0].b[1]", {"list": [Model(a=1, b=[1, 2**60])]}, models="pydantic", int53="error")
    assert_path('$["A b"]', Model(a=2**60), models=True, by_alias=True, int53="error")


def test_path_to_a_field_that_an_object_lacks() -> None:
    point: Any = Slotted(1, 2)
    assert_path("$.a[1].x", {"a": [1, object.__new__(Slotted)]}, natives=True)
    del point.y
    assert_path("$.y", point, natives=True)


def test_path_through_object_arrays() -> None:
    array_of_objects = numpy.array([[1, None], [{"a": [THING]}, 2]], dtype=object)
    assert_path("$.m[1][0].a[0]", {"m": array_of_objects}, numpy=True)
    assert_path("$.m", {"m": numpy.array([1.5, math.nan])}, numpy=True, allow_nan=False)


def test_path_through_what_hooks_give() -> None:
    def default(thing: Any) -> Any:
        return [1, {"x": 3j}] if isinstance(thing, set) else {"n": thing.imag, "z": Fragment(b"\xff")}

    assert_path("$.a[1].x.z", {"a": {1}}, default=default, ensure_ascii=True)

    class Colour(enum.Enum):
        RED = (1, THING)

    assert_path("$[0][1]", [Colour.RED], enum="value")


def test_path_after_python_code_changed_the_containers() -> None:
    outer: dict[str, Any] = {}

    def default(thing: Any) -> Any:
        outer.clear()
        return [1, 3j if isinstance(thing, set) else None]

    def refuse(thing: Any) -> Any:
        return default(thing) if isinstance(thing, set) else Fragment(b"\xff")

    for encode in (_core.dumps, _core.dumps_to_bytes):
        outer.update(a=1, b=[0, {1}], c=2)
        assert note_of(encode, {"o": outer}, default=refuse, ensure_ascii=True) == "at $.o.b[1][1]"


def test_path_to_a_key_counts_the_keys_of_its_dict() -> None:
    hint = "; key_default=str writes it"
    for options in ({}, {"indent": 1}):
        assert_path(f"key 0 of ${hint}", {(): 1}, **options)
        assert_path(f"key 3 of $.items[1]{hint}", {"items": [0, {"a": 1, 2: 2, None: 3, (): 4, "b": 5}]}, **options)
        assert_path("key 1 of $[0]", [{"a": 1, math.nan: 1}], allow_nan=False, **options)
        assert_path("key 1 of $[0]", [{"a": 1, 10**5000: 1}], **options)
        assert_path("key 1 of $[0]", [{"a": 1, 2**60: 1}], int53="error", **options)
        assert_path(f"key 2 of ${hint}", Own({"a": 1, (): 2}), **options)
    gone = dict.fromkeys(range(10), 0)
    for i in range(1, 9):
        del gone[i]
    assert_path(f"key 2 of $.g{hint}", {"g": {**gone, (): 1}})
    del gone[0]
    gone[()] = 1  # type: ignore[index]
    assert_path(f"key 1 of ${hint}", gone)


def test_path_to_a_key_after_a_hook_has_run() -> None:
    assert_path("key 2 of $.a; key_default=str writes it", {"a": {"x": {1}, "y": 1, (): 2}}, default=sorted)


def test_path_of_a_cycle_ends_at_the_second_round() -> None:
    ring: list[Any] = [1]
    ring.append({"a": ring})
    assert_path("$.r[1].a", {"r": ring})
    members: dict[str, Any] = {}
    members["self"] = members
    assert_path("$.self", members)
    deep: list[Any] = [ring]
    for _ in range(100_000):
        deep = [deep]
    assert_path("$" + "[0]" * 12 + "..." + "[0]" * 10 + "[1].a", deep)
    while isinstance(deep[0], list) and deep[0] is not ring:
        deep = deep.pop()


def test_path_of_other_errors() -> None:
    assert_path("$.a[1]", {"a": [1.5, math.nan]}, allow_nan=False)
    assert_path("$.a[1]", {"a": [1, 2**60]}, int53="error")
    assert_path("$.a[1]", {"a": [1, 10**5000]})
    assert_path("$.a[1]", {"a": [1, {1: 1, "a": 2}]}, sort_keys=True)
    assert_path("$.a", {"a": memoryview(b"abcd")[::2]}, bytes="utf-8")
    assert_path("$.a", {"a": numpy.datetime64(10**12, "D")}, numpy=True)


def test_path_to_the_first_half_of_a_surrogate_pair() -> None:
    cases: list[tuple[str, Any]] = [
        ("$", "\ud800"),
        ("$[1].a[0]", ["é", {"a": ["中\udfff" * 70, "\ud800"]}, "\ud800"]),
        ("key 1 of $.a", {"a": {"b": 1, "c\ud800": 2}, "\ud800": 3}),
        ("$.a.b", {"a": {"b": "x" * 100 + "\ud800"}}),
    ]
    for path, value in cases:
        for encode in (_core.dumps_to_bytes, in_chunks):
            for options in ({}, {"indent": 1}, {"sort_keys": True}):
                assert note_of(encode, value, **options) == f"at {path}"
    assert note_of(_core.dumps_to_bytes, ["\ud800", [THING]]) == "at $[1][0]"  # what stdlib finds first
    with pytest.raises(ZeroDivisionError) as raised:
        _core.dumps_to_bytes(["\ud800", THING], default=lambda thing: 1 // 0)
    assert not any(note.startswith("at ") for note in getattr(raised.value, "__notes__", []))


HINTS: list[tuple[Any, str]] = [
    (datetime.datetime(2026, 1, 2), 'datetime="iso"'),
    (datetime.date(2026, 1, 2), 'date="iso"'),
    (datetime.time(1), 'time="iso"'),
    (datetime.timedelta(1), 'timedelta="iso"'),
    (uuid.UUID(int=1), 'uuid="hyphenated"'),
    (enum.Enum("Colour", "RED")["RED"], 'enum="value"'),
    (decimal.Decimal(1), 'decimal="number"'),
    (b"a", 'bytes="utf-8"'),
    (bytearray(b"a"), 'bytes="utf-8"'),
    (memoryview(b"a"), 'bytes="utf-8"'),
    ({1}, "iterables=True"),
    (frozenset(), "iterables=True"),
    (deque(), "iterables=True"),
    ({}.values(), "iterables=True"),
    (iter([]), "iterables=True"),
    (types.MappingProxyType({}), "mapping=True"),
    (UserDict(), "mapping=True"),
    (pathlib.PurePosixPath("/a"), "path=True"),
    (numpy.int64(1), "numpy=True"),
    (numpy.float32(1), "numpy=True"),
    (numpy.datetime64("2026-01-02"), "numpy=True"),
    (numpy.arange(3), "numpy=True"),
    (numpy.array(["a"]), "numpy=True"),
    (Point(1), "dataclass=True"),
]


@pytest.mark.parametrize(("value", "option"), HINTS, ids=lambda case: lasting_repr(case)[:30])
def test_note_names_the_option_that_writes_the_value(value: Any, option: str) -> None:
    for encode in ENCODERS:
        assert note_of(encode, {"a": [value]}) == f"at $.a[0]; {option}, or natives=True, writes it"
    name, given = option.split("=")
    named: Any = {name: given == "True" or given.strip('"')}
    for options in (named, {"natives": True}):
        for encode in ENCODERS:
            assert encode([value], **options)


def test_note_on_bytes_that_are_no_text_names_base64() -> None:
    assert note_of(_core.dumps, [b"\xff"]) == 'at $[0]; bytes="base64" writes it'
    assert _core.dumps([b"\xff"], bytes="base64")


def test_note_on_a_model_names_models() -> None:
    for model in (Model(), Attrs(1, 2), *([Struct(1, 2)] if HAS_MSGSPEC else [])):
        for options in ({}, {"natives": True}):
            assert note_of(_core.dumps, [model], **options) == "at $[0]; models=True writes it"
        assert _core.dumps([model], models=True)
    if HAS_MSGSPEC:
        assert note_of(_core.dumps, [Struct(1, 2)], models="pydantic") == "at $[0]; models=True writes it"


def test_note_on_a_key_names_the_option_of_its_type_unless_that_holds_for_values_only() -> None:
    day = datetime.date(2026, 1, 2)
    assert note_of(_core.dumps, {day: 1}) == 'at key 0 of $; date="iso", or natives=True, writes it'
    assert _core.dumps({day: 1}, date="iso")
    for key in (frozenset(), (), Point):
        assert note_of(_core.dumps, {key: 1}) == "at key 0 of $; key_default=str writes it"


def test_note_on_what_no_option_writes_names_none() -> None:
    values: list[Any] = [THING, Thing, Point, 3j, len, ..., numpy.complex128(1), numpy.array([1j]), array.array("b")]
    for value in values:
        assert note_of(_core.dumps, [value]) == "at $[0]", value
    assert note_of(_core.dumps, [numpy.complex128(1)], natives=True) == "at $[0]"
    assert note_of(_core.dumps, [deque()], iterables=True, exact_types=True) == "at $[0]"


def test_note_on_a_class_that_lies_about_itself_or_raises_is_the_path() -> None:
    class Lying:
        @property
        def __class__(self) -> Any:
            raise KeyError("class")

    with pytest.raises(KeyError) as raised:  # by the text, as in stdlib
        _core.dumps([Lying()])
    assert not getattr(raised.value, "__notes__", [])


def test_stdlibs_exceptions_get_no_path() -> None:
    for value in ([THING], [10**5000], {(): 1}, [datetime.date(2026, 1, 2)]):
        with pytest.raises((TypeError, ValueError)) as raised:
            _core._stdlib_dumps(value)
        assert type(raised.value) in (TypeError, ValueError)
        assert not any(note.startswith("at ") for note in getattr(raised.value, "__notes__", []))


def test_what_a_hook_raises_gets_no_path() -> None:
    failure = ValueError("hook")

    def hook(thing: object) -> Any:
        raise failure

    for encode in ENCODERS:
        with pytest.raises(ValueError, match="hook") as raised:
            encode([{1}], default=hook)
        assert raised.value is failure
        assert not any(note.startswith("at ") for note in getattr(failure, "__notes__", []))
