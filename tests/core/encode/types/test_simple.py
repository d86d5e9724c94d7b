"""Values that are written quickly once their class is known: dates, members of Enums, objects with plain fields.

A class is known from its second object on, so the oracle is the text of an object of a class that is still unknown.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
import sys
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from helpers.all_outputs import assert_all_give

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")


def make_class(name: str = "Item", **members: Any) -> type:
    """A new dataclass with the fields a, b and c, which no call has seen."""
    fields = [(field, object, dataclasses.field(default=None)) for field in "abc"]
    return dataclasses.make_dataclass(name, fields, namespace=members)


def known_class(**members: Any) -> type:
    known = make_class(**members)
    _core.dumps([known(), known()], natives=True)
    return known


def make_enum(**members: Any) -> type[enum.Enum]:
    return enum.Enum("Kind", members)


def known_enum(**members: Any) -> type[enum.Enum]:
    known = make_enum(**members)
    _core.dumps([*known, *known], natives=True)
    return known


def assert_known_as_unknown(make: Callable[[type], Any], **options: Any) -> None:
    """What `make` gives for a known class is written as for an unknown one, to bytes, str and in indented text."""
    for spacing in ({}, {"indent": 1}, {"separators": (", ", " : ")}):
        for dumps in (_core.dumps_to_bytes, _core.dumps):
            expected = dumps(make(make_class()), natives=True, **spacing, **options)
            assert dumps(make(known_class()), natives=True, **spacing, **options) == expected


@pytest.mark.parametrize(
    "make",
    [
        lambda item: item(1, 2, 3),
        lambda item: [item(1, "é", 3.5), item("中", "😀", None)],
        lambda item: {"x": item(item(1, 2, 3), [item()], {"y": item()})},
        lambda item: (item(), item((), {}, [])),
    ],
)
def test_objects(make: Callable[[type], Any]) -> None:
    assert_known_as_unknown(make)
    assert_known_as_unknown(make, sort_keys=True)
    assert_known_as_unknown(make, exclude_none=True)
    assert_known_as_unknown(make, omit_defaults=True)
    assert_known_as_unknown(make, ensure_ascii=True)


def with_dict(item: Any) -> Any:
    assert item.__dict__
    return item


def with_another_attribute(item: Any) -> Any:
    item.d = "not a field"
    return item


def in_another_order(item: Any) -> Any:
    values = vars(item).copy()
    vars(item).clear()
    vars(item).update({key: values[key] for key in ("c", "a", "b")})
    return item


def set_again(item: Any) -> Any:
    del item.b
    item.b = "again"
    return item


@pytest.mark.parametrize("change", [with_dict, with_another_attribute, in_another_order, set_again])
def test_objects_whose_attributes_are_elsewhere(change: Callable[[Any], Any]) -> None:
    assert_known_as_unknown(lambda item: [change(item(1, "é", [2])), item(3, 4, 5)])


def test_field_that_is_missing() -> None:
    known = dataclasses.make_dataclass("Item", [("a", object), ("b", object)])
    _core.dumps([known(1, 2), known(3, 4)], natives=True)
    item = known(1, 2)
    del item.b
    with pytest.raises(AttributeError, match="b"):
        _core.dumps([known(5, 6), item], natives=True)


@pytest.mark.parametrize("change", ["delete", "replace", "as_dict"])
def test_object_that_a_hook_changes(change: str) -> None:
    def write(item_class: type) -> Any:
        item = item_class(object(), "second", "third")

        def hook(value: object) -> Any:
            if change == "delete":
                item.a = None  # the value that is being written
            elif change == "replace":
                item.a, item.c = None, "changed"
            else:
                vars(item)["c"] = "changed"
            return ["replaced", value.__class__.__name__]

        return _core.dumps([item, item_class(1, 2, 3)], natives=True, default=hook)

    assert write(known_class()) == write(make_class())


def test_objects_below_one_whose_field_a_hook_writes() -> None:
    item = known_class()
    nested = item(1, [item(2, item(object(), 3, 4), 5)], {"x": item(6, 7, 8)})
    expected = '{"a":1,"b":[{"a":2,"b":{"a":"hook","b":3,"c":4},"c":5}],"c":{"x":{"a":6,"b":7,"c":8}}}'
    assert_all_give(("value", repr(expected)), nested, natives=True, default=lambda _: "hook")


@pytest.mark.parametrize("spacing", [{}, {"indent": ""}, {"indent": 3}, {"separators": (" ,\n", " : ")}])
def test_hook_at_the_first_field(spacing: dict[str, Any]) -> None:
    """Python code runs before anything of the object is written but one key: the next one has its separator."""
    item = known_class()
    values = {"a": "hook", "b": [1, "hook"], "c": None}
    expected = _core.dumps([values, values], **spacing)
    items = [item(object(), [1, object()]), item(object(), [1, object()])]
    assert_all_give(("value", repr(expected)), items, natives=True, default=lambda _: "hook", **spacing)


def test_class_that_changes() -> None:
    item = known_class()
    items = [item(1, 2, 3), item(4, 5, 6)]
    item.b = property(lambda _: "computed")
    assert _core.dumps(items, natives=True) == '[{"a":1,"b":"computed","c":3},{"a":4,"b":"computed","c":6}]'
    item.__getattribute__ = lambda self, name: name  # type: ignore[assignment]
    assert _core.dumps(items[:1], natives=True) == '[{"a":"a","b":"b","c":"c"}]'


def assert_at(path: str, error: BaseException) -> None:
    if sys.version_info >= (3, 11):
        assert error.__notes__[0] == f"at {path}"


def test_circular_object() -> None:
    item = known_class()
    one = item(1)
    one.c = {"x": [one]}
    with pytest.raises(_core.JSONEncodeValueError, match="Circular"):
        _core.dumps(one, natives=True)


def test_place_of_an_error_in_an_object() -> None:
    item = known_class()
    with pytest.raises(_core.JSONEncodeTypeError) as caught:
        _core.dumps([item(1, [2, item(3, 4, object())])], natives=True)
    assert_at("$[0].b[1].c", caught.value)


def test_lone_surrogate_in_an_object() -> None:
    assert_known_as_unknown(lambda item: [item("\ud800", 2, "é"), item()], escape_surrogates=True)
    item = known_class()
    with pytest.raises(_core.JSONEncodeUnicodeEncodeError) as caught:
        _core.dumps_to_bytes([item(1, ["\udfff"], 3)], natives=True)
    assert_at("$[0].b[0]", caught.value)


def test_class_that_is_of_json_too() -> None:
    """A list that is a dataclass is written as a list, also if its class has a plan."""

    @dataclasses.dataclass
    class Listed(list):  # type: ignore[type-arg]
        a: int = 1

    @dataclasses.dataclass
    class Float(float):
        a: int = 1

    for _ in range(2):
        assert _core.dumps([Listed(), Float(2.5)], natives=True) == "[[],2.5]"


@pytest.mark.parametrize(
    "value", ["a", "é", "中", "😀", 1, -5, 2**64, 10**30, 1.5, None, True, (1, 2), {"x": [1]}, b"b"]
)
def test_members(value: object) -> None:
    for dumps in (_core.dumps_to_bytes, _core.dumps):
        for options in ({}, {"enum": "name"}, {"ensure_ascii": True}, {"int53": "str"}, {"indent": 2}):
            kind = make_enum(FIRST=value, SECOND="x")
            document = [kind.FIRST, {"y": kind.FIRST}, kind.SECOND]
            expected = dumps(document, natives=True, **options)
            kind = known_enum(FIRST=value, SECOND="x")
            document = [kind.FIRST, {"y": kind.FIRST}, kind.SECOND]
            assert dumps(document, natives=True, **options) == expected
            assert dumps(document, natives=True, **options) == expected


def test_member_whose_value_or_class_changes() -> None:
    kind = known_enum(FIRST="a")
    kind.FIRST._value_ = "changed"
    assert _core.dumps([kind.FIRST], natives=True) == '["changed"]'
    vars(kind.FIRST)["more"] = 1
    assert _core.dumps([kind.FIRST], natives=True) == '["changed"]'
    type.__setattr__(kind, "value", property(lambda _: "computed"))
    assert _core.dumps([kind.FIRST], natives=True) == '["computed"]'


def test_member_that_is_a_tuple() -> None:
    class Pair(tuple, enum.Enum):  # type: ignore[type-arg]
        FIRST = (1, 2)

    for _ in range(2):
        assert json.loads(_core.dumps({Pair.FIRST: [Pair.FIRST]}, natives=True, skipkeys=True)) in (
            {},
            {"[1, 2]": [[1, 2]]},
        )
        assert _core.dumps([Pair.FIRST], natives=True) == "[[1,2]]"


def test_lone_surrogate_in_a_member() -> None:
    kind = known_enum(FIRST="\ud800")
    with pytest.raises(_core.JSONEncodeUnicodeEncodeError) as caught:
        _core.dumps_to_bytes({"x": [kind.FIRST]}, natives=True)
    assert_at("$.x[0]", caught.value)


UTC = datetime.timezone.utc
MOMENTS = [
    datetime.datetime(2024, 2, 29, 23, 59, 58, 120000),
    datetime.datetime(1, 1, 1),
    datetime.datetime(9999, 12, 31, 1, 2, 3, 4, tzinfo=UTC),
    datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=-5, minutes=-30))),
    datetime.date(987, 6, 5),
    datetime.time(1, 2, 3, 999999),
    datetime.time(0, tzinfo=UTC),
]


@pytest.mark.parametrize("moment", MOMENTS)
def test_moments(moment: datetime.datetime | datetime.date | datetime.time) -> None:
    for text in ("", "é", "中", "😀"):
        document = {"x": [text, moment, text], "y": moment}
        expected = json.dumps(
            document, ensure_ascii=False, separators=(",", ":"), default=lambda value: value.isoformat()
        )
        assert_all_give(("value", repr(expected)), document, natives=True)


@pytest.mark.parametrize("seconds", [0, 60, -60, 3600, 28800, -19800, 86340, -86340, 1, -59, 61, 45296, -86399])
def test_moments_in_a_zone_of_pydantic(seconds: int) -> None:
    pydantic_core = pytest.importorskip("pydantic_core", reason="pydantic is not installed")

    def document(zone: datetime.tzinfo) -> Any:
        moments = [datetime.datetime(2024, 2, 29, 1, 2, 3, part, tzinfo=zone) for part in (0, 4, 120000)]
        return {"x": ["é", *moments, datetime.time(1, 2, 3, 4, tzinfo=zone)], "y": moments[0]}

    same = document(datetime.timezone(datetime.timedelta(seconds=seconds)))
    zone = pydantic_core.TzInfo(seconds)
    _core.dumps(document(zone), natives=True)  # its class is known now
    for options in (
        {},
        {"utc": "Z"},
        {"naive": "utc"},
        {"timespec": "milliseconds"},
        {"datetime": "rfc3339"},
        {"datetime": "epoch"},
        {"indent": 1},
    ):
        expected = _core.dumps(same, natives=True, **options)
        assert_all_give(("value", repr(expected)), document(zone), natives=True, **options)


UUID_BITS = [0, 1, 2**30 - 1, 2**30, 2**60, 2**64 - 1, 2**90 - 1, 2**119, 2**120, 2**127 + 2**64, 2**128 - 1]


def uuid_of(number: object) -> uuid.UUID:
    """A UUID that holds any object as its int."""
    made = uuid.UUID(int=0)
    object.__setattr__(made, "int", number)
    return made


@pytest.fixture
def known_uuid() -> None:
    _core.dumps([uuid.UUID(int=5), uuid.UUID(int=6)], natives=True)


@pytest.fixture
def changed_uuid() -> Iterator[None]:
    slot = uuid.UUID.int
    yield
    uuid.UUID.int = slot


@pytest.mark.usefixtures("known_uuid")
@pytest.mark.parametrize("bits", [*UUID_BITS, 0x0123456789ABCDEFFEDCBA9876543210])
def test_uuids(bits: int) -> None:
    value = uuid.UUID(int=bits)
    for text in ("", "é", "中", "😀"):
        expected = f'{{"{text}":["{value}","{text}","{value}"],"{value}":"{value}"}}'
        assert_all_give(("value", repr(expected)), {text: [value, text, value], value: value}, natives=True)
    assert_all_give(("value", repr(f'["{value.hex}"]')), [value], natives=True, uuid="hex")
    assert_all_give(("value", repr(f'[\n  "{value}"\n]')), [value], natives=True, indent=2)


@pytest.mark.usefixtures("known_uuid")
def test_uuids_that_are_not_usual() -> None:
    class Derived(uuid.UUID):
        def __str__(self) -> str:
            return "derived"

    derived = Derived(int=7)
    assert _core.dumps([derived, derived], natives=True) == f'["{uuid.UUID(int=7)}","{uuid.UUID(int=7)}"]'
    for number in (2**128, -1):
        value = uuid_of(number)
        try:
            text = str(value)
        except OverflowError as error:  # Python 3.14
            with pytest.raises(OverflowError, match=str(error)):
                _core.dumps([value], natives=True)
        else:
            assert _core.dumps([value], natives=True) == _core.dumps([text])
    assert _core.dumps([uuid_of(True)], natives=True) == f'["{uuid.UUID(int=1)}"]'
    emptied = uuid.UUID(int=0)
    object.__delattr__(emptied, "int")
    with pytest.raises(AttributeError):
        _core.dumps([emptied], natives=True)


@pytest.mark.usefixtures("known_uuid", "changed_uuid")
def test_uuid_class_that_changes() -> None:
    value, expected = uuid.UUID(int=9), str(uuid.UUID(int=10))
    uuid.UUID.int = property(lambda _: 10)  # type: ignore[assignment]
    assert _core.dumps([value, value], natives=True) == f'["{expected}","{expected}"]'


DECIMALS = "0 -0 0.00 -0.00 1 -1.50 0.000001 0.0000001 1E+3 1E-20 9.123456789 9999999999999999999 12345678901234567890"


@pytest.mark.parametrize("text", [*DECIMALS.split(), "1" * 60, "0." + "3" * 40])
def test_decimals(text: str) -> None:
    value = Decimal(text)
    for around in ("", "é", "中", "😀"):
        number, quoted = f'["{around}",{value}]', f'{{"{around}":"{value}"}}'
        assert_all_give(("value", repr(number)), [around, value], natives=True, decimal="number")
        assert_all_give(("value", repr(quoted)), {around: value}, natives=True, decimal="str")


@pytest.mark.parametrize("text", ["NaN", "-NaN123", "sNaN", "Infinity", "-Infinity"])
def test_decimals_that_are_not_finite(text: str) -> None:
    value = Decimal(text)
    assert_all_give(("value", repr(f'["{value}"]')), [value], natives=True, decimal="str")
