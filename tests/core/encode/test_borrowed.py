"""What the encoder holds, or has read, while Python code changes it: keys, zones, arrays, fields of classes."""

from __future__ import annotations

import datetime
import gc
import io
import struct
import zoneinfo
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from helpers.all_outputs import in_chunks
from helpers.call_outcome import outcome

from ssrjson_web import _core, orjson

pytestmark = pytest.mark.usefixtures("isa")
WAYS: list[Callable[..., Any]] = [_core.dumps, _core.dumps_to_bytes, in_chunks]


def use_memory_again() -> None:
    gc.collect()
    [[f"{n}" * 9] for n in range(100)]


def empty_lists_of_pairs(has_key: Callable[[Any], bool]) -> None:
    for found in gc.get_objects():
        first = found[0] if type(found) is list and found else None
        if type(first) is tuple and len(first) == 2 and has_key(first[0]):
            found.clear()
    use_memory_again()


class Emptying(datetime.tzinfo):
    """A zone that empties every list of pairs with a datetime as key."""

    def utcoffset(self, moment: Any) -> datetime.timedelta:
        empty_lists_of_pairs(lambda key: type(key) is datetime.datetime)
        return datetime.timedelta(0)

    dst = tzname = utcoffset  # type: ignore[assignment]


class Pairs(dict[Any, Any]):
    def items(self) -> Any:
        yield datetime.datetime(2026, 1, 2, tzinfo=Emptying()), ["x" * 50, ["y" * 50]]
        yield "b", ["z" * 50]


@pytest.mark.parametrize("option", [{}, {"indent": 1}, {"ensure_ascii": True}, {"exclude_none": True}])
def test_value_of_a_pair_outlives_the_conversion_of_its_key(option: dict[str, Any]) -> None:
    expected = {"2026-01-02T00:00:00+00:00": ["x" * 50, ["y" * 50]]}
    for encode in WAYS:
        for value in (Pairs(a=1), [Pairs(a=1), ["after"]]):
            kind, text, *_ = outcome(encode, value, natives=True, **option)
            assert kind == "value", text
            decoded = _core.loads(text if isinstance(text, bytes) else eval(text))
            assert (decoded[0] if isinstance(decoded, list) else decoded) == expected


class Zone(zoneinfo.ZoneInfo):
    pass


def test_zone_with_a_method_of_its_own_may_drop_the_document() -> None:
    zone = Zone("UTC")
    document: list[Any] = []

    def drop(moment: object) -> datetime.timedelta:
        while document:
            document.pop().clear()
        use_memory_again()
        return datetime.timedelta(0)

    zone.utcoffset = drop  # type: ignore[method-assign]
    moment = datetime.datetime(2026, 1, 2, tzinfo=zone)
    for make in (lambda: {"a": moment, "b": ["x" * 50]}, lambda: [moment, ["x" * 50]], lambda: {moment: ["x" * 50]}):
        for encode in (*WAYS, lambda value, natives: orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS)):
            value: Any = make()
            document[:] = [value]
            assert outcome(encode, value, natives=True)[0] in ("value", "RuntimeError")


def zone_of(seconds: int) -> datetime.tzinfo:
    """A zone whose data, unlike those of the system, may say any offset."""
    block = b"TZif2" + b"\0" * 15 + struct.pack(">6l", 0, 0, 0, 0, 1, 4) + struct.pack(">lbb", seconds, 0, 0) + b"ABC\0"
    return zoneinfo.ZoneInfo.from_file(io.BytesIO(block + block + b"\n\n"), key="made")


@pytest.mark.parametrize("seconds", [86_399, -86_399, 86_400, -86_400, 90_000, 360_000, 10**9, -(10**9), 2**31 - 1])
def test_offset_of_a_day_or_more_is_refused_as_datetime_does(seconds: int) -> None:
    moment = datetime.datetime(2026, 1, 2, tzinfo=zone_of(seconds))
    expected = outcome(moment.isoformat)
    for encode in WAYS:
        for value in (moment, [moment], {"a": moment}):
            got = outcome(encode, value, natives=True)
            assert got[0] == expected[0]
            if got[0] != "value":
                assert "strictly between" in got[1]
    assert (outcome(orjson.dumps, moment)[0] == "value") == (abs(seconds) < 86_400)


@pytest.mark.parametrize(
    "fields",
    [[1, 2], {"a": 1}.items(), {1: 2}, 5, None, {"a": 5}, {"a": None, "_b": None}, type("Lying", (dict,), {})(a=1)],
    ids=lambda fields: type(fields).__name__,
)
def test_fields_that_are_not_those_of_dataclasses_are_refused(fields: Any) -> None:
    for members in ({"__slots__": ("a",)}, {"__slots__": ("a",), "items": lambda self: [1, 2]}):
        given = type("Given", (), {**members, "__dataclass_fields__": fields})()
        with pytest.raises(TypeError, match="Type is not JSON serializable: Given"):
            orjson.dumps([given])
    lying = type("Lying", (dict,), {"items": lambda self: [1, 2]})(a=type("Field", (), {})())
    given = type("Given", (), {"__slots__": ("a",), "__dataclass_fields__": lying})()
    with pytest.raises(TypeError, match="Type is not JSON serializable: Given"):
        orjson.dumps(given)


def test_fields_that_change_while_they_are_read_do_no_harm() -> None:
    class Field:
        @property
        def _field_type(self) -> Any:
            fields.clear()
            empty_lists_of_pairs(lambda key: key == "first")
            return Field

        name = "_FIELD"

    for name in ("_FIELD", "_FIELD_CLASSVAR"):
        Field.name = name
        fields: dict[str, Any] = {"first": Field(), "second": Field()}
        given = type("Given", (), {"__slots__": ("first", "second"), "__dataclass_fields__": fields})()
        given.first = given.second = ["x" * 50]
        assert outcome(orjson.dumps, [given])[0] in ("value", "TypeError")


def test_text_of_a_decimal_is_not_taken_for_granted() -> None:
    class Odd(Decimal):
        def __str__(self) -> Any:
            return ""

        def __float__(self) -> Any:
            return 1.5

    for text in ("1e999999", "NaN123", "-Infinity", "1" * 60):
        for option in ({}, {"decimal": "str"}, {"decimal": "float"}):
            assert outcome(_core.dumps, [Odd(text)], natives=True, **option)[0] in ("value", "JSONEncodeValueError")
