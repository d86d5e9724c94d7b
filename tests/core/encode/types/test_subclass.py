"""Subclasses of the native types: as stdlib sees them, overridden methods included."""

from __future__ import annotations

import collections
import enum
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from helpers import stdlib_json
from helpers.call_outcome import assert_same, outcome

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")


def assert_encoded(value: Any) -> None:
    for options in ({}, {"indent": 2}, {"sort_keys": True}, {"ensure_ascii": True}):
        expected = outcome(stdlib_json.dumps, value, **options)
        assert_same(outcome(_core.dumps, value, **options), expected, (value, options))
        expected = outcome(stdlib_json.dumps_to_bytes, value, **options)
        assert_same(outcome(_core.dumps_to_bytes, value, **options), expected, (value, options))


class Text(str):
    def __str__(self) -> str:
        return "wrong"

    def __repr__(self) -> str:
        return "wrong"

    def encode(self, *args: Any, **options: Any) -> bytes:
        return b"wrong"


class Number(int):
    def __repr__(self) -> str:
        return "wrong"

    def __str__(self) -> str:
        return "wrong"

    def __int__(self) -> int:
        return -1


class Real(float):
    def __repr__(self) -> str:
        return "wrong"

    def __float__(self) -> float:
        return -1.0


def test_str_subclass_gives_its_characters() -> None:
    for text in ("", "a" * 70, "é", "中" * 40, '😀"\n'):
        assert_encoded(Text(text))
        assert_encoded([Text(text), {Text(text): Text(text)}])
    assert _core.dumps(Text("é")) == '"é"'


def test_int_subclass_gives_its_digits() -> None:
    for number in (0, -5, 2**30, -(2**63), 10**50):
        assert_encoded([Number(number), {"k": Number(number)}])
    assert _core.dumps(Number(5)) == "5"


def test_float_subclass_gives_its_shortest_digits() -> None:
    for number in (0.0, -0.1, 1e16, 1e-5, float("inf"), float("nan")):
        assert_encoded([Real(number), {"k": Real(number)}])
    assert _core.dumps(Real(0.5)) == "0.5"


def test_enum_with_a_native_type_gives_its_value() -> None:
    class Colour(enum.IntEnum):
        RED = 1

    class Flag(enum.IntFlag):
        A = 1
        B = 2

    class Name(str, enum.Enum):
        ANNA = "анна"

    class Ratio(float, enum.Enum):
        HALF = 0.5

    assert_encoded([Colour.RED, Flag.A | Flag.B, Name.ANNA, Ratio.HALF, {Colour.RED: Name.ANNA}])
    assert _core.dumps([Colour.RED, Name.ANNA, Ratio.HALF]) == '[1,"анна",0.5]'
    if hasattr(enum, "StrEnum"):
        Word = enum.StrEnum("Word", {"HELLO": "你好"})
        assert_encoded([Word.HELLO, {Word.HELLO: Word.HELLO}])


def test_enum_without_a_native_type_raises_as_stdlib() -> None:
    class Colour(enum.Enum):
        RED = 1

    assert_encoded([Colour.RED])
    assert outcome(_core.dumps, Colour.RED)[0] == "TypeError"


def test_ordered_dict_after_move_to_end_keeps_its_order() -> None:
    value = collections.OrderedDict(a=1, b=2, c=3)
    value.move_to_end("a")
    assert _core.dumps(value) == '{"b":2,"c":3,"a":1}'
    value.move_to_end("c", last=False)
    assert_encoded(value)
    assert_encoded({"x": [value, collections.OrderedDict()]})


def test_dict_subclasses_of_stdlib() -> None:
    assert_encoded(collections.defaultdict(list, {"a": [1], "é": []}))
    assert_encoded(collections.Counter("hello"))
    assert_encoded(types.MappingProxyType({"a": 1}))
    assert_encoded(collections.ChainMap({"a": 1}))
    assert_encoded(collections.UserDict(a=1))


def test_dict_subclass_with_own_items_gives_those() -> None:
    class Doubled(dict[str, Any]):
        def items(self) -> Any:
            return [(key * 2, [value]) for key, value in super().items()]

    assert_encoded(Doubled(a=1, é="中"))
    assert_encoded([Doubled(), {"k": Doubled(b=Doubled(c=1))}])
    assert _core.dumps(Doubled(a=1)) == '{"aa":[1]}'


def test_dict_subclass_whose_items_are_none_at_all() -> None:
    class Hidden(dict[str, Any]):
        def items(self) -> Any:
            return []

    for value in (Hidden(), Hidden(a=1), [Hidden(a=1), {"k": Hidden(a=1), "z": [Hidden()]}]):
        assert_encoded(value)


def test_items_that_an_object_of_a_dict_subclass_has_itself_count() -> None:
    class Own(dict[str, Any]):
        pass

    class OddKey(str):
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            return str.__eq__(self, other)

    for n_others in (0, 3, 100):
        own, other = Own(a=1), Own(a=1)
        for n in range(n_others):
            setattr(own, f"other{n}", n)
            setattr(other, f"other{n}", n)
        own.items = lambda: [("b", {"c": 2})]  # type: ignore[method-assign, assignment]
        assert_encoded([own, other, {"k": own}])
        vars(other)
        assert_encoded([own, other, {"k": own}])
        del own.items
        assert_encoded(own)
        vars(own)[OddKey("items")] = lambda: [("d", 3)]
        assert_encoded(own)


def test_dict_subclass_whose_items_raise_or_are_odd_as_stdlib() -> None:
    class Raising(dict[str, Any]):
        def items(self) -> Any:
            raise KeyError("items")

    class NoPairs(dict[str, Any]):
        def items(self) -> Any:
            return [1, 2]

    class Triples(dict[str, Any]):
        def items(self) -> Any:
            return [(1, 2, 3)]

    class NoIterable(dict[str, Any]):
        def items(self) -> Any:
            return 5

    assert_same(outcome(_core.dumps, Raising(a=1)), outcome(stdlib_json.dumps, Raising(a=1)), "Raising")
    for odd in (NoPairs(a=1), Triples(a=1), NoIterable(a=1)):
        expected = outcome(stdlib_json.dumps, odd)
        assert expected[0] in ("ValueError", "TypeError")
        got = outcome(_core.dumps, odd)
        assert got[0] in ("ValueError", "TypeError"), f"{type(odd).__name__}: {got}, stdlib {expected}"


def test_dict_subclass_with_own_keys_and_getitem_is_read_by_items() -> None:
    class Misleading(dict[str, Any]):
        def __iter__(self) -> Iterator[str]:
            return iter(["wrong"])

        def keys(self) -> Any:
            return ["wrong"]

        def __getitem__(self, key: str) -> Any:
            return "wrong"

    assert_encoded(Misleading(a=1, b=[2]))


def test_list_subclass_with_own_iter_gives_those() -> None:
    class Squares(list[int]):
        def __iter__(self) -> Iterator[int]:
            return (n * n for n in range(len(self)))

    assert_encoded(Squares([9, 9, 9]))
    assert_encoded({"k": [Squares([5] * 70), Squares()]})
    assert _core.dumps(Squares([9, 9, 9])) == "[0,1,4]"


def test_length_of_a_list_subclass_with_own_iter_is_not_asked() -> None:
    class Lengthless(list[int]):
        def __iter__(self) -> Iterator[int]:
            return (n for n in (1, 2))

        def __len__(self) -> int:
            raise KeyError("len")

    class NoIterator(tuple[int, ...]):
        def __iter__(self) -> Iterator[int]:
            return 5  # type: ignore[return-value]

    for value in (Lengthless([7]), NoIterator((7,))):
        for wrapped in (value, [value], {"a": value}):
            assert_same(outcome(_core.dumps, wrapped), outcome(stdlib_json.dumps, wrapped), wrapped)


def test_tuple_subclass_with_own_iter_gives_those() -> None:
    class Twice(tuple[int, ...]):
        def __iter__(self) -> Iterator[int]:
            yield from (item * 2 for item in super().__iter__())

    assert_encoded(Twice([1, 2, 3]))
    assert _core.dumps(Twice([1, 2, 3])) == "[2,4,6]"


def test_list_subclass_whose_iter_raises_passes_the_error_through() -> None:
    class Raising(list[int]):
        def __iter__(self) -> Iterator[int]:
            yield 1
            raise KeyError("iter")

    for encode in (_core.dumps, _core.dumps_to_bytes):
        with pytest.raises(KeyError, match="iter"):
            encode([1, Raising([1, 2])])


def test_subclass_without_overrides_equals_its_base() -> None:
    class Row(dict[str, Any]):
        pass

    class Items(list[Any]):
        pass

    assert_encoded(Row(a=Items([1, Row(), Items()]), é="中"))


def test_cycle_through_subclasses_raises_as_stdlib() -> None:
    class Row(dict[str, Any]):
        pass

    class Items(list[Any]):
        def __iter__(self) -> Iterator[Any]:
            return super().__iter__()

    row = Row()
    row["a"] = Items([row])
    ordered: collections.OrderedDict[str, Any] = collections.OrderedDict()
    ordered["self"] = [ordered]
    for value in (row, ordered, [row]):
        assert outcome(_core.dumps, value)[:2] == ("ValueError", "Circular reference detected")
        assert outcome(stdlib_json.dumps, value)[:2] == ("ValueError", "Circular reference detected")


def test_namedtuple_is_an_array() -> None:
    class Point(NamedTuple):
        x: int
        y: str = "é"

    assert_encoded([Point(1), {"p": Point(2, "中")}])
    assert _core.dumps(Point(1)) == '[1,"é"]'
    assert_encoded(collections.namedtuple("Empty", ())())


def test_types_that_are_not_native_raise_as_stdlib() -> None:
    values: list[Any] = [
        range(3),
        collections.deque([1]),
        {1},
        frozenset(),
        b"a",
        bytearray(b"a"),
        memoryview(b"a"),
        1j,
    ]
    for value in values:
        assert_encoded(value)
        assert_encoded([value])
    assert_encoded(iter([1]))
    assert_encoded(array_like())


def array_like() -> Any:
    class ArrayLike:
        def __len__(self) -> int:
            return 1

        def __getitem__(self, index: int) -> int:
            return index

        def __iter__(self) -> Iterator[int]:
            return iter([1])

    return ArrayLike()
