"""The oracle against stdlib: where both can speak, they say the same."""

from __future__ import annotations

from typing import Any

import decoding
import documents
import lanes
import pytest
import reference
import stdlib
from hypothesis import given
from outcome import assert_same, assert_same_outcomes, outcome


@given(documents.values, documents.options)
def test_reference_encode_any_value_and_options_equals_stdlib(value: Any, options: dict[str, Any]) -> None:
    got = outcome(reference.encode, value, **options)
    assert_same(got, outcome(stdlib.dumps, value, **options), (value, options))


def test_reference_encode_every_bmp_code_point_equals_stdlib() -> None:
    text = "".join(map(chr, range(0x10000)))
    for ensure_ascii in (False, True):
        got = reference.encode(text, ensure_ascii=ensure_ascii)
        assert_same(got, stdlib.dumps(text, ensure_ascii=ensure_ascii), f"{ensure_ascii=}")


def test_reference_encode_errors_equal_stdlib() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    cases: list[Any] = [{(1,): 2}, {1, 2}, [object], cycle, {"a": {"b": cycle}}, b"", 1j, {b"": 1}]
    assert_same_outcomes(reference.encode, stdlib.dumps, cases)


def test_reference_encode_hook_sort_and_skip_equal_stdlib() -> None:
    value = {"b": {1, 2}, "a": [1j, {"z": 1, "y": {}}]}
    options: dict[str, Any] = {"default": repr, "sort_keys": True, "indent": 1}
    assert reference.encode(value, **options) == stdlib.dumps(value, **options)
    assert reference.encode({(1,): 2, "a": 3}, skipkeys=True) == '{"a":3}'


@pytest.mark.parametrize("source", ["str", "bytes"])
def test_reference_decode_documents_and_their_truncations_equal_stdlib(source: str) -> None:
    texts = [text[:end] for text in documents.VALID + documents.MALFORMED for end in range(len(text) + 1)]
    cases = texts if source == "str" else [text.encode() for text in texts]
    assert_same_outcomes(reference.decode, stdlib.loads, cases, at_least=1000)


@given(documents.decoded_values)
def test_reference_decode_what_stdlib_encoded_equals_stdlib(value: Any) -> None:
    text = stdlib.dumps(value)
    assert_same(outcome(reference.decode, text), outcome(stdlib.loads, text), text)


@pytest.mark.parametrize("options", decoding.STDLIB_HOOKS, ids=decoding.names)
def test_reference_decode_with_hooks_equals_stdlib(options: dict[str, Any]) -> None:
    for text in decoding.CORPUS:
        expected = outcome(stdlib.loads, text, **options)
        assert_same(outcome(reference.decode, text, **options), expected, (text, options))


def test_reference_decode_escapes_cut_at_every_index_equal_stdlib() -> None:
    for text in lanes.at_every_lane("\\ud83d\\ude00", "a"):
        if len(text) < 30:
            quoted = f'"{text}"'
            assert_same_outcomes(reference.decode, stdlib.loads, [quoted[:end] for end in range(len(quoted) + 1)])
