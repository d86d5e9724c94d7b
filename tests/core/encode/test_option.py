"""Options of dumps and dumps_to_bytes: each has the effect that it has in stdlib, in every combination."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import pytest
from helpers import all_outputs, json_documents, reference_codec, stdlib_json
from helpers.call_outcome import assert_same, outcome
from helpers.processes import run_python
from helpers.stdlib_json import assert_encoded
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

VALUE: Any = {
    "b": [1, -2.5, True, None, "é\n", [], {}, [[]], {"中": '😀"\\'}],
    "a": {"z": (1, 2), "Z": {"ÿ": {}, "": [{"x": "/"}, 10**30]}},
    "я": math.inf,
    1: 2,
    2.5: "float key",
    False: "bool key",
    None: "null key",
}
TEXT_KEYS: Any = {"b": 1, "a": {"é": 1, "z": 2, "Z": 3, "中": 4, "😀": 5, "\uffff": 6, "": 7, "aa": 8}, "B": [{}]}
INDENTS: tuple[Any, ...] = (0, 1, 2, 3, 4, 7, 8, 17, 64, 100, -1, -5, True, False, "", " ", "\t", "é", "中 ", "😀", '"')


def test_defaults_are_compact_and_raw() -> None:
    assert _core.dumps({"é": [1, 2]}) == '{"é":[1,2]}'
    assert _core.dumps_to_bytes({"é": [1, 2]}) == '{"é":[1,2]}'.encode()


def test_options_given_as_none_or_their_default_change_nothing() -> None:
    defaults: dict[str, Any] = {
        "default": None,
        "skipkeys": False,
        "ensure_ascii": False,
        "check_circular": True,
        "allow_nan": True,
        "indent": None,
        "separators": None,
        "sort_keys": False,
    }
    assert _core.dumps(VALUE, **defaults) == _core.dumps(VALUE)
    assert _core.dumps_to_bytes(VALUE, **defaults, is_write_cache=None) == _core.dumps_to_bytes(VALUE)


def test_every_option_that_is_accepted_has_an_effect() -> None:
    cases: list[tuple[dict[str, Any], Any]] = [
        ({"default": repr}, {1, 2}),
        ({"skipkeys": True}, {(): 1}),
        ({"ensure_ascii": True}, "é"),
        ({"allow_nan": False}, math.nan),
        ({"indent": 1}, [1]),
        ({"separators": ("; ", " = ")}, {"a": 1, "b": 2}),
        ({"sort_keys": True}, {"b": 1, "a": 2}),
    ]
    for options, value in cases:
        for encode in (_core.dumps, _core.dumps_to_bytes):
            assert outcome(encode, value, **options) != outcome(encode, value), options
        assert_encoded(value, **options)


def test_indent_of_any_int_and_any_str_equals_stdlib() -> None:
    for indent in INDENTS:
        for ensure_ascii in (False, True):
            assert_encoded(VALUE, indent=indent, ensure_ascii=ensure_ascii)


def test_indent_with_separators_equals_stdlib() -> None:
    for indent in INDENTS:
        for separators in ((",", ":"), (", ", ": "), ("", ""), ("，", "：")):
            assert_encoded(VALUE, indent=indent, separators=separators)


def test_indent_of_empty_and_nested_empty_containers_equals_stdlib() -> None:
    values: list[Any] = [[], {}, (), [[]], [{}], {"a": []}, {"a": {}}, [[], []], {"a": (), "b": {}}, [[[[]]]], "x", 1]
    for value in values:
        assert_encoded(value, indent=3)


def test_indent_around_vector_edges_at_each_depth_equals_stdlib() -> None:
    value: Any = "é"
    for _ in range(20):
        value = [value, {"k": value}] if len(stdlib_json.dumps(value)) < 2000 else [value]
    for indent in (*range(10), 15, 16, 17, 31, 32, 33, 63, 64, 65):
        assert_encoded(value, indent=indent)


def test_indent_with_a_lone_surrogate_raises_in_bytes_as_stdlib() -> None:
    assert_encoded(["a", ["b"]], indent="\udfff ")
    assert_encoded(["a", ["b"]], separators=("\ud800", ":"))
    assert_encoded({"a": 1}, separators=(",", "\ud800\udfff"))


def test_indent_too_large_raises_and_does_not_wrap_around(isa: str, tmp_path: Path) -> None:
    snippet = """
        import sys
        from ssrjson_web import dumps, dumps_to_bytes
        for indent in 2**31, 2 + 2**32, 2**62, sys.maxsize, 2**64, 10**30:
            for encode in dumps, dumps_to_bytes:
                try:
                    print(indent, len(encode([1], indent=indent)), "characters")
                except (MemoryError, OverflowError, ValueError):
                    print("refused")
    """
    done = run_python(snippet, tmp_path, max_gib=1, SSRJSON_ISA=isa)
    assert done.stdout.split("\n") == ["refused"] * 12 + [""], done


def test_separators_of_any_text_equal_stdlib() -> None:
    pieces = ("", ",", ", ", ":", ' "quoted" \\', "\n\t", "é", "中", "😀", "x" * 100)
    for pair in itertools.product(pieces, pieces):
        for ensure_ascii in (False, True):
            assert_encoded(VALUE, separators=pair, ensure_ascii=ensure_ascii)


def test_ensure_ascii_gives_ascii_only() -> None:
    assert_encoded(VALUE, ensure_ascii=True)
    assert _core.dumps_to_bytes(["é", "中", "😀"], ensure_ascii=True) == b'["\\u00e9","\\u4e2d","\\ud83d\\ude00"]'
    assert _core.dumps_to_bytes("\x7f\udc00", ensure_ascii=True) == b'"\\u007f\\udc00"'


def test_sort_keys_orders_by_code_point() -> None:
    assert _core.dumps({"b": 1, "a": {"d": 2, "c": 3}}, sort_keys=True) == '{"a":{"c":3,"d":2},"b":1}'
    for indent in (None, 2):
        assert_encoded(TEXT_KEYS, sort_keys=True, indent=indent)
        assert_encoded({f"{c}{i % 7}": i for i, c in enumerate("中aé😀zя\uffff" * 30)}, sort_keys=True, indent=indent)


def test_sort_keys_leaves_the_dict_as_it_was() -> None:
    value = {"b": 1, "a": 2}
    _core.dumps(value, sort_keys=True)
    assert list(value) == ["b", "a"]


def test_sort_keys_of_numbers_sorts_before_they_become_text() -> None:
    for value in ({10: 0, 9: 1, 100: 2}, {1.5: 0, 1: 1, True + 1: 2, -3: 3}, {False: 0, True: 1, -1: 2}, {None: 1}):
        assert_encoded(value, sort_keys=True)
    assert _core.dumps({10: 0, 9: 1}, sort_keys=True) == '{"9":1,"10":0}'


def test_sort_keys_of_mixed_types_raises_as_stdlib() -> None:
    mixed: tuple[Any, ...] = ({1: 0, "a": 1}, {"a": 1, 1: 0}, {None: 0, "a": 1}, {None: 1, 2: 2}, {(): 1, "a": 2})
    for value in mixed:
        assert outcome(stdlib_json.dumps, value, sort_keys=True)[0] == "TypeError"
        assert_encoded(value, sort_keys=True)
        assert_encoded(value, sort_keys=True, skipkeys=True)


def test_keys_that_are_not_unique_as_text_are_all_kept() -> None:
    assert _core.dumps({"1": 0, 1: 1, 1.5: 2}) == stdlib_json.dumps({"1": 0, 1: 1, 1.5: 2}) == '{"1":0,"1":1,"1.5":2}'


def test_allow_nan_false_refuses_each_value_and_key_with_stdlibs_text() -> None:
    for number in (math.nan, math.inf, -math.inf):
        for value in (number, [1, number], {"a": {"b": number}}, {number: 1}, (number,)):
            assert outcome(stdlib_json.dumps, value, allow_nan=False)[0] == "ValueError"
            assert_encoded(value, allow_nan=False)
            assert_encoded(value, allow_nan=True)
    assert_encoded([1.5, -0.0, 1e308], allow_nan=False)


def test_check_circular_false_encodes_what_has_no_cycle() -> None:
    shared = [1]
    assert_encoded({"a": shared, "b": [shared, shared]}, check_circular=False)


def test_truth_values_that_are_not_bools_count_as_in_stdlib() -> None:
    value: Any = {"b": "é", "a": math.inf, (): 1}
    for name in ("skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys"):
        for flag in (0, 1, 2, "", "no", None, [], [0]):
            options: dict[str, Any] = {"skipkeys": True} | {name: flag}
            if name == "sort_keys" and flag:
                options.pop("skipkeys")
                assert_encoded({"b": 1, "a": 2}, **options)
            else:
                assert_encoded(value, **options)


@given(json_documents.values, json_documents.options)
def test_any_value_with_any_options_equals_stdlib_and_reference(value: Any, options: dict[str, Any]) -> None:
    assert_encoded(value, **options)
    expected = outcome(reference_codec.encode_to_bytes, value, **options)
    assert_same(outcome(_core.dumps_to_bytes, value, **options), expected, (value, options))


@given(json_documents.values, json_documents.options, json_documents.core_options, st.booleans())
def test_any_value_with_any_options_of_the_core_equals_the_reference(
    value: Any, options: dict[str, Any], core_options: dict[str, Any], natives: bool
) -> None:
    options = json_documents.without_conflicts(options | core_options)
    expected = outcome(reference_codec.encode, value, **options)
    all_outputs.assert_all_give(expected, value, natives=natives, **options)


def test_nan_as_null_writes_null_for_each_value_and_key() -> None:
    for number in (math.nan, math.inf, -math.inf):
        for allow_nan in (False, True):
            assert _core.dumps([number, 1.5], nan_as_null=True, allow_nan=allow_nan) == "[null,1.5]"
            assert _core.dumps({number: [number]}, nan_as_null=True, allow_nan=allow_nan) == '{"null":[null]}'
    for n in range(20):
        floats = [1.5] * n + [math.nan] + [2.5] * (20 - n)
        expected = _core.dumps([None if math.isnan(number) else number for number in floats])
        assert _core.dumps(floats, nan_as_null=True) == expected
        assert _core.dumps([floats[: n + 1]] * 3, nan_as_null=True, allow_nan=False) == _core.dumps(
            [[*floats[:n], None]] * 3
        )


def test_nan_as_str_writes_a_str_for_each_value_and_key() -> None:
    names = {math.nan: "NaN", math.inf: "Infinity", -math.inf: "-Infinity"}
    for number, name in names.items():
        for options in ({}, {"allow_nan": False}):
            value = [number, {number: number}, 1.5, [1.5, number, 2.5]]
            expected = [name, {name: name}, 1.5, [1.5, name, 2.5]]
            all_outputs.assert_encoded_as(expected, value, nan_as_str=True, **options)
    assert _core.dumps([1.5] * 9 + [math.inf], nan_as_str=True) == "[" + "1.5," * 9 + '"Infinity"]'


def test_nan_as_str_has_priority_over_models_and_none_beside_nan_as_null() -> None:
    assert _core.dumps([math.nan], models=True) == "[null]"
    assert _core.dumps([math.nan], models=True, nan_as_str=True) == '["NaN"]'
    with pytest.raises(TypeError, match=r"^nan_as_null=True has no effect without nan_as_str=False$"):
        _core.dumps(1, nan_as_null=True, nan_as_str=True)


@given(
    st.recursive(
        json_documents.scalars,
        lambda children: json_documents.containers(children, json_documents.texts),
        max_leaves=15,
    ),
    json_documents.options,
)
def test_any_value_with_sorted_keys_equals_stdlib(value: Any, options: dict[str, Any]) -> None:
    assert_encoded(value, **options, sort_keys=True)
