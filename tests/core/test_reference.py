"""The oracle against stdlib: where both apply, their results are equal."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import decode_checks, json_documents, reference_codec, stdlib_json
from helpers.call_outcome import assert_same, assert_same_outcomes, outcome
from hypothesis import given


@given(json_documents.values, json_documents.options)
def test_reference_encode_any_value_and_options_equals_stdlib(value: Any, options: dict[str, Any]) -> None:
    got = outcome(reference_codec.encode, value, **options)
    assert_same(got, outcome(stdlib_json.dumps, value, **options), (value, options))


def test_reference_encode_every_bmp_code_point_equals_stdlib() -> None:
    text = "".join(map(chr, range(0x10000)))
    for ensure_ascii in (False, True):
        got = reference_codec.encode(text, ensure_ascii=ensure_ascii)
        assert_same(got, stdlib_json.dumps(text, ensure_ascii=ensure_ascii), f"{ensure_ascii=}")


def test_reference_encode_errors_equal_stdlib() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    cases: list[Any] = [{(1,): 2}, {1, 2}, [object], cycle, {"a": {"b": cycle}}, b"", 1j, {b"": 1}]
    assert_same_outcomes(reference_codec.encode, stdlib_json.dumps, cases)


def test_reference_encode_hook_sort_and_skip_equal_stdlib() -> None:
    value = {"b": {1, 2}, "a": [1j, {"z": 1, "y": {}}]}
    options: dict[str, Any] = {"default": repr, "sort_keys": True, "indent": 1}
    assert reference_codec.encode(value, **options) == stdlib_json.dumps(value, **options)
    assert reference_codec.encode({(1,): 2, "a": 3}, skipkeys=True) == '{"a":3}'


@pytest.mark.parametrize("source", ["str", "bytes"])
def test_reference_decode_documents_and_their_truncations_equal_stdlib(source: str) -> None:
    texts = [text[:end] for text in json_documents.VALID + json_documents.MALFORMED for end in range(len(text) + 1)]
    cases = texts if source == "str" else [text.encode() for text in texts]
    assert_same_outcomes(reference_codec.decode, stdlib_json.loads, cases, at_least=1000)


@given(json_documents.decoded_values)
def test_reference_decode_what_stdlib_encoded_equals_stdlib(value: Any) -> None:
    text = stdlib_json.dumps(value)
    assert_same(outcome(reference_codec.decode, text), outcome(stdlib_json.loads, text), text)


@pytest.mark.parametrize("options", decode_checks.STDLIB_HOOKS, ids=decode_checks.names)
def test_reference_decode_with_hooks_equals_stdlib(options: dict[str, Any]) -> None:
    for text in decode_checks.CORPUS:
        expected = outcome(stdlib_json.loads, text, **options)
        assert_same(outcome(reference_codec.decode, text, **options), expected, (text, options))


def test_reference_decode_escapes_cut_at_every_index_equal_stdlib() -> None:
    for text in json_documents.at_every_lane("\\ud83d\\ude00", "a"):
        if len(text) < 30:
            quoted = f'"{text}"'
            assert_same_outcomes(
                reference_codec.decode, stdlib_json.loads, [quoted[:end] for end in range(len(quoted) + 1)]
            )
