"""`except JSONEncodeError` catches all errors of the core itself; each is of stdlib's class too."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import json
import math
import operator
import pickle
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import ssrjson_web
from ssrjson_web import Encoder, Fragment, _core

pytestmark = pytest.mark.usefixtures("isa")


@dataclasses.dataclass
class Slotted:
    __slots__ = ("x",)
    x: Any


class OddZone(datetime.tzinfo):
    def utcoffset(self, moment: object) -> Any:
        return datetime.timedelta(days=3)


def ring() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def in_chunks(value: Any, **options: Any) -> bytes:
    return b"".join(Encoder(**options).iterencode(value, 1))


def encoded_into(value: Any, **options: Any) -> None:
    Encoder(**options).encode_into([value], bytearray())


def in_lines(value: Any, **options: Any) -> bytes:
    return Encoder(**options).encode_lines([value])


TO_BYTES: tuple[Callable[..., Any], ...] = (_core.dumps_to_bytes, in_chunks, encoded_into, in_lines)
ALL: tuple[Callable[..., Any], ...] = (_core.dumps, *TO_BYTES)

Case = tuple[type[Exception], Any, dict[str, Any], tuple[Callable[..., Any], ...]]
CASES: dict[str, Case] = {
    "no JSON form": (TypeError, {1}, {}, ALL),
    "key": (TypeError, {(): 1}, {}, ALL),
    "keys that do not sort": (TypeError, {1: 1, "a": 2}, {"sort_keys": True}, ALL),
    "cycle": (ValueError, ring(), {}, ALL),
    "cycle unchecked": (RecursionError, ring(), {"check_circular": False}, ALL),
    "hook without end": (RecursionError, {1}, {"default": lambda thing: [{1}]}, ALL),
    "NaN": (ValueError, math.nan, {"allow_nan": False}, ALL),
    "int53": (ValueError, 2**53, {"int53": "error"}, ALL),
    "digits": (ValueError, 10**5000, {}, ALL),
    "digits of a key": (ValueError, {10**5000: 1}, {}, ALL),
    "surrogate": (UnicodeEncodeError, ["é", "\ud800"], {}, TO_BYTES),
    "surrogate of a key": (UnicodeEncodeError, {"\ud800": 1}, {}, TO_BYTES),
    "surrogate of a Fragment": (UnicodeEncodeError, Fragment("\ud800"), {}, TO_BYTES),
    "surrogate in HTML": (UnicodeEncodeError, "<\ud800", {"html_safe": True}, TO_BYTES),
    "bytes": (UnicodeDecodeError, b"\xff", {"bytes": "utf-8"}, ALL),
    "Fragment of bytes": (UnicodeDecodeError, Fragment(b"\xff"), {"ensure_ascii": True}, ALL),
    "strided buffer": (BufferError, memoryview(b"abcd")[::2], {"bytes": "base64"}, ALL),
    "year": (ValueError, numpy.datetime64(10**12, "D"), {"numpy": True}, ALL),
    "years": (ValueError, numpy.array([10**12], dtype="M8[D]"), {"numpy": True}, ALL),
    "offset": (ValueError, datetime.datetime(2026, 1, 2, tzinfo=OddZone()), {"datetime": "iso"}, ALL),
    "field": (AttributeError, object.__new__(Slotted), {"dataclass": True}, ALL),
}


@pytest.mark.parametrize("name", CASES)
def test_error_is_json_encode_error_and_stdlibs(name: str) -> None:
    builtin, value, options, encoders = CASES[name]
    for encode in encoders:
        with pytest.raises(_core.JSONEncodeError) as raised:
            encode(value, **options)
        error = raised.value
        assert isinstance(error, builtin)
        assert type(error).__module__ == "ssrjson_web"
        assert getattr(ssrjson_web, type(error).__name__) is type(error)
        assert error.__cause__ is None
        assert error.__context__ is None


@pytest.mark.parametrize("name", CASES)
def test_error_of_the_stdlib_drop_in_is_stdlibs_own(name: str) -> None:
    builtin, value, options, encoders = CASES[name]
    if _core.dumps not in encoders:
        return  # json.dumps gives str
    with pytest.raises(builtin) as raised:
        _core._stdlib_dumps(value, **options)
    assert type(raised.value) is builtin


@pytest.mark.parametrize("name", CASES)
def test_error_keeps_its_attributes_through_pickle_and_copy(name: str) -> None:
    _, value, options, encoders = CASES[name]
    with pytest.raises(_core.JSONEncodeError) as raised:
        encoders[-1](value, **options)
    error = raised.value
    names = [a for a in ("args", "__notes__", "encoding", "object", "start", "end", "reason") if hasattr(error, a)]
    others = [*(pickle.loads(pickle.dumps(error, n)) for n in range(6)), copy.copy(error), copy.deepcopy(error)]
    for other in others:
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert {a: getattr(other, a) for a in names} == {a: getattr(error, a) for a in names}


def test_error_of_a_surrogate_has_the_attributes_of_stdlibs() -> None:
    for value in ("\ud800", ["é" * 100, "\udfff" * 3], {"中\ud800": 1}):
        with pytest.raises(UnicodeEncodeError) as expected:
            json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        with pytest.raises(_core.JSONEncodeUnicodeEncodeError) as got:
            _core.dumps_to_bytes(value)
        for name in ("args", "encoding", "object", "start", "end", "reason"):
            assert getattr(got.value, name) == getattr(expected.value, name)
        assert str(got.value) == str(expected.value)


def test_error_of_a_field_keeps_name_and_object() -> None:
    point = object.__new__(Slotted)
    with pytest.raises(AttributeError) as expected:
        point.x  # noqa: B018
    with pytest.raises(_core.JSONEncodeAttributeError) as got:
        _core.dumps(point, dataclass=True)
    assert str(got.value) == str(expected.value)
    assert (got.value.name, got.value.obj) == (expected.value.name, expected.value.obj)


def test_error_of_a_dict_that_changes_between_chunks() -> None:
    value = dict.fromkeys("abcdef", 1)
    chunks = Encoder().iterencode(value, 1)
    next(chunks)
    value["g"] = 1
    with pytest.raises(_core.JSONEncodeRuntimeError, match=r"^dictionary changed size during iteration") as raised:
        list(chunks)
    assert raised.value.__notes__ == ["at $"]  # type: ignore[attr-defined]


def test_error_of_streams_within_each_other() -> None:
    chunks: Iterator[Any] = iter([1])
    for _ in range(100_000):
        chunks = Encoder(iterables=True).iterencode(chunks)
    with pytest.raises(RecursionError) as raised:
        list(chunks)
    # from Python 3.12 on the interpreter's own limit on C code may be reached first, and it is its error then
    assert isinstance(raised.value, _core.JSONEncodeRecursionError) or sys.version_info >= (3, 12)


def raises(failure: BaseException) -> Callable[..., Any]:
    def function(*_: object) -> Any:
        raise failure

    return function


FAILURES: tuple[type[BaseException], ...] = (
    TypeError,
    ValueError,
    BufferError,
    AttributeError,
    RuntimeError,
    RecursionError,
    KeyError,
    MemoryError,
    KeyboardInterrupt,
)


@pytest.mark.parametrize("kind", FAILURES)
def test_what_python_code_raises_passes_through_untouched(kind: type[BaseException]) -> None:
    failure = kind("own")

    class Key:
        __lt__ = raises(failure)
        __hash__ = object.__hash__

    class Iterable(list[Any]):
        __iter__ = raises(failure)

    class Mapping(dict[Any, Any]):
        items = raises(failure)

    class Zone(datetime.tzinfo):
        utcoffset = raises(failure)

    @dataclasses.dataclass(init=False)
    class WithProperty:
        x: Any

        @property  # type: ignore[no-redef]
        def x(self) -> Any:
            raise failure

    def generator() -> Iterator[int]:
        yield 1
        raise failure

    cases: list[tuple[Callable[[], Any], dict[str, Any]]] = [
        (lambda: {1}, {"default": raises(failure)}),
        (lambda: {Key(): 1, Key(): 2}, {"sort_keys": True, "skipkeys": True}),
        (lambda: Iterable([1]), {}),
        (lambda: Mapping(a=1), {}),
        (generator, {"iterables": True}),
        (lambda: datetime.datetime(2026, 1, 2, tzinfo=Zone()), {"datetime": "iso"}),
        (WithProperty, {"dataclass": True}),
    ]
    if kind is TypeError:  # as stdlib's encoder in C does, a list that cannot be iterated has an error of its own
        for encode in ALL:
            with pytest.raises(TypeError, match="list needs a sequence"):
                encode([cases[2][0]()])
        del cases[2]
    for make, options in cases:
        for encode in ALL:
            with pytest.raises(kind) as raised:
                encode([make()], **options)
            assert raised.value is failure, (make, encode)


def test_what_hooks_in_c_raise_passes_through_untouched() -> None:
    cases: list[tuple[Any, dict[str, Any], type[Exception]]] = [
        ({1}, {"default": int}, TypeError),
        ({1}, {"default": operator.attrgetter("missing")}, AttributeError),
        (map(int, ["x"]), {"iterables": True}, ValueError),
        (type("Own", (list,), {"__iter__": lambda self: map(int, ["x"])})([1]), {}, ValueError),
    ]
    for value, options, kind in cases:
        with pytest.raises(kind) as raised:
            _core.dumps([value], **options)
        assert type(raised.value) is kind


def test_classes_stand_below_each_other_and_are_public() -> None:
    for name, bases in {
        "JSONEncodeError": (Exception,),
        "JSONEncodeTypeError": (_core.JSONEncodeError, TypeError),
        "JSONEncodeValueError": (_core.JSONEncodeError, ValueError),
        "JSONEncodeUnicodeEncodeError": (_core.JSONEncodeValueError, UnicodeEncodeError),
        "JSONEncodeUnicodeDecodeError": (_core.JSONEncodeValueError, UnicodeDecodeError),
        "JSONEncodeBufferError": (_core.JSONEncodeError, BufferError),
        "JSONEncodeAttributeError": (_core.JSONEncodeError, AttributeError),
        "JSONEncodeRuntimeError": (_core.JSONEncodeError, RuntimeError),
        "JSONEncodeRecursionError": (_core.JSONEncodeRuntimeError, RecursionError),
    }.items():
        kind = getattr(_core, name)
        assert kind.__bases__ == bases
        assert kind.__doc__
        assert getattr(ssrjson_web, name) is kind
        assert name in ssrjson_web.__all__
