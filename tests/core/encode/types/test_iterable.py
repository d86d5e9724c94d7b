"""Sets, deques, views and iterators as arrays; mappings as objects."""

from __future__ import annotations

import itertools
import types
from collections import ChainMap, UserDict, deque
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from helpers.all_outputs import assert_all_give, assert_encoded_as, in_chunks
from helpers.call_outcome import outcome
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")


class Pairs(Mapping[Any, Any]):
    """A mapping that is no dict."""

    def __init__(self, *pairs: tuple[Any, Any]) -> None:
        self.pairs = dict(pairs)

    def __getitem__(self, key: Any) -> Any:
        return self.pairs[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)


class Items(Pairs):
    """The same with items() that may be anything."""

    def items(self) -> Any:
        return self.pairs["items"]


def test_containers_are_arrays_in_every_output() -> None:
    members = {"é": 1, "中": [2]}
    for value, plain in (
        ({5}, [5]),
        (frozenset(["é"]), ["é"]),
        (set(), []),
        (deque([1, "中", deque()]), [1, "中", []]),
        (members.keys(), ["é", "中"]),
        (members.values(), [1, [2]]),
        (members.items(), [["é", 1], ["中", [2]]]),
    ):
        assert_encoded_as(plain, value, iterables=True)


def test_iterators_are_arrays() -> None:
    makers: list[Any] = [
        lambda: iter([1, [2]]),
        lambda: (n for n in (1, [2])),
        lambda: itertools.chain([1], [[2]]),
        lambda: reversed([[2], 1]),
        lambda: iter({1: 0, (2,): 0}),
    ]
    for make in makers:
        for options in ({}, {"indent": 1}, {"ensure_ascii": True}):
            expected = _core.dumps({"k": [1, [2]], "l": []}, **options)
            for encode in (_core.dumps, lambda *a, **k: in_chunks(*a, **k).decode()):
                got = encode({"k": make(), "l": iter(())}, iterables=True, **options)
                assert got == expected


def test_iterator_that_raises_passes_its_error_through() -> None:
    def failing(error: BaseException) -> Iterator[int]:
        yield 1
        raise error

    for error in (KeyError("x"), KeyboardInterrupt(), StopAsyncIteration()):
        with pytest.raises(type(error)) as raised:
            _core.dumps_to_bytes([failing(error)], iterables=True)
        assert raised.value is error


def test_iterator_in_itself_is_a_cycle() -> None:
    def selfish(items: list[Any]) -> Iterator[Any]:
        yield 1
        yield from items

    for n_levels in (0, 1, 3, 40):  # of lists and dicts between the iterator and itself
        for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
            for expected, options in (
                (("ValueError", "Circular reference detected"), {}),
                ("the rest", {"check_circular": False}),
            ):
                items: list[Any] = []
                generator = value = selfish(items)
                for i in range(n_levels):
                    value = {"a": value} if i & 1 else [value]
                items += [value, 2]
                got = outcome(encode, [generator], iterables=True, **options)
                if expected == "the rest":
                    assert got[0] == "value"
                    assert "[2]" in str(got[1])
                else:
                    assert got == expected


def test_iterator_at_two_places_is_no_cycle() -> None:
    for encode in (_core.dumps, in_chunks):
        iterator = iter([1, 2])
        assert outcome(encode, [iterator, {"a": iterator}], iterables=True)[1] in (
            "'[[1,2],{\"a\":[]}]'",
            "b'[[1,2],{\"a\":[]}]'",
        )


def test_containers_in_themselves_are_cycles() -> None:
    loop: deque[Any] = deque([1])
    loop.append([loop])
    mapping = Pairs(("a", 1))
    mapping.pairs["b"] = [mapping]
    proxied: dict[str, Any] = {}
    proxied["a"] = types.MappingProxyType(proxied)
    for value in (loop, mapping, proxied, proxied["a"], [loop]):
        assert_all_give(("ValueError", "Circular reference detected"), value, natives=True)
        assert outcome(_core.dumps, value, natives=True, check_circular=False)[0] == "RecursionError"


def test_iterators_without_end_raise_recursion_error() -> None:
    def deeper() -> Iterator[Any]:
        yield deeper()

    assert outcome(_core.dumps, deeper(), iterables=True)[0] == "RecursionError"
    assert outcome(in_chunks, deeper(), 1000, iterables=True)[0] == "RecursionError"


def test_what_python_is_asked_about_may_stand_100_000_deep() -> None:
    for n_sets in (1, 3):
        value: Any = [{n} for n in range(n_sets)]
        for _ in range(100_000):
            value = [value]
        expected = "[" * 100_000 + _core.dumps([[n] for n in range(n_sets)]) + "]" * 100_000
        assert _core.dumps(value, iterables=True) == expected
        assert in_chunks(value, 1000, iterables=True).decode() == expected
        assert _core.dumps(value, default=list) == expected


def test_mappings_are_objects_in_every_output() -> None:
    plain = {"é": [1], "中": {"x": None}}
    for value in (
        Pairs(*plain.items()),
        types.MappingProxyType(plain),
        UserDict(plain),
        ChainMap({}, {"é": [1], "中": Pairs(("x", None))}),
    ):
        ordered = dict(value.items())
        expected = {key: plain[key] for key in ordered}
        assert_encoded_as(expected, value, mapping=True)
    assert_encoded_as({}, Pairs(), mapping=True)
    assert_encoded_as({}, types.MappingProxyType({}), mapping=True)


def test_mapping_keys_are_those_of_a_dict() -> None:
    for key in (1, 2.5, None, True):
        assert_encoded_as({key: 1}, Pairs((key, 1)), mapping=True)
    assert outcome(_core.dumps, Pairs(((), 1)), mapping=True)[0] == "TypeError"
    assert _core.dumps(Pairs(((), 1), ("a", 2)), mapping=True, skipkeys=True) == '{"a":2}'


def test_mapping_whose_items_are_odd_raises_as_a_dict_subclass() -> None:
    class OddDict(dict[Any, Any]):
        def items(self) -> Any:
            return self["items"]

    OddDict.__name__, OddDict.__qualname__ = Items.__name__, Items.__qualname__  # the errors name the class
    for items in (5, None, [1], ["ab"], [("a",)], [("a", 1, 2)], [["a", 1]], [(1, 2), 3], iter([("a", [1])]), []):
        made = list(items) if isinstance(items, Iterator) else items
        expected = outcome(_core.dumps, OddDict(items=made))
        assert_all_give(expected, Items(("items", made)), mapping=True)


def test_mapping_that_raises_passes_its_error_through() -> None:
    class Raising(Pairs):
        def items(self) -> Any:
            raise KeyError("items")

    class NoClass:
        @property
        def __class__(self) -> Any:
            raise KeyError("class")

    for value in (Raising(), NoClass()):
        assert outcome(_core.dumps, [value], mapping=True)[0] == "KeyError"


def test_strings_and_lists_are_no_mappings_and_ranges_no_iterators() -> None:
    assert _core.dumps(["a", [1]], natives=True) == '["a",[1]]'
    assert outcome(_core.dumps, range(3), natives=True)[0] == "TypeError"


@given(st.recursive(st.integers() | st.text(), lambda inner: st.frozensets(inner, max_size=5), max_leaves=20))
def test_any_frozenset_equals_its_list(value: Any) -> None:
    def listed(thing: Any) -> Any:
        return [listed(item) for item in thing] if isinstance(thing, frozenset) else thing

    assert _core.dumps(value, iterables=True) == _core.dumps(listed(value))
    assert in_chunks(value, iterables=True) == _core.dumps_to_bytes(listed(value))
