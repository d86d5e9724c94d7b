"""Encoding lists, tuples and dicts: empty, wide, deep, shared, circular."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from helpers import json_documents, reference_codec, stdlib_json
from helpers.call_outcome import assert_same, outcome
from helpers.processes import run_python
from hypothesis import given

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

DEPTH = 100_000


def assert_encoded(value: Any) -> None:
    expected = stdlib_json.dumps(value)
    assert_same(_core.dumps(value), expected, value)
    assert_same(_core.dumps_to_bytes(value), expected.encode(), value)
    assert_same(_core.dumps(value, ensure_ascii=True), stdlib_json.dumps(value, ensure_ascii=True), value)


def deep(shape: str, innermost: Any, depth: int = DEPTH) -> Any:
    """`innermost` inside `depth` lists, tuples or dicts."""
    value = innermost
    for _ in range(depth):
        value = [value] if shape == "list" else (value,) if shape == "tuple" else {"中": value}
    return value


def test_encode_constants_and_empty_containers() -> None:
    values: list[Any] = [None, True, False, [], (), {}, [[]], [()], [{}], {"": {}}, {"a": []}, [None, False], [[], {}]]
    for value in values:
        assert_encoded(value)


def test_encode_list_and_tuple_of_each_length_up_to_200() -> None:
    values: list[Any] = [None, 1, "é", "中", 1.5, [], {}]
    for value in values:
        for length in (*range(70), 127, 128, 129, 200):
            assert_encoded([value] * length)
            assert_encoded((value,) * length)


def test_encode_dict_of_each_length_up_to_200() -> None:
    for key in ("a", "é", "中", "😀", '"'):
        for length in (*range(70), 127, 128, 129, 200):
            assert_encoded({f"{key}{i}": i for i in range(length)})


def test_encode_dict_after_deletions_keeps_its_order() -> None:
    value: dict[str, Any] = {f"k{i}": i for i in range(100)}
    for i in range(0, 100, 3):
        del value[f"k{i}"]
    value["k0"] = "again"
    assert_encoded(value)
    value.clear()
    assert_encoded(value)


def test_encode_dict_with_keys_shared_between_instances() -> None:
    class Point:
        def __init__(self, x: int, y: str) -> None:
            self.x = x
            self.y = y

    points = [Point(i, "中" * i) for i in range(50)]
    points[7].__dict__["z"] = None
    del points[8].x
    points[9].x = 99
    assert_encoded([point.__dict__ for point in points])


def test_encode_wide_containers() -> None:
    draw = random.Random(1)
    scalars: list[Any] = [None, True, 0, -1.5, 10**20, "", "abc", "é", "中文", "😀", '"\n']
    assert_encoded([draw.choice(scalars) for _ in range(200_000)])
    assert_encoded({f"{draw.choice('aé中😀')}{i}": draw.choice(scalars) for i in range(100_000)})


def test_encode_result_that_grows_through_many_sizes() -> None:
    for fill in ("a", "é", "中", "😀", '"'):
        for exponent in range(0, 21, 2):
            text = fill * (2**exponent // 8)
            assert_encoded([text, *([text] if exponent < 18 else []) * 8, 1.25, {"k": text}])


def test_encode_str_result_that_widens_late() -> None:
    for before in (10, 1000, 100_000):
        for widening in ("é", "中", "😀"):
            value: list[Any] = ["a" * before, 1, "a", widening, "b" * 100, {"k" * 50: None}]
            assert_encoded(value)
            assert_encoded([value, "é", value, "中", value, "😀", value])


@pytest.mark.parametrize("shape", ["list", "tuple", "dict"])
def test_encode_container_100_000_deep(shape: str) -> None:
    opening, closing = ('{"中":', "}") if shape == "dict" else ("[", "]")
    for innermost, text in ((1, "1"), ("é", '"é"'), ([], "[]"), ({}, "{}")):
        value = deep(shape, innermost)
        expected = opening * DEPTH + text + closing * DEPTH
        assert_same(_core.dumps(value), expected, shape)
        assert_same(_core.dumps_to_bytes(value), expected.encode(), shape)
        assert_same(_core.dumps_to_bytes(value, check_circular=False), expected.encode(), shape)


def test_encode_deep_container_with_a_value_after_each_end() -> None:
    value: Any = 0
    expected = "0"
    for i in range(500):
        value = {"a": [value, i], "b": i}
    for i in range(500):
        expected = f'{{"a":[{expected},{i}],"b":{i}}}'
    assert_same(_core.dumps(value), expected, "500 deep")


def test_encode_container_1000_deep_with_indent() -> None:
    value = deep("list", "é", depth=1000)
    expected = "".join(f"[\n{' ' * n}" for n in range(1, 1001)) + '"é"'
    expected += "".join(f"\n{' ' * n}]" for n in reversed(range(1000)))
    assert_same(_core.dumps(value, indent=1), expected, "1000 deep")
    assert_same(_core.dumps_to_bytes(value, indent=1), expected.encode(), "1000 deep")


@pytest.mark.parametrize("shape", ["list", "tuple", "dict"])
def test_encode_value_without_encoding_100_000_deep_raises_and_frees(shape: str) -> None:
    value = deep(shape, {1, 2})
    for encode in (_core.dumps, _core.dumps_to_bytes):
        with pytest.raises(TypeError, match=r"(?m)^Object of type set is not JSON serializable$"):
            encode(value)


def cycles() -> list[Any]:
    itself: list[Any] = []
    itself.append(itself)
    via_tuple: list[Any] = [1]
    via_tuple.append((2, via_tuple))
    via_dict: dict[str, Any] = {"a": [{}]}
    via_dict["a"][0]["b"] = via_dict
    inside: list[Any] = ["before", via_dict, "after"]
    own_value: dict[str, Any] = {}
    own_value["é"] = own_value
    return [itself, via_tuple, via_dict, inside, own_value, {"k": [[[itself]]]}]


def test_encode_cycle_raises_as_stdlib() -> None:
    for value in cycles():
        expected = outcome(stdlib_json.dumps, value)
        assert expected[:2] == ("ValueError", "Circular reference detected")
        for options in ({}, {"indent": 2}, {"sort_keys": True}, {"ensure_ascii": True}):
            assert_same(outcome(_core.dumps, value, **options)[:2], expected[:2], options)
            assert_same(outcome(_core.dumps_to_bytes, value, **options)[:2], expected[:2], options)


def test_encode_cycle_of_100_000_containers_raises() -> None:
    end: list[Any] = []
    value = deep("list", end)
    end.append(value)
    for encode in (_core.dumps, _core.dumps_to_bytes):
        with pytest.raises(ValueError, match=r"(?m)^Circular reference detected$"):
            encode(value)
    end.clear()


def test_encode_shared_container_is_no_cycle() -> None:
    shared: list[Any] = [1, "中"]
    nested = {"a": shared, "b": shared, "c": [shared, (shared, shared)]}
    assert_encoded([shared, shared, nested, nested, [[], []], [()] * 3])


def test_encode_again_after_a_cycle_raised() -> None:
    value: list[Any] = [[1]]
    value[0].append(value)
    with pytest.raises(ValueError, match="Circular"):
        _core.dumps(value)
    value[0].pop()
    assert _core.dumps(value) == "[[1]]"


def test_encode_cycle_without_the_check_raises_recursion_error(isa: str, tmp_path: Path) -> None:
    snippet = """
        from ssrjson_web import dumps, dumps_to_bytes
        cycle = {}
        cycle["a"] = [cycle]
        for encode in dumps, dumps_to_bytes:
            try:
                encode(cycle, check_circular=False)
            except RecursionError:
                print("RecursionError")
    """
    done = run_python(snippet, tmp_path, max_gib=1, SSRJSON_ISA=isa)
    assert done.stdout.split() == ["RecursionError"] * 2, done


@pytest.mark.parametrize("before", [0, 1, 2])
def test_encode_cycle_through_overridden_methods_raises_as_stdlib(before: int, isa: str, tmp_path: Path) -> None:
    # each round makes a new list, so a cycle shows only in the object whose method it is
    snippet = f"""
        from ssrjson_web import dumps, dumps_to_bytes
        class Members(dict):
            def items(self):
                return [("a", [self])]
        class Items(list):
            def __iter__(self):
                return iter([(self,)])
        for value in Members(a=1), Items([1]):
            for _ in range({before}):
                value = [value]
            for encode in dumps, dumps_to_bytes:
                try:
                    encode(value)
                except ValueError as error:
                    print(error)
    """
    done = run_python(snippet, tmp_path, max_gib=1, SSRJSON_ISA=isa)
    assert done.stdout.splitlines() == ["Circular reference detected"] * 4, done


@pytest.mark.parametrize("before", [0, 1])
def test_encode_containers_without_end_raise_recursion_error(before: int, isa: str, tmp_path: Path) -> None:
    snippet = f"""
        from ssrjson_web import dumps, dumps_to_bytes
        class Members(dict):
            def items(self):
                return [("a", [Members(a=1)])]
        class Items(list):
            def __iter__(self):
                return iter([(Items([1]),)])
        class Itself(list):
            def __iter__(self):
                return iter([[self]])
        for value in Members(a=1), Items([1]), Itself([1]):
            for _ in range({before}):
                value = [value]
            for encode in dumps, dumps_to_bytes:
                try:
                    encode(value, check_circular=False)
                except RecursionError:
                    print("RecursionError")
    """
    done = run_python(snippet, tmp_path, max_gib=1, SSRJSON_ISA=isa)
    assert done.stdout.split() == ["RecursionError"] * 6, done


@given(json_documents.values)
def test_encode_any_value_equals_stdlib_and_reference(value: Any) -> None:
    assert_same(outcome(_core.dumps, value), outcome(stdlib_json.dumps, value), value)
    assert_same(outcome(_core.dumps_to_bytes, value), outcome(stdlib_json.dumps_to_bytes, value), value)
    assert_same(outcome(_core.dumps_to_bytes, value), outcome(reference_codec.encode_to_bytes, value), value)
