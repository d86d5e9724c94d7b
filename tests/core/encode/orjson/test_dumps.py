"""ssrjson_web.orjson.dumps: what each flag does, the types it takes, and its errors, without orjson itself."""

from __future__ import annotations

import collections
import datetime
import enum
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from check_orjson.parity import Book, Items, Members, Number, Pair, Real, Slotted, Text
from helpers.processes import run_python

from ssrjson_web import Fragment, orjson, utf8_cache_size

UTC = datetime.timezone.utc
NO_KEY = "Dict key must a type serializable with OPT_NON_STR_KEYS"
NO_TEXT = "str is not valid UTF-8: surrogates not allowed"


class Row(tuple[Any, ...]):
    __slots__ = ()


class Moment(datetime.datetime):
    pass


class Id(uuid.UUID):
    pass


class Unknown:
    pass


class Colour(enum.Enum):
    RED = 1
    BLUE = "blau"
    MANY = (1, 2)
    DAY = datetime.date(2020, 1, 2)


class Named(str, enum.Enum):
    ONE = "eins"


class Plain(Book):
    """A class that is no dataclass itself."""


def named(value: object) -> str:
    """A name for a case that is the same in each process."""
    return value.__name__ if isinstance(value, type) else type(value).__name__


def error_of(value: Any, **options: Any) -> str:
    with pytest.raises(TypeError) as caught:
        orjson.dumps(value, **options)
    assert type(caught.value) is TypeError
    assert len(caught.value.args) == 1
    return str(caught.value)


def nested(n: int, wrap: Callable[[Any], Any], leaf: Any = 1) -> Any:
    for _ in range(n):
        leaf = wrap(leaf)
    return leaf


# Types


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Text("a\n"), rb'"a\n"'),
        (Number(5), b"5"),
        (Items([1, [2]]), b"[1,[2]]"),
        (Items(), b"[]"),
        (Members(a=Members()), b'{"a":{}}'),
        (collections.OrderedDict(b=1, a=2), b'{"b":1,"a":2}'),
        ((1, ()), b"[1,[]]"),
        (Colour.RED, b"1"),
        (Colour.MANY, b"[1,2]"),
        (Colour.DAY, b'"2020-01-02"'),
        (Named.ONE, b'"eins"'),
        (uuid.UUID(int=5), b'"00000000-0000-0000-0000-000000000005"'),
        (Fragment(b'{"x":  1}'), b'{"x":  1}'),
        ([float("nan"), float("inf"), -0.0], b"[null,null,-0.0]"),
        ([1e16, 1e-5, 1e-6, 1.5, 1e22], b"[1e+16,0.00001,1e-6,1.5,1e+22]"),
        ([2**64 - 1, -(2**63)], b"[18446744073709551615,-9223372036854775808]"),
        ("\u2028é中😀\x7f/", '"\u2028é中😀\x7f/"'.encode()),
    ],
    ids=named,
)
def test_type_that_orjson_knows_is_written(isa: str, value: Any, text: bytes) -> None:
    assert orjson.dumps(value) == text
    assert orjson.dumps([value]) == b"[%b]" % text
    assert orjson.dumps({"k": value}) == b'{"k":%b}' % text


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (Real(1.5), "Real"),
        (Row((1,)), "Row"),
        (Pair(1, 2), "Pair"),
        (Moment(2020, 1, 1), "Moment"),
        (Id(int=1), "Id"),
        ({1}, "set"),
        (b"a", "bytes"),
        (datetime.timedelta(1), "datetime.timedelta"),
        (Unknown(), "Unknown"),
        (Book, "type"),
        (Plain(1), "Plain"),
        (1j, "complex"),
    ],
    ids=named,
)
def test_other_type_is_refused_or_given_to_default(isa: str, value: Any, name: str) -> None:
    assert error_of([value]) == f"Type is not JSON serializable: {name}"
    assert orjson.dumps([value], default=lambda one: type(one).__name__) == b'["%b"]' % type(value).__name__.encode()


@pytest.mark.parametrize("value", [Text("a"), Number(2**70), Items([1]), Members(a=1)], ids=named)
def test_subclass_passes_to_default_by_flag(isa: str, value: Any) -> None:
    flag = orjson.OPT_PASSTHROUGH_SUBCLASS
    assert error_of(value, option=flag) == f"Type is not JSON serializable: {type(value).__name__}"
    assert orjson.dumps(value, default=lambda one: [1], option=flag) == b"[1]"
    assert orjson.dumps([Named.ONE, Book(1)], option=flag) == b'["eins",{"title":1,"pages":1}]'


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, 2**70, -(2**64) + 1, -(2**200)])
def test_int_beyond_64_bits_is_refused(isa: str, number: int) -> None:
    for value in (number, [number], {"a": number}, Number(number), [1.5, number]):
        assert error_of(value) == "Integer exceeds 64-bit range"
        assert error_of(value, option=orjson.OPT_STRICT_INTEGER) == "Integer exceeds 64-bit range"
    assert error_of({number: 1}, option=orjson.OPT_NON_STR_KEYS) == "Dict integer key must be within 64-bit range"


@pytest.mark.parametrize("number", [2**53, -(2**53), 2**63, 2**64 - 1])
def test_strict_integer_refuses_beyond_53_bits_but_for_keys(isa: str, number: int) -> None:
    strict = orjson.OPT_STRICT_INTEGER
    assert orjson.dumps([number]) == b"[%d]" % number
    assert error_of([number], option=strict) == "Integer exceeds 53-bit range"
    closer = number + 1 if number < 0 else 2**53 - 1
    assert orjson.dumps([closer, -closer], option=strict) == b"[%d,%d]" % (closer, -closer)
    assert orjson.dumps({number: 1}, option=strict | orjson.OPT_NON_STR_KEYS) == b'{"%d":1}' % number


@pytest.mark.parametrize("place", [lambda s: s, lambda s: [s], lambda s: {s: 1}, lambda s: {"a": s}, lambda s: Text(s)])
@pytest.mark.parametrize("text", ["\ud800", "中" * 50 + "\udfff", "é\ud800" * 20])
def test_lone_surrogate_is_refused(isa: str, place: Callable[[str], Any], text: str) -> None:
    assert error_of(place(text)) == NO_TEXT
    assert error_of(place(text), option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS) == NO_TEXT


def test_fragment_that_is_no_text_is_a_type_error(isa: str) -> None:
    with pytest.raises(TypeError):
        orjson.dumps(Fragment("\ud800"))


def test_no_utf8_copy_is_left(isa: str) -> None:
    text = "中文" * 30
    orjson.dumps([{text: text}, Text(text)], option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    assert utf8_cache_size(text) == 0


# Keys


def test_key_other_than_str_needs_the_flag(isa: str) -> None:
    for key in (2, None, True, 1.5, Text("a"), Colour.RED, datetime.date(2020, 1, 1)):
        for option in (None, orjson.OPT_SORT_KEYS, orjson.OPT_INDENT_2):
            assert error_of({"b": 1, key: 1}, option=option) == "Dict key must be str"


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (-5, "-5"),
        (2**64 - 1, "18446744073709551615"),
        (Number(7), "7"),
        (1.5, "1.5"),
        (1e-5, "0.00001"),
        (1e16, "1e+16"),
        (float("nan"), "null"),
        (Text("ä"), "ä"),
        (Named.ONE, "eins"),
        (Colour.RED, "1"),
        (Colour.DAY, "2020-01-02"),
        (datetime.datetime(2020, 1, 2, 3, 4, 5, 6, UTC), "2020-01-02T03:04:05.000006+00:00"),
        (datetime.date(2020, 1, 2), "2020-01-02"),
        (datetime.time(1, 2, 3), "01:02:03"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ],
    ids=named,
)
def test_key_is_written_as_its_text_and_sorted_by_it(isa: str, key: Any, text: str) -> None:
    flags = orjson.OPT_NON_STR_KEYS | orjson.OPT_PASSTHROUGH_DATETIME
    assert orjson.dumps({key: 1}, option=flags) == f'{{"{text}":1}}'.encode()
    members = sorted([(text, 1), ("-", 2), ("zz", 3)])
    expected = ",".join(f'"{name}":{value}' for name, value in members)
    got = orjson.dumps({"zz": 3, key: 1, "-": 2}, option=flags | orjson.OPT_SORT_KEYS)
    assert got == f"{{{expected}}}".encode()


@pytest.mark.parametrize(
    "key", [b"a", (1,), Real(1.0), Moment(2020, 1, 1), Colour.MANY, frozenset(), Id(int=1)], ids=named
)
def test_key_of_another_type_is_refused(isa: str, key: Any) -> None:
    for option in (orjson.OPT_NON_STR_KEYS, orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS):
        assert error_of({key: 1}, option=option, default=str) == NO_KEY


def test_keys_are_sorted_by_code_points(isa: str) -> None:
    keys = ["b", "a", "ä", "中", "😀", "\uffff", "", "aa", "A", *(f"k{i}" for i in range(40))]
    expected = ",".join(f'"{key}":0' for key in sorted(keys))
    for value in (dict.fromkeys(keys, 0), Members(dict.fromkeys(keys, 0))):
        assert orjson.dumps(value, option=orjson.OPT_SORT_KEYS) == f"{{{expected}}}".encode()


# Flags for the layout


def test_indent_newline_and_flags_together(isa: str) -> None:
    value = {"b": [1, {}, []], "a": (), "c": Book(1)}
    flags = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    assert orjson.dumps(value, option=flags).decode() == (
        '{\n  "a": [],\n  "b": [\n    1,\n    {},\n    []\n  ],\n  "c": {\n    "title": 1,\n    "pages": 1\n  }\n}\n'
    )


@pytest.mark.parametrize("option", ["1", 1.0, True, -1, 1 << 12, 2**70, Number(1)])
def test_option_that_is_no_sum_of_flags_is_refused(isa: str, option: Any) -> None:
    assert error_of(1, option=option) == "Invalid opts"


def test_arguments_are_checked(isa: str) -> None:
    call: Any = orjson.dumps
    assert call(1, None, None) == call(1, option=None, default=None) == call(1, str, 0) == b"1"
    for arguments, options, text in [
        ((), {}, "dumps() missing 1 required positional argument: 'obj'"),
        ((), {"obj": 1}, "dumps() missing 1 required positional argument: 'obj'"),
        ((1,), {"indent": 2}, "dumps() got an unexpected keyword argument"),
        ((1, str), {"default": str}, "dumps() got multiple values for argument: 'default'"),
        ((1, str, 0), {"option": 0}, "dumps() got multiple values for argument: 'option'"),
    ]:
        with pytest.raises(TypeError) as caught:
            call(*arguments, **options)
        assert str(caught.value) == text


# Dates and times


def zone(seconds: int, microseconds: int = 0) -> datetime.timezone:
    return datetime.timezone(datetime.timedelta(seconds=seconds, microseconds=microseconds))


@pytest.mark.parametrize(
    ("tzinfo", "text"),
    [
        (UTC, "+00:00"),
        (zone(0, 1), "+00:00"),
        (zone(0, 999999), "+00:00"),
        (zone(1), "+00:00"),
        (zone(3600), "+01:00"),
        (zone(-19800), "-05:30"),
        (zone(3629), "+01:00"),
        (zone(3630), "+01:01"),
        (zone(-3630), "-01:01"),
        (zone(-1), "-00:00"),
        (zone(0, -1), "-00:00"),
        (zone(29, 999999), "+00:00"),
        (zone(3599), "+01:00"),
        (zone(86399), "+23:59"),
    ],
    ids=str,
)
def test_offset_is_rounded_to_minutes(isa: str, tzinfo: datetime.tzinfo, text: str) -> None:
    moment = datetime.datetime(1, 2, 3, 4, 5, 6, 7, tzinfo)
    assert orjson.dumps(moment) == f'"0001-02-03T04:05:06.000007{text}"'.encode()
    assert orjson.dumps(moment, option=orjson.OPT_OMIT_MICROSECONDS) == f'"0001-02-03T04:05:06{text}"'.encode()
    z = "Z" if datetime.timedelta(0) <= tzinfo.utcoffset(None) < datetime.timedelta(seconds=1) else text  # type: ignore[operator]
    assert orjson.dumps(moment, option=orjson.OPT_UTC_Z) == f'"0001-02-03T04:05:06.000007{z}"'.encode()


def test_naive_datetime_is_utc_by_flag(isa: str) -> None:
    moment = datetime.datetime(2020, 1, 2)
    assert orjson.dumps(moment) == b'"2020-01-02T00:00:00"'
    assert orjson.dumps(moment, option=orjson.OPT_NAIVE_UTC) == b'"2020-01-02T00:00:00+00:00"'
    assert orjson.dumps(moment, option=orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z) == b'"2020-01-02T00:00:00Z"'


def test_time_with_a_zone_is_refused(isa: str) -> None:
    assert orjson.dumps(datetime.time(1, 2, 3, 59915)) == b'"01:02:03.059915"'
    assert error_of(datetime.time(1, tzinfo=UTC), default=str) == "datetime.time must not have tzinfo set"


def test_datetime_flag_passes_values_but_not_keys(isa: str) -> None:
    flags = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_NON_STR_KEYS
    for value in (datetime.datetime(2020, 1, 1), datetime.date(2020, 1, 1), datetime.time(1)):
        assert error_of(value, option=flags).startswith("Type is not JSON serializable: datetime.")
        assert orjson.dumps([value], default=lambda one: "d", option=flags) == b'["d"]'
        assert orjson.dumps({value: 1}, option=flags) == orjson.dumps({value.isoformat(): 1})


class Zone(datetime.tzinfo):
    """Gives what it was made with, or raises it."""

    def __init__(self, offset: Any) -> None:
        self.offset = offset

    def utcoffset(self, moment: Any) -> Any:
        if isinstance(self.offset, Exception):
            raise self.offset
        return self.offset


class NormalizingZone(Zone):
    def normalize(self, moment: datetime.datetime) -> datetime.datetime:
        return moment.replace(hour=9, tzinfo=zone(7200))


def test_zones_of_python_code_are_asked(isa: str) -> None:
    moment = datetime.datetime(2020, 1, 2)
    for own, text in [
        (Zone(datetime.timedelta(hours=3)), b'"2020-01-02T00:00:00+03:00"'),
        (Zone(None), b'"2020-01-02T00:00:00+00:00"'),
        (NormalizingZone(datetime.timedelta(0)), b'"2020-01-02T00:00:00+02:00"'),
    ]:
        assert orjson.dumps(moment.replace(tzinfo=own)) == text
        assert orjson.dumps({moment.replace(tzinfo=own): 1}, option=orjson.OPT_NON_STR_KEYS) == b"{%b:1}" % text
    with pytest.raises(TypeError) as caught:
        orjson.dumps([moment.replace(tzinfo=Zone(KeyError("bad")))])
    assert isinstance(caught.value.__cause__, KeyError)
    assert "utcoffset() gives int" in error_of(moment.replace(tzinfo=Zone(5)))


# Dataclasses


def test_dataclass_is_written_by_its_dict_or_its_slots(isa: str) -> None:
    book = Book("t")
    assert orjson.dumps(book) == b'{"title":"t","pages":1}'
    book.extra = 5  # type: ignore[attr-defined]
    book._hidden = 6  # type: ignore[attr-defined]
    del book.pages
    assert orjson.dumps([book, book]) == b'[{"title":"t","extra":5},{"title":"t","extra":5}]'
    assert orjson.dumps(Slotted("t", _note=2)) == b'{"title":"t","pages":1}'
    assert orjson.dumps(Slotted(Book(Slotted(1)))) == (b'{"title":{"title":{"title":1,"pages":1},"pages":1},"pages":1}')


def test_dataclass_passes_to_default_by_flag(isa: str) -> None:
    for value in (Book(1), Slotted(1)):
        name = type(value).__name__
        flag = orjson.OPT_PASSTHROUGH_DATACLASS
        assert error_of(value, option=flag) == f"Type is not JSON serializable: {name}"
        assert orjson.dumps(value, default=lambda one: "d", option=flag) == b'"d"'


def test_dataclass_with_a_deleted_slot_is_a_type_error(isa: str) -> None:
    broken = Slotted(1)
    del broken.title
    with pytest.raises(TypeError, match="Type is not JSON serializable: Slotted") as caught:
        orjson.dumps([broken])
    assert isinstance(caught.value.__cause__, AttributeError)


def test_dataclass_with_a_key_that_is_no_str_is_refused(isa: str) -> None:
    book = Book(1)
    book.__dict__[5] = 1  # type: ignore[index]
    assert error_of(book) == "Dict key must be str"


# The hook


def test_default_that_raises_is_the_cause(isa: str) -> None:
    reason = ValueError("boom")

    def refuse(value: object) -> object:
        raise reason

    with pytest.raises(TypeError) as caught:
        orjson.dumps({"a": [Unknown()]}, default=refuse)
    assert str(caught.value) == "Type is not JSON serializable: Unknown"
    assert caught.value.__cause__ is reason
    with pytest.raises(TypeError) as caught:
        orjson.dumps(Unknown(), default=5)  # type: ignore[arg-type]
    assert isinstance(caught.value.__cause__, TypeError)


@pytest.mark.parametrize("reason", [KeyboardInterrupt, SystemExit, MemoryError])
def test_default_that_ends_the_program_does(isa: str, reason: type[BaseException]) -> None:
    def stop(value: object) -> object:
        raise reason

    with pytest.raises(reason):
        orjson.dumps([Unknown()], default=stop)


@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: (x,)])
def test_default_is_asked_again_up_to_its_limit(isa: str, wrap: Callable[[Any], Any]) -> None:
    calls: list[int] = []

    def until(n: int) -> Callable[[Any], Any]:
        calls.clear()

        def hook(value: object) -> object:
            calls.append(1)
            return wrap(Unknown()) if len(calls) < n else 1

        return hook

    assert b"1" in orjson.dumps([Unknown()], default=until(255))
    assert len(calls) == 255
    assert error_of([Unknown()], default=until(256)) == "default serializer exceeds recursion limit"
    assert orjson.dumps([Unknown()] * 300, default=lambda value: 1) == b"[" + b",".join([b"1"] * 300) + b"]"


def test_default_may_change_what_is_being_written(isa: str) -> None:
    outer: dict[Any, Any] = {"a": Unknown(), "b": [1], "c": "x"}

    def hook(value: object) -> object:
        outer.clear()
        outer["z"] = 1
        return {"y": Book(1)}

    assert orjson.dumps(outer, default=hook) == b'{"a":{"y":{"title":1,"pages":1}},"b":[1],"c":"x"}'


# Depth


@pytest.mark.parametrize(
    "wrap",
    [lambda x: [x], lambda x: {"a": x}, lambda x: Items([x]), lambda x: Members(a=x), Book, Slotted],
    ids=["list", "dict", "Items", "Members", "Book", "Slotted"],
)
@pytest.mark.parametrize("option", [None, orjson.OPT_INDENT_2, orjson.OPT_SORT_KEYS])
def test_depth_is_limited(isa: str, wrap: Callable[[Any], Any], option: int | None) -> None:
    assert orjson.dumps(nested(254, wrap), option=option)
    assert orjson.dumps([nested(253, wrap)] * 3, option=option)
    assert error_of(nested(255, wrap), option=option) == "Recursion limit reached"
    assert error_of([1, nested(254, wrap)], option=option) == "Recursion limit reached"
    assert error_of(nested(5000, wrap), option=option) == "Recursion limit reached"


@pytest.mark.parametrize("leaf", [[], {}, [1.5, 2.5], [True], {"a": 1.5}, Items(), Members()], ids=repr)
def test_what_is_written_without_being_entered_has_a_level_too(isa: str, leaf: Any) -> None:
    for wrap in (lambda x: [x], lambda x: [0, x], lambda x: {"a": x}, Book, Slotted):
        for option in (None, orjson.OPT_INDENT_2, orjson.OPT_SORT_KEYS):
            assert orjson.dumps(nested(253, wrap, leaf), option=option)
            assert error_of(nested(254, wrap, leaf), option=option) == "Recursion limit reached"
            assert error_of(nested(253, wrap, [leaf, leaf]), option=option) == "Recursion limit reached"


def test_tuples_are_levels_at_which_only_other_containers_are_refused(isa: str) -> None:
    assert orjson.dumps(nested(5000, lambda x: (x,))) == b"[" * 5000 + b"1" + b"]" * 5000
    assert orjson.dumps((nested(253, lambda x: [x]),)) == b"[" * 254 + b"1" + b"]" * 254
    assert error_of((nested(254, lambda x: [x]),)) == "Recursion limit reached"
    assert orjson.dumps(nested(254, lambda x: [x], ((), (1, ())))).count(b"[") == 258
    mixed = nested(254, lambda x: [(x,)])
    assert error_of(mixed) == "Recursion limit reached"
    # as orjson, where only a list, dict or object that is level 255 itself is refused
    assert orjson.dumps([mixed]) == b"[" * 509 + b"1" + b"]" * 509
    assert orjson.dumps([nested(5000, lambda x: [(x,)])]).count(b"]") == 10001


CYCLES = """
    import dataclasses, enum
    from ssrjson_web import orjson

    @dataclasses.dataclass
    class Book:
        title: object
    @dataclasses.dataclass
    class Slotted:
        __slots__ = ("title",)
        title: object
    class Colour(enum.Enum):
        RED = 1
    class Items(list): pass
    class Members(dict): pass
    class Unknown: pass

    beside = {}; beside["t"] = (1,); beside["d"] = beside
    before = {}; before["d"] = before; before["t"] = (1,)
    plain = []; plain.append(plain)
    within = [1]; within.append((2, ((within,),)))
    tuples = [()] * 5; tuples += [(1,), (((),),), tuples]
    turn = []; inner = turn # level 255 is the tuple
    for _ in range(253):
        inner.append([]); inner = inner[0]
    inner.append((turn,))
    book = Book(None); book.title = (book,)
    slotted = Slotted(None); slotted.title = {"a": slotted}
    items = Items(); items.append((items,))
    members = Members(); members["a"] = (1, members)
    Colour.RED._value_ = (Colour.RED,)
    itself = enum.Enum("itself", "A").A; itself._value_ = itself
    listed = enum.Enum("listed", "A").A; listed._value_ = [1, listed]
    hooked = Unknown(); hooked.given = [(hooked,)]
    once = Unknown(); once.given = once
    values = [beside, before, plain, within, tuples, turn, book, slotted, items, members, Colour.RED, itself,
        listed, hooked, once]
    values += [[1.5, (value, value)] for value in values]
    n = 0
    for value in values:
        for option in None, orjson.OPT_INDENT_2, orjson.OPT_SORT_KEYS, orjson.OPT_NON_STR_KEYS:
            try:
                orjson.dumps(value, default=lambda one: one.given, option=option)
            except TypeError as error:
                assert "recursion limit" in str(error).lower(), error
                n += 1
    print(n == 4 * len(values))
"""


def test_cycles_of_every_kind_end(isa: str, tmp_path: Path) -> None:
    done = run_python(CYCLES, tmp_path, max_gib=1, SSRJSON_ISA=isa)
    assert done.stdout == "True\n", done


def test_circular_reference_ends_at_the_depth(isa: str) -> None:
    one: list[Any] = []
    one.append(one)
    two: dict[str, Any] = {}
    two["a"] = (two,)
    book = Book(None)
    book.title = [book]
    for value in (one, two, book):
        assert error_of(value) == "Recursion limit reached"
        assert error_of(value, option=orjson.OPT_INDENT_2) == "Recursion limit reached"
