"""type=: what each kind of class is made of, where a fault is, and what hostile code of a class can do."""

from __future__ import annotations

# ruff: noqa: UP007, UP045
import collections
import copy
import dataclasses
import datetime
import decimal
import enum
import gc
import json
import pickle
import sys
import typing
import uuid
import weakref
from collections.abc import Callable
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    Optional,
    Protocol,
    TypedDict,
    TypeVar,
    Union,
)

import attrs
import pytest
from helpers.builds import CLASSES_ARE_IMMORTAL
from helpers.structs import HAS_MSGSPEC, msgspec
from typing_extensions import NotRequired

from ssrjson_web import _core
from ssrjson_web._models.types import plan_of

pytestmark = pytest.mark.usefixtures("isa")
T = TypeVar("T")


class Colour(enum.Enum):
    RED = "red"
    ONE = 1


class Warmth(enum.Enum):
    HOT = "hot"


class Digit(enum.IntEnum):
    ONE = 1
    TWO = 2


class Level(enum.IntEnum):
    LOW = 1

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return cls.LOW if value == 0 else None


@dataclasses.dataclass
class Node:
    value: int
    children: list[Node] = dataclasses.field(default_factory=list)
    parent: Optional[Node] = None


@dataclasses.dataclass
class Page(Generic[T]):
    items: list[T]
    total: int = 0


@dataclasses.dataclass
class IntPage(Page[int]):
    name: str = ""


class Cat(msgspec.Struct, tag=True):
    lives: int = 9


class Dog(msgspec.Struct, tag=True, rename="camel"):
    is_good: bool = True


class Bird(msgspec.Struct, tag=True):
    pass


class Exact(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    x: Annotated[int, msgspec.Meta(ge=0, multiple_of=2)]
    y: Union[int, msgspec.UnsetType] = msgspec.UNSET


class Pair(msgspec.Struct, array_like=True):
    a: int
    b: str = "b"


@dataclasses.dataclass
class Square:
    kind: Literal["square"]
    side: float


@dataclasses.dataclass
class Circle:
    kind: Literal["circle"]
    radius: float


@attrs.define
class Account:
    _secret: str
    amount: int = attrs.field(default=1, validator=attrs.validators.ge(0), converter=lambda value: value * 2)
    tags: list[str] = attrs.field(factory=list)
    made: int = attrs.field(init=False, default=5)


class Movie(TypedDict, total=False):
    title: str
    when: NotRequired[datetime.date]


class Point(NamedTuple):
    x: int
    y: datetime.date
    z: str = "z"


class OwnPoint(Point):
    def __new__(cls, *items: Any) -> Any:
        return super().__new__(cls, items[0] + 100, *items[1:])


def fault(type_: Any, text: str) -> tuple[str, tuple[Any, ...], str]:
    with pytest.raises(_core.JSONTypeError) as raised:
        _core.loads(text, type=type_)
    error = raised.value
    assert isinstance(error, _core.JSONDecodeError)
    return error.reason, error.steps, error.msg


MADE = [
    (Node, '{"value": 1, "children": [{"value": 2}]}', Node(1, [Node(2)])),
    (Page[Node], '{"items": [{"value": 2}], "total": 3}', Page([Node(2)], 3)),
    (IntPage, '{"items": [1], "name": "x"}', IntPage([1], 0, "x")),
    (Union[Square, Circle], '{"radius": 1, "kind": "circle"}', Circle("circle", 1.0)),
    (Account, '{"_secret": "s", "amount": 4, "made": 7}', Account("s", 4)),
    (Movie, '{"when": "2026-01-02", "other": 1}', {"when": datetime.date(2026, 1, 2)}),
    (Movie, "{}", {}),
    (Point, '[1, "2026-01-02"]', Point(1, datetime.date(2026, 1, 2))),
    (OwnPoint, '[1, "2026-01-02"]', OwnPoint(1, datetime.date(2026, 1, 2))),
    (Colour, "1", Colour.ONE),
    (Level, "0", Level.LOW),
    (Literal["a", True, None], "true", True),
    (dict[int, Colour], '{"-5": "red"}', {-5: Colour.RED}),
    (dict[uuid.UUID, int], f'{{"{uuid.UUID(int=5)}": 1}}', {uuid.UUID(int=5): 1}),
    (dict[Digit, int], '{"1": 2, "2": 3}', {Digit.ONE: 2, Digit.TWO: 3}),
    (dict[Level, int], '{"1": 2, "0": 3}', {Level.LOW: 3}),
    (dict[Colour, int], '{"red": 2, "1": 3}', {Colour.RED: 2, Colour.ONE: 3}),
    (dict[Literal[1, 2], str], '{"2": "x"}', {2: "x"}),
    (dict[Literal["a", 2], str], '{"2": "x", "a": "y"}', {2: "x", "a": "y"}),
    (dict[float, int], '{"1": 1, "-2.5e1": 2}', {1.0: 1, -25.0: 2}),
    (dict[Union[int, float], int], '{"1": 1, "2.0": 2}', {1: 1, 2.0: 2}),
    (dict[Union[int, str], int], '{"1": 1, "a": 2}', {"1": 1, "a": 2}),
    (dict[Optional[int], int], '{"-0": 1}', {0: 1}),
    (dict[Union[int, datetime.date], int], '{"1": 1, "2026-01-02": 2}', {1: 1, datetime.date(2026, 1, 2): 2}),
    (dict[Union[float, decimal.Decimal], int], '{"1.5": 1}', {1.5: 1}),
    (dict[Union[int, decimal.Decimal], int], '{"1.5": 1}', {decimal.Decimal("1.5"): 1}),
    (dict[NewType("Number", int), dict[int, int]], '{"1": {"2": 3}}', {1: {2: 3}}),  # type: ignore[misc]
    (Optional[Literal[None]], "null", None),
    (Union[Literal[None, 1], None], "1", 1),
    (Union[Literal["all"], int], '"all"', "all"),
    (Union[Literal["all"], datetime.date], '"all"', "all"),
    (Union[datetime.date, Literal["all"]], '"2026-01-02"', datetime.date(2026, 1, 2)),
    (Union[Literal["all"], datetime.date, Warmth], '"hot"', Warmth.HOT),
    (Union[datetime.date, Warmth, Literal["all"]], '"2026-01-02"', datetime.date(2026, 1, 2)),
    (Union[Literal[1], int], "2", 2),
    (Union[str, Literal["a"], None], '"b"', "b"),
    (Union[NewType("Name", str), str], '"b"', "b"),
    (frozenset[int], "[1, 2, 1]", frozenset([1, 2])),
    (collections.deque[int], "[1]", collections.deque([1])),
    (tuple[int, ...], "[1, 2]", (1, 2)),
    (tuple[()], "[]", ()),
    (float, "3", 3.0),
    (Union[int, float], "3", 3),
    (bytes, '"YWJj"', b"abc"),
    (decimal.Decimal, '"1.50"', decimal.Decimal("1.50")),
    (datetime.time, '"01:02:03.5Z"', datetime.time(1, 2, 3, 500000, datetime.timezone.utc)),
    (datetime.date, '"2026-01-02"', datetime.date(2026, 1, 2)),
    (datetime.time, '"01:02:03.1234569999"', datetime.time(1, 2, 3, 123456)),
    (datetime.datetime, '"2026-01-02T03:04:05.1234564999999999"', datetime.datetime(2026, 1, 2, 3, 4, 5, 123456)),
    (datetime.datetime, '"2026-12-31T23:59:59.9999999999"', datetime.datetime(2027, 1, 1)),
    (datetime.datetime, '"2026-01-02t03:04:05.1234567"', datetime.datetime(2026, 1, 2, 3, 4, 5, 123457)),
    (Any, '{"a": [1]}', {"a": [1]}),
    (type(None), "null", None),
]
if HAS_MSGSPEC:
    LONG = Annotated[str, msgspec.Meta(min_length=8)]
    MADE += [
        (Union[Cat, Dog], '{"isGood": false, "type": "Dog"}', Dog(False)),
        (list[Union[Cat, Dog, None]], '[{"type": "Cat"}, null]', [Cat(), None]),
        (Cat, '{"lives": 3}', Cat(3)),
        (Exact, '{"x": 4}', Exact(x=4)),
        (Pair, "[1]", Pair(1)),
        (Optional[Annotated[int, msgspec.Meta(gt=1)]], "null", None),
        (Annotated[Optional[int], msgspec.Meta(gt=1)], "null", None),
        (Annotated[Optional[int], msgspec.Meta(gt=1)], "2", 2),
        (Union[LONG, msgspec.UnsetType], '"longenough"', "longenough"),
        (Union[LONG, Literal["all"]], '"all"', "all"),
        (Union[LONG, Literal["all"]], '"longenough"', "longenough"),
        (Union[Literal["all"], LONG, int], '"longenough"', "longenough"),
        (Union[LONG, int], "-1", -1),
        (Union[LONG, Annotated[int, msgspec.Meta(ge=0)], None], "1", 1),
        (Union[Annotated[int, msgspec.Meta(ge=0)], float], "-0.5", -0.5),
        (Union[Annotated[list[int], msgspec.Meta(min_length=2)], int], "[1, 2]", [1, 2]),
        (Union[Annotated[dict[str, int], msgspec.Meta(min_length=1)], Literal[0], int], '{"a": 1}', {"a": 1}),
        (Union[Annotated[datetime.datetime, msgspec.Meta(tz=False)], int], "1", 1),
        (dict[Annotated[int, msgspec.Meta(ge=2)], int], '{"2": 1}', {2: 1}),
        (dict[Union[LONG, int], int], '{"12345678": 1}', {"12345678": 1}),
        (dict[Annotated[float, msgspec.Meta(gt=1)], int], '{"2": 1}', {2.0: 1}),
        (Annotated[Any, msgspec.Meta(description="x")], "[1]", [1]),
        (Union[Annotated[Cat, msgspec.Meta(description="x")], Dog], '{"type": "Cat"}', Cat()),
        (Union[Annotated[Union[Cat, Dog], msgspec.Meta(title="x")], Bird, None], '{"type": "Bird"}', Bird()),
    ]


@pytest.mark.parametrize(("type_", "text", "value"), MADE, ids=[f"{i}" for i in range(len(MADE))])
def test_document_becomes_the_value_of_the_type(type_: Any, text: str, value: Any) -> None:
    decoder = _core.Decoder(type=type_)
    for source in (text, text.encode(), bytearray(text.encode()), text.encode("utf-16")):
        made = decoder.decode(source)
        assert (made, type(made), repr(made)) == (value, type(value), repr(value))
    decoder.feed(text.encode()[:1])
    decoder.feed(text.encode()[1:])
    assert decoder.close() == value
    assert decoder.decode_lines(f"{text}\n\n{text}\n") == [value, value]
    assert decoder.raw_decode(f"x{text} rest", 1) == (value, 1 + len(text))
    assert plan_of(type_).make(json.loads(text)) == value


try:
    datetime.date(2026, 2, 30)
except ValueError as error:
    NO_SUCH_DAY = str(error)  # 3.15 tells more of it

FAULTS = [
    (
        Node,
        '{"value": 1, "children": [{"value": "2"}]}',
        ("type", ("children", 0, "value"), "Expected int, got str at $.children[0].value"),
    ),
    (Node, '{"value": true}', ("type", ("value",), "Expected int, got bool at $.value")),
    (Node, '{"value": 1, "parent": 2}', ("type", ("parent",), "Expected object | null, got int at $.parent")),
    (Node, '{"children": []}', ("missing", (), "Missing field 'value' at $")),
    (Point, "[1]", ("length", (), "Expected array of 2 to 3, got 1 at $")),
    (Point, '[1, "2026-02-30"]', ("value", (1,), f"{NO_SUCH_DAY} at $[1]")),
    (tuple[int, str], "[1]", ("length", (), "Expected array of 2, got 1 at $")),
    (Colour, '"blue"', ("value", (), "Expected 'red', got 'blue' at $")),
    (Level, "2", ("value", (), "2 is not a valid Level at $")),
    (Literal["a", 1], "true", ("type", (), "Expected int | str, got bool at $")),
    (dict[int, int], '{"01": 1}', ("type", ("01",), "Expected int, got str at $[\"01\"]")),
    (dict[float, int], '{"1e400": 1}', ("type", ("1e400",), "Expected float, got str at $[\"1e400\"]")),
    (dict[float, int], '{"NaN": 1}', ("type", ("NaN",), "Expected float, got str at $.NaN")),
    (dict[Literal[1, 2], int], '{"3": 1}', ("value", ("3",), "Expected one of 1, 2, got 3 at $[\"3\"]")),
    (dict[Level, int], '{"2": 1}', ("value", ("2",), "2 is not a valid Level at $[\"2\"]")),
    (Union[Literal["all"], datetime.date], '"al"', (
        "value", (), "Expected a date such as '2026-11-23', got 'al' at $"
    )),
    (dict[str, int], '{"a b": null}', ("type", ("a b",), "Expected int, got null at $[\"a b\"]")),
    (Account, '{"_secret": "s", "amount": -1}', ("value", (), "'amount' must be >= 0: -2 at $")),
    (Literal[1], "9" * 400, ("value", (), f"Expected 1, got {'9' * 40}... at $")),
    (float, "9" * 400, ("value", (), "Expected float, got an int beyond every float at $")),
    (int, "1.0", ("type", (), "Expected int, got float at $")),
    (bytes, '"YWJj!"', ("value", (), "Expected base64 at $")),
    (
        datetime.datetime,
        '"9999-12-31T23:59:59.9999995"',
        ("value", (), "Expected a datetime before the year 10000 at $"),
    ),
]  # fmt: skip
if HAS_MSGSPEC:
    FAULTS += [
        (Exact, '{"x": 2, "z": 1}', ("unknown", ("z",), "Unknown field 'z' at $.z")),
        (Union[LONG, msgspec.UnsetType], '"short"', ("value", (), "Expected a length >= 8 at $")),
        (Union[LONG, Literal["all"]], '"any"', ("value", (), "Expected a length >= 8 at $")),
        (Union[LONG, int], "null", ("type", (), "Expected str | int, got null at $")),
        (Union[Annotated[int, msgspec.Meta(ge=0)], float], "-1", ("value", (), "Expected a value >= 0 at $")),
        (
            dict[Annotated[int, msgspec.Meta(ge=2)], int],
            '{"1": 1}',
            ("value", ("1",), 'Expected a value >= 2 at $["1"]'),
        ),
        (Exact, '{"x": -2}', ("value", ("x",), "Expected a value >= 0 at $.x")),
        (Exact, '{"x": 3}', ("value", ("x",), "Expected a multiple of 2 at $.x")),
        (Union[Cat, Dog], '{"type": "Cow"}', ("value", ("type",), "Expected one of 'Cat', 'Dog', got 'Cow' at $.type")),
        (Union[Cat, Dog], '{"type": 1}', ("value", ("type",), "Expected one of 'Cat', 'Dog', got 1 at $.type")),
        (Union[Cat, Dog], "{}", ("missing", (), "Missing field 'type' at $")),
        (Cat, '{"type": "Dog"}', ("value", ("type",), "Expected 'Cat', got 'Dog' at $.type")),
    ]


@pytest.mark.parametrize(("type_", "text", "wanted"), FAULTS, ids=[f"{i}" for i in range(len(FAULTS))])
def test_fault_tells_reason_path_and_words(type_: Any, text: str, wanted: Any) -> None:
    assert fault(type_, text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        '{"a": [1, {"é\\n": "]}"}, {"b c": [[], %]}]}',
        '\n {"x" : "\\"a\\":", "a" : [ "[", {"\\u0061": {}} , {"b c":[ {"k":[]},% ]}]}',
    ],
)
def test_fault_is_at_the_value_in_the_text(text: str) -> None:
    type_ = dict[str, Any]

    class Inner(TypedDict):
        pass

    inner = TypedDict("inner", {"b c": tuple[Any, int]})  # type: ignore[operator]
    outer = TypedDict("outer", {"a": tuple[Any, Any, inner]})  # type: ignore[operator, valid-type]  # noqa: UP013
    assert _core.loads(text.replace("%", "1"), type=type_)
    for wrong in ('"x"', "null", "[1]"):
        whole = text.replace("%", wrong)
        for source in (whole, whole.encode(), whole.encode("utf-32"), b"\xef\xbb\xbf" + whole.encode()):
            with pytest.raises(_core.JSONTypeError) as raised:
                _core.loads(source, type=outer)
            assert (raised.value.pos, raised.value.doc) == (text.index("%"), whole)
            assert raised.value.lineno == text[: text.index("%")].count("\n") + 1


def test_fault_beside_comments_is_at_the_value() -> None:
    text = '// {"a":\r{/*[,"*//* */"b"/*:*/:/**/[1//]\n,2,],\n"a"/**/:// "a": [\n[7/*,*/,/* / ** "*/"x"/**/,/**/],}'
    for source in (text, text.encode(), text.replace("*,*", "*😀*")):
        with pytest.raises(_core.JSONTypeError) as raised:
            _core.loads(source, type=dict[str, list[int]], jsonc=True)
        assert (raised.value.path, raised.value.pos) == ("$.a[1]", text.index('"x"'))


def test_fault_in_lines_is_at_its_line() -> None:
    with pytest.raises(_core.JSONTypeError) as raised:
        _core.Decoder(type=list[int]).decode_lines(b'[1]\n\n[2, 3]\n[4, "x"]\n')
    assert (raised.value.steps, raised.value.lineno, raised.value.colno) == ((2, 1), 4, 5)


REFUSED = [
    (Union[str, datetime.date], "more than one of its types is the JSON type str"),
    (Union[Node, Page[int]], "no tag in common"),
    (Union[Node, dict[str, int]], "no tag in common"),
    (list[complex], "cannot decode complex"),
    (dict[tuple[int, int], int], "keys of objects are strs, or made of strs or numbers"),
    (dict[bool, int], "keys of objects are strs, or made of strs or numbers"),
    (dict[None, int], "keys of objects are strs, or made of strs or numbers"),
    (Union[Warmth, str], "more than one of its types is the JSON type str"),
    (Union[Digit, int], "more than one of its types is the JSON type int"),
    (Union[Literal["2026-01-02"], datetime.date], "more than one of its types is the JSON type str"),
    (Union[list[int], tuple[int, int]], "more than one of its types is the JSON type array"),
    (set[list[int]], "cannot be hashed"),
    ("Node", "the name cannot be resolved"),
    (datetime.timedelta, "it is no dataclass, TypedDict, NamedTuple, attrs class or Struct of msgspec"),
    (Callable[[], int], "cannot decode"),
]


if HAS_MSGSPEC:
    REFUSED += [
        (Union[Annotated[Cat, msgspec.Meta(min_length=1)], Dog], "bounds of one of its objects"),
        (Union[Annotated[int, msgspec.Meta(ge=5)], Annotated[int, msgspec.Meta(le=0)]], "more than one"),
        (Annotated[Any, msgspec.Meta(ge=5)], "a Meta needs a type"),
    ]


@pytest.mark.parametrize(("type_", "words"), REFUSED, ids=[f"{i}" for i in range(len(REFUSED))])
def test_type_that_cannot_be_told_is_refused_at_once(type_: Any, words: str) -> None:
    for make in (lambda: _core.Decoder(type=type_), lambda: _core.loads("1", type=type_)):
        with pytest.raises(TypeError, match=words):
            make()


def test_type_of_pydantic_is_refused_with_what_decodes_it() -> None:
    pydantic = pytest.importorskip("pydantic", reason="pydantic is not installed")
    model = pydantic.create_model("Model", a=(int, ...))
    of_dataclass = pydantic.dataclasses.dataclass(type("Point", (), {"__annotations__": {"x": int}}))
    types = [model, list[model], of_dataclass]
    if hasattr(pydantic.AnyUrl, "__get_pydantic_core_schema__"):  # before, pydantic-core made it, and nothing tells it
        types.append(pydantic.AnyUrl)
    for type_ in types:
        with pytest.raises(TypeError, match=r"pydantic makes it: use ssrjson_web\.models\.TypedDecoder$"):
            _core.loads("1", type=type_)


@pytest.mark.parametrize(
    ("type_", "text", "message"),
    [
        (datetime.datetime, "2026-01-01", "Expected a datetime such as '2026-11-23T12:30:00Z', got '2026-01-01'"),
        (datetime.date, "1.2.2026", "Expected a date such as '2026-11-23', got '1.2.2026'"),
        (datetime.time, "12:30", "Expected a time such as '12:30:00', got '12:30'"),
        (decimal.Decimal, "1,5", "Expected a Decimal such as '12.50', got '1,5'"),
        (uuid.UUID, "é" * 50, f"Expected a UUID, with hyphens or 32 digits, got '{'é' * 40}'"),
    ],
)
def test_text_that_a_type_does_not_have_is_told_with_an_example(type_: Any, text: str, message: str) -> None:
    with pytest.raises(_core.JSONTypeError) as raised:
        _core.loads(json.dumps([text]), type=list[type_])
    assert raised.value.msg == f"{message} at $[0]"


def test_type_error_keeps_its_attributes_through_pickle_and_copy() -> None:
    with pytest.raises(_core.JSONTypeError) as raised:
        _core.loads('[{"a": "x"}]', type=list[dict[str, int]])
    error = raised.value
    error.more = "mine"  # type: ignore[attr-defined]
    for made in (*(pickle.loads(pickle.dumps(error, n)) for n in range(6)), copy.copy(error), copy.deepcopy(error)):
        assert type(made) is _core.JSONTypeError
        assert str(made) == str(error)
        assert vars(made) == vars(error)
        assert (made.path, made.steps, made.reason, made.expected, made.given) == (
            "$[0].a",
            (0, "a"),
            "type",
            "int",
            "str",
        )
    made = _core.JSONTypeError("m", "d", 0)
    del made.msg
    with pytest.raises(AttributeError, match="msg"):
        pickle.dumps(made)


def test_refusal_names_the_field() -> None:
    @dataclasses.dataclass
    class Inner:
        bad: dict[str, complex]

    @dataclasses.dataclass
    class Outer:
        inner: list[Inner]

    Outer.__annotations__["inner"] = list[Inner]
    with pytest.raises(TypeError, match=r"complex of Inner\.bad"):
        _core.Decoder(type=Outer)


def test_annotation_of_a_name_within_a_function_is_refused_with_advice() -> None:
    def make() -> Any:
        class Inner:
            pass

        return dataclasses.make_dataclass("Outer", [("inner", "Inner")])

    with pytest.raises(
        TypeError, match=r"\(name 'Inner' is not defined\): define it in the module, not in a function$"
    ):
        _core.loads("{}", type=make())


def test_type_excludes_hooks() -> None:
    options: list[dict[str, Any]] = [
        {"object_hook": dict},
        {"object_pairs_hook": dict},
        {"array_hook": list},
        {"parse_float": "decimal"},
        {"parse_int": int},
        {"parse_constant": str},
    ]
    for option in options:
        with pytest.raises(TypeError, match=f"type cannot be combined with {next(iter(option))}"):
            _core.loads("1", type=int, **option)
    with pytest.raises(TypeError, match="type cannot be combined with partial"):
        _core.Decoder(type=int, partial="on")


def test_malformed_document_is_no_type_error() -> None:
    with pytest.raises(_core.JSONDecodeError) as raised:
        _core.loads('{"value": "x"', type=Node)
    assert type(raised.value) is _core.JSONDecodeError


def test_decoder_can_be_copied_and_pickled() -> None:
    decoder = _core.Decoder(type=Node)
    for other in (copy.copy(decoder), pickle.loads(pickle.dumps(decoder))):
        assert other.decode('{"value": 1}') == Node(1)
    assert repr(decoder) == f"Decoder(type={Node!r})"


@pytest.mark.parametrize("limit", [200, 1_000_000])
def test_deep_document_is_an_error_of_its_depth_whatever_the_limit_of_python(limit: int) -> None:
    before, depth = sys.getrecursionlimit(), 50_000
    sys.setrecursionlimit(limit)
    try:
        with pytest.raises(_core.JSONDepthError, match="nested deeper than 512 levels"):
            _core.loads('{"value":1,"children":[' * depth + "]}" * depth, type=Node)
        made = _core.loads('{"value":1,"children":[' * 250 + "]}" * 250, type=Node)
    finally:
        sys.setrecursionlimit(before)
    assert made.value == 1


class TreeDict(TypedDict, total=False):
    kids: list[TreeDict]


class TreeTuple(NamedTuple):
    kids: tuple[TreeTuple, ...] = ()


class TreeStruct(msgspec.Struct):
    kids: Optional[list[TreeStruct]] = None


class TreeArray(msgspec.Struct, array_like=True):
    kids: Optional[TreeArray] = None


@attrs.define
class TreeAttrs:
    kids: dict[str, TreeAttrs] = attrs.field(factory=dict)


@dataclasses.dataclass
class TreeUnion:
    kids: Union[list[TreeUnion], dict[str, TreeUnion], int, None] = None


@dataclasses.dataclass
class TreeMutual:
    kids: tuple[int, Optional[TreeOther]] = (0, None)


@dataclasses.dataclass
class TreeOther:
    kids: Optional[tuple[TreeMutual, ...]] = None


class TreeTagged(msgspec.Struct, tag="tree"):
    kids: Union[TreeTagged, LeafTagged, None] = None


class LeafTagged(msgspec.Struct, tag="leaf"):
    pass


WITHIN_ITSELF = [  # a type, the text around a value within, and how many containers that is
    (TreeDict, '{"kids":[', "]}", 2),
    (TreeTuple, "[[", "]]", 2),
    (TreeAttrs, '{"kids":{"a":', "}}", 2),
    (TreeUnion, '{"kids":[', "]}", 2),
    (TreeUnion, '{"kids":{"a":', "}}", 2),
    (TreeMutual, '{"kids":[1,{"kids":[', "]}]}", 4),
]
if HAS_MSGSPEC:
    WITHIN_ITSELF += [
        (TreeStruct, '{"kids":[', "]}", 2),
        (TreeArray, "[", "]", 1),
        (TreeTagged, '{"type":"tree","kids":', "}", 1),
    ]


@pytest.mark.parametrize(("type_", "before", "after", "n"), WITHIN_ITSELF)
def test_type_within_itself_is_taken_to_its_depth(type_: Any, before: str, after: str, n: int) -> None:
    inner = {"[": "[]", "{": '{"type":"tree"}' if type_ is TreeTagged else "{}"}[before[0]]
    levels = 512 // n - 1
    text = before * levels + inner + after * levels
    decoder = _core.Decoder(type=type_)
    assert _core.dumps_to_bytes(decoder.decode(text), models=True).startswith(before.encode() * levels)
    text = before * (levels + 1) + inner + after * (levels + 1)
    with pytest.raises(_core.JSONDepthError, match="nested deeper than 512 levels: line 1 column") as raised:
        decoder.decode(text)
    assert isinstance(raised.value, ValueError)
    assert text[raised.value.pos :].startswith(inner)


def test_class_within_itself_is_taken_to_512_levels() -> None:
    beginning = '{"value":1,"parent":'
    made = _core.loads(beginning * 511 + '{"value":2}' + "}" * 511, type=Node)
    for _ in range(511):
        made = made.parent
    assert made == Node(2)
    made = _core.loads('{"value":1,"children":[' * 255 + '{"value":2}' + "]}" * 255, type=Node)
    for _ in range(255):
        made = made.children[0]
    assert made == Node(2)
    text = beginning * 512 + '{"value":2}' + "}" * 512
    for source, start in ((text, 0), (text.encode(), 0), (f'["é",{text}]', 5)):
        type_: Any = tuple[str, Node] if start else Node
        with pytest.raises(_core.JSONDepthError, match="nested deeper than 512 levels") as raised:
            _core.loads(source, type=type_)
        assert raised.value.pos == start + (512 - (start > 0)) * len(beginning)
        assert not isinstance(raised.value, _core.JSONTypeError)
    with pytest.raises(_core.JSONDepthError, match="line 2 column"):
        _core.Decoder(type=Node).decode_lines('{"value": 1}\n' + text)
    with pytest.raises(_core.JSONDepthError, match="nested deeper than 512 levels"):
        plan_of(Node).make(_core.loads(text))


def test_plan_whose_nodes_lead_nowhere_is_refused() -> None:
    from ssrjson_web._models.types.nodes import Action, Node

    for target in (Action("node", nodes=(0,)), Action("same")):
        nodes = (Node("x", {"object": Action("node", nodes=(1,))}), Node("y", {"object": target}))
        with pytest.raises(TypeError, match="a node that leads nowhere"):
            _core._TypePlan(nodes, False)


# what code of a class does


def test_post_init_runs_once_and_may_reenter() -> None:
    calls = []

    @dataclasses.dataclass
    class Made:
        a: int
        b: list[int]
        c: Any = None

        def __post_init__(self) -> None:
            calls.append((self.a, self.b))
            if self.a:
                self.c = _core.loads(f'{{"a": {self.a - 1}, "b": []}}', type=Made)
            gc.collect()

    made = _core.loads('{"a": 2, "b": [1]}', type=Made)
    assert calls == [(2, [1]), (1, []), (0, [])]
    assert made.c.c == Made(0, [])


@pytest.mark.parametrize("error", [ValueError("no"), TypeError("no"), KeyError("no"), KeyboardInterrupt("no")])
def test_exceptions_of_post_init(error: BaseException) -> None:
    @dataclasses.dataclass
    class Made:
        a: int

        def __post_init__(self) -> None:
            raise error

    with pytest.raises(BaseException) as raised:  # noqa: PT011
        _core.loads('[{"a": 1}]', type=list[Made])
    if isinstance(error, (ValueError, TypeError)):
        assert isinstance(raised.value, _core.JSONTypeError)
        assert (raised.value.steps, raised.value.__cause__) == ((0,), error)
    else:
        assert raised.value is error


@pytest.mark.parametrize("change", ["clear", "pop", "add"])
def test_code_that_changes_containers_in_the_midst_is_told(change: str) -> None:
    letter = enum.Enum("letter", {c: c for c in "tuvwxyz"})  # type: ignore[misc]

    def containers() -> list[Any]:
        return [one for one in gc.get_objects() if type(one) in (list, dict) and len(one) == 7]

    def change_list(one: list[Any]) -> None:
        if change == "add":
            one.append({"a": 1})
        else:
            one.clear() if change == "clear" else one.pop()

    def change_dict(one: dict[str, Any]) -> None:
        if change == "add":
            one["s"] = {"a": 1}
        else:
            one.clear() if change == "clear" else one.pop("z")

    @dataclasses.dataclass
    class Hostile:
        a: int

        def __post_init__(self) -> None:
            for one in containers():
                items = one if type(one) is list else one.values()
                if any(type(item) is dict and item.keys() == {"a"} for item in items):
                    (change_list if type(one) is list else change_dict)(one)

    text = "[" + ",".join(['{"a": 1}'] * 7) + "]"
    pairs = "{" + ",".join(f'"{c}": {{"a": 1}}' for c in "tuvwxyz") + "}"
    for type_, source in (
        (list[Hostile], text),
        (tuple[Hostile, ...], text),
        (tuple[tuple([Hostile] * 7)], text),  # type: ignore[misc]
        (dict[str, Hostile], pairs),
        (dict[letter, Hostile], pairs),  # type: ignore[valid-type]
        (TypedDict("Made", dict.fromkeys("tuvwxyz", Hostile)), pairs),  # type: ignore[operator]
        (TypedDict("Made", dict.fromkeys("uvwxy", Hostile)), pairs),  # type: ignore[operator]
    ):
        with pytest.raises(RuntimeError, match=r"has changed a (list|dict) of the document"):
            _core.loads(source, type=type_)
    with pytest.raises(RuntimeError, match="has changed a list of the document"):
        _core.Decoder(type=Hostile).decode_lines("\n".join(['{"a": 1}'] * 7))


def test_two_names_of_one_slot_hold_the_last_value() -> None:
    @dataclasses.dataclass
    class Made:
        __slots__ = ("a", "b")
        a: Any
        b: Any

    Made.b = Made.a  # type: ignore[method-assign, misc]
    decoder = _core.Decoder(type=Made)
    for text in ('{"a": [1], "b": [2]}', '{"b": [2], "a": [1]}'):
        made = decoder.decode(text)
        assert (made.a, made.b) == ([2], [2])
    del made
    gc.collect()
    before = len([one for one in gc.get_objects() if type(one) is list])
    for _ in range(50):
        decoder.decode('{"a": [1], "b": [2]}')
    assert len([one for one in gc.get_objects() if type(one) is list]) <= before + 5


def test_class_that_was_changed_is_made_by_its_own_init() -> None:
    @dataclasses.dataclass
    class Made:
        a: int
        b: int = 2

    decoder = _core.Decoder(type=Made)
    assert decoder.decode('{"a": 1}') == Made(1, 2)
    Made.other = 1  # type: ignore[attr-defined]
    assert decoder.decode('{"a": 1}') == Made(1, 2)
    seen = []

    def init(self: Any, a: int, b: int) -> None:
        seen.append((a, b))
        self.a, self.b = a, b

    Made.__init__ = init  # type: ignore[assignment]
    made = decoder.decode('{"a": 1}')
    assert (made.a, made.b, seen) == (1, 2, [(1, 2)])
    Made.__init__ = lambda self: None  # type: ignore[assignment, method-assign]
    with pytest.raises(_core.JSONTypeError, match="unexpected keyword argument"):
        decoder.decode('{"a": 1}')


def test_named_tuple_that_was_changed_is_made_by_its_own_new() -> None:
    class Made(NamedTuple):
        a: int
        b: int = 2

    decoder = _core.Decoder(type=Made)
    assert decoder.decode("[1]") == (1, 2)
    Made.__new__ = lambda cls, a, b=5: tuple.__new__(cls, (a, b, "own"))  # type: ignore[assignment, method-assign]
    assert decoder.decode("[1]") == (1, 5, "own")


def test_named_tuple_with_other_defaults_than_its_new_is_made_by_that() -> None:
    class Made(NamedTuple):
        a: int
        b: int = 2

    Made._field_defaults = {"a": 2}
    assert _core.loads("[1]", type=Made) == (1, 2)


@pytest.mark.parametrize("base", [dict, list, set, bytearray])
def test_builtin_base_with_a_hidden_new_makes_its_objects(base: Any) -> None:
    # with a text, because Python 3.10 cannot make one of such a signature
    namespace = {"__new__": object.__new__, "__annotations__": {"x": int}, "__doc__": "Made."}
    Made: Any = dataclasses.dataclass(type("Made", (base,), namespace))
    made = _core.loads('{"x": 1}', type=Made)
    assert (made.x, made == base()) == (1, Made(1) == base())
    assert base.__len__(made) == 0
    assert len(base.copy(made)) == 0


def test_slot_that_was_replaced_is_not_written() -> None:
    @dataclasses.dataclass(slots=True)
    class Made:
        a: int
        b: int

    decoder = _core.Decoder(type=Made)
    assert decoder.decode('{"a": 1, "b": 2}') == Made(1, 2)
    seen: list[int] = []
    Made.b = property(lambda self: -1, lambda self, value: seen.append(value))  # type: ignore[assignment]
    made = decoder.decode('{"a": 1, "b": 2}')
    assert (made.a, made.b, seen) == (1, -1, [2])


def test_own_init_new_and_call_are_called() -> None:
    seen: list[str] = []

    class Meta(type):
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            seen.append("call")
            return super().__call__(*args, **kwargs)

    @dataclasses.dataclass(init=False)
    class OwnInit:
        a: int

        def __init__(self, a: int) -> None:
            seen.append("init")
            self.a = a

    @dataclasses.dataclass
    class OwnNew:
        a: int

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            seen.append("new")
            return super().__new__(cls)

    @dataclasses.dataclass
    class OwnCall(metaclass=Meta):
        a: int

    @dataclasses.dataclass
    class OwnSetattr:
        a: int

        def __setattr__(self, name: str, value: Any) -> None:
            seen.append("setattr")
            super().__setattr__(name, value)

    for cls, name in ((OwnInit, "init"), (OwnNew, "new"), (OwnCall, "call"), (OwnSetattr, "setattr")):
        seen.clear()
        assert _core.loads('{"a": 1}', type=cls).a == 1
        assert seen == [name]


def test_init_var_and_fields_without_init() -> None:
    @dataclasses.dataclass
    class Made:
        a: int
        scale: dataclasses.InitVar[int]
        total: int = dataclasses.field(init=False, default=-1)
        known: ClassVar[int] = 5

        def __post_init__(self, scale: int) -> None:
            self.total = self.a * scale

    assert _core.loads('{"a": 2, "scale": 3, "total": 9, "known": 1}', type=Made).total == 6
    assert fault(Made, '{"a": 2, "scale": "3"}')[0] == "type"


def test_class_equal_to_another_has_its_own_plan() -> None:
    class Equal(type):
        def __eq__(cls, other: object) -> bool:
            return isinstance(other, Equal)

        def __hash__(cls) -> int:
            return 1

    @dataclasses.dataclass
    class First(metaclass=Equal):
        a: int

    @dataclasses.dataclass
    class Second(metaclass=Equal):
        a: int

    assert type(_core.loads('{"a": 1}', type=First)).__name__ == "First"
    assert type(_core.loads('{"a": 1}', type=Second)).__name__ == "Second"
    for first, second in ((list[First], list[Second]), (tuple[First, ...], tuple[Second, ...])):
        assert type(_core.loads('[{"a": 1}]', type=first)[0]).__name__ == "First"
        assert type(_core.loads('[{"a": 1}]', type=second)[0]).__name__ == "Second"
    both = _core.loads('[{"a": 1}, {"a": 2}]', type=tuple[First, Second])
    assert [type(one).__name__ for one in both] == ["First", "Second"]


def test_class_equal_to_everything_is_read_by_its_fields() -> None:
    class Equal(type):
        def __eq__(cls, other: object) -> bool:
            return True

        def __hash__(cls) -> int:
            return hash(int)

    @dataclasses.dataclass
    class Made(metaclass=Equal):
        """A text, because Python 3.10 cannot make one of such a signature."""

        a: int

    _core.loads("1", type=int)
    for type_, text in ((Made, "%s"), (tuple[Made, str, Made], '[%s, "", {"a": 2}]')):
        assert "Made(a=1)" in repr(_core.loads(text % '{"a": 1}', type=type_))


def type_of_struct(cls: type) -> Any:
    return cls


def type_of_list(cls: type) -> Any:
    return list[cls]  # type: ignore[valid-type]


def type_of_nested(cls: type) -> Any:
    return dict[str, Annotated[Optional[tuple[cls, ...]], "note"]]


def type_of_new_type(cls: type) -> Any:
    return NewType("Named", cls)


@pytest.mark.skipif(CLASSES_ARE_IMMORTAL, reason="this CPython never frees classes")
@pytest.mark.skipif(not HAS_MSGSPEC, reason="msgspec is not installed")
@pytest.mark.parametrize("type_of", [type_of_struct, type_of_list, type_of_nested, type_of_new_type])
def test_plan_ends_with_its_class(type_of: Callable[[type], Any]) -> None:
    references = []
    for _ in range(3):

        class Local(msgspec.Struct):
            a: int

        text = {"type_of_list": '[{"a": 1}]', "type_of_nested": '{"b": [{"a": 1}]}'}.get(type_of.__name__, '{"a": 1}')
        for _ in range(2):
            assert "Local(a=1)" in repr(_core.loads(text, type=type_of(Local)))
        decoder: Any = _core.Decoder(type=type_of(Local))
        assert "Local(a=1)" in repr(decoder.decode(text))
        references.append(weakref.ref(Local))
        del decoder, Local
    for clean in typing._cleanups:  # type: ignore[attr-defined]
        clean()
    gc.collect()
    assert [reference() for reference in references] == [None] * 3


def test_plan_is_made_once_for_types_that_are_equal() -> None:
    @dataclasses.dataclass
    class Local:
        a: int

    assert plan_of(Local) is plan_of(Local)
    assert plan_of(list[Local]) is plan_of(list[Local])
    assert plan_of(list[int]) is plan_of(list[int])
    assert plan_of(uuid.UUID) is plan_of(uuid.UUID)
    assert "__ssrjson_kept__" not in vars(uuid.UUID)


def test_copy_and_pickle_of_a_namespace_have_no_plans() -> None:
    @dataclasses.dataclass
    class Local:
        a: int

    plan_of(Local)
    kept = vars(Local)["__ssrjson_kept__"]
    assert len(kept) == 1
    assert copy.deepcopy(kept) == pickle.loads(pickle.dumps(kept)) == {}
    slotted = dataclasses.dataclass(slots=True)(Local)
    assert type(_core.loads('{"a": 1}', type=slotted)) is slotted
    assert vars(slotted)["__ssrjson_kept__"] is not kept


def test_class_whose_type_is_refused_stays_as_it_is() -> None:
    class Local(Protocol):
        a: int

    with pytest.raises(TypeError, match="it is no dataclass"):
        plan_of(Local)
    assert "__ssrjson_kept__" not in vars(Local)


def test_values_of_others_are_not_changed() -> None:
    value = {"items": [{"value": 1, "children": []}], "total": 1}
    before = copy.deepcopy(value)
    made = plan_of(Page[Node]).make(value)
    assert made == Page([Node(1)], 1)
    assert value == before
    made.items[0].children.append(5)
    assert value == before
