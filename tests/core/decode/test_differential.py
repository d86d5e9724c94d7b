"""loads against stdlib's: any document, any change to it, every truncation; value or error, in every kind of source."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
from helpers import decode_checks, json_documents, stdlib_json
from helpers.call_outcome import Outcome, assert_same, outcome
from helpers.decode_checks import in_each_kind, is_encodable
from hypothesis import given, settings
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

# four times what the profile in force draws
many = settings(max_examples=4 * settings.default.max_examples)
ALPHABET = '"\\[]{},:0123456789.-+eE \n\r\t\x00\x1ftruefalsnNIity/bu\x7f\x80éÿĀ中\ud83d\ude00😀\u2028'
OPTIONS: list[dict[str, Any]] = [{}, {"strict": False}, *decode_checks.STDLIB_HOOKS[1:]]

# a document a web service may get, in each script, as each writer lays it out
ROWS = [
    {
        "id": i * 977,
        "имя": "Ёж" * i,
        "name": f"row {i}",
        "text": ["Grüße", "中文", "😀 emoji"][i % 3] + '\n"quoted" \\ \t',
        "scores": [i / 7, -i * 1e-9, i * 1e300, 0.1],
        "flags": [True, False, None],
        "nested": {"a": {"b": [[], {}, [i]]}, "when": "2026-11-21T12:34:56Z"},
    }
    for i in range(4)
]
LAYOUTS = [(indent, ensure_ascii) for indent in (None, 1) for ensure_ascii in (True, False)]


def assert_as_stdlib(text: str, **options: Any) -> None:
    """Same value or same error from the str, and from its bytes where there are some."""
    expected = outcome(stdlib_json.loads, text, **options)
    assert_same(outcome(_core.loads, text, **options), expected, ("str", text, options))
    if is_encodable(text):
        assert_same(outcome(_core.loads, text.encode(), **options), expected, ("bytes", text, options))


def texts(value: Any, space: str = "") -> list[str]:
    return [
        space + json.dumps(value, ensure_ascii=ensure_ascii, indent=indent) + space for indent, ensure_ascii in LAYOUTS
    ]


@many
@given(json_documents.decoded_values, json_documents.spaces, st.sampled_from(OPTIONS))
def test_any_valid_document_equals_stdlib(value: Any, space: str, options: dict[str, Any]) -> None:
    for text in texts(value, space):
        for document in in_each_kind(text):
            assert_as_stdlib(document, **options)


@many
@given(json_documents.decoded_values, st.sampled_from(LAYOUTS), st.sampled_from(OPTIONS), st.data())
def test_any_mutated_document_equals_stdlib(
    value: Any, layout: tuple[int | None, bool], options: dict[str, Any], data: st.DataObject
) -> None:
    indent, ensure_ascii = layout
    text = json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        kind = data.draw(st.sampled_from(["insert", "replace", "delete", "copy", "cut"]))
        if kind == "insert":
            text = text[:at] + data.draw(st.text(alphabet=ALPHABET, min_size=1, max_size=3)) + text[at:]
        elif kind == "replace":
            text = text[:at] + data.draw(st.sampled_from(ALPHABET)) + text[at + 1 :]
        elif kind == "delete":
            text = text[:at] + text[at + data.draw(st.integers(1, 4)) :]
        elif kind == "copy":
            end = data.draw(st.integers(at, len(text)))
            text = text[:end] + text[at:end] + text[end:]
        else:
            text = text[:at]
    for document in in_each_kind(text):
        assert_as_stdlib(document, **options)


@many
@given(st.text(alphabet=ALPHABET, max_size=40), st.sampled_from(OPTIONS))
def test_any_text_equals_stdlib(text: str, options: dict[str, Any]) -> None:
    for document in (text, f"[{text}]", f'{{"k":{text}}}', f'"{text}"'):
        assert_as_stdlib(document, **options)


@many
@given(json_documents.decoded_values, st.sampled_from(LAYOUTS), st.data())
def test_any_document_with_changed_bytes_equals_stdlib(
    value: Any, layout: tuple[int | None, bool], data: st.DataObject
) -> None:
    indent, ensure_ascii = layout
    source = bytearray(json.dumps(value, ensure_ascii=ensure_ascii, indent=indent).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(source)))
        source[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    expected = outcome(stdlib_json.loads, bytes(source))
    for form in (bytes(source), source, memoryview(b"9" + source + b"9")[1:-1]):
        assert_same(outcome(_core.loads, form), expected, form)


@functools.cache
def truncations(text: str) -> list[tuple[str, Outcome]]:
    return [(text[:end], outcome(stdlib_json.loads, text[:end])) for end in range(len(text))]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_truncation_of_a_document_equals_stdlib(layout: tuple[int | None, bool]) -> None:
    indent, ensure_ascii = layout
    text = json.dumps(ROWS, indent=indent, ensure_ascii=ensure_ascii)
    for part, expected in truncations(text):
        assert_same(outcome(_core.loads, part), expected, part)
        assert_same(outcome(_core.loads, part.encode()), expected, part)


def test_every_truncation_of_the_corpus_in_each_kind_equals_stdlib() -> None:
    for text in json_documents.VALID:
        for document in in_each_kind(text):
            for part, expected in truncations(document):
                assert_same(outcome(_core.loads, part), expected, part)
                if is_encodable(part):
                    assert_same(outcome(_core.loads, part.encode()), expected, part)


def test_every_truncation_of_bytes_equals_stdlib() -> None:
    data = json.dumps(ROWS[:2], ensure_ascii=False).encode()
    for end in range(len(data)):
        assert_same(outcome(_core.loads, data[:end]), outcome(stdlib_json.loads, data[:end]), data[:end])
