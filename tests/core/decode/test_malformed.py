"""Malformed documents: the error and its position equal stdlib's, from str and from bytes."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

import pytest
from helpers import json_documents, stdlib_json
from helpers.call_outcome import assert_same, outcome
from helpers.stdlib_json import assert_decoded
from hypothesis import given
from hypothesis import strategies as st

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

CORPUS = json_documents.VALID + json_documents.MALFORMED
REPLACEMENTS = '"\\[]{},: \n\x000-.eNnté中😀'


def mutations(text: str) -> Iterator[str]:
    for i in range(len(text) + 1):
        yield text[:i]
        yield text[i:]
        yield text[:i] + text[i + 1 :]
        yield text[:i] + text[i : i + 1] * 2 + text[i + 1 :]
        yield text[:i] + text[i + 1 : i + 2] + text[i : i + 1] + text[i + 2 :]
        for char in REPLACEMENTS:
            yield text[:i] + char + text[i + 1 :]
            yield text[:i] + char + text[i:]


@pytest.mark.parametrize("text", json_documents.MALFORMED)
def test_decode_malformed_document_raises_as_stdlib(text: str) -> None:
    assert outcome(stdlib_json.loads, text)[0] == "JSONDecodeError"
    assert_decoded(text)


def test_decode_error_is_a_subclass_of_stdlibs_with_its_attributes() -> None:
    with pytest.raises(json.JSONDecodeError) as raised:
        _core.loads('["é",\n "中" 1]')
    error = raised.value
    assert type(error) is _core.JSONDecodeError
    assert isinstance(error, ValueError)
    assert (error.msg, error.pos, error.lineno, error.colno) == ("Expecting ',' delimiter", 11, 2, 6)
    assert error.doc == '["é",\n "中" 1]'
    assert str(error) == "Expecting ',' delimiter: line 2 column 6 (char 11)"


def test_decode_error_from_bytes_carries_the_decoded_document() -> None:
    for source in (data := '["é", 中]'.encode(), bytearray(data), memoryview(data)):
        with pytest.raises(_core.JSONDecodeError) as raised:
            _core.loads(source)
        assert raised.value.doc == '["é", 中]'
        assert type(raised.value.doc) is str
        assert raised.value.pos == 6


def test_decode_error_survives_pickle() -> None:
    import pickle

    with pytest.raises(_core.JSONDecodeError) as raised:
        _core.loads("[1,\n2")
    copy = pickle.loads(pickle.dumps(raised.value))
    assert type(copy) is _core.JSONDecodeError
    assert (copy.msg, copy.doc, copy.pos, str(copy)) == (
        raised.value.msg,
        raised.value.doc,
        raised.value.pos,
        str(raised.value),
    )


def test_decode_every_mutation_of_the_corpus_equals_stdlib() -> None:
    n_cases = 0
    for text in CORPUS:
        for mutation in mutations(text):
            assert_decoded(mutation)
            n_cases += 1
    assert n_cases > 45_000


def test_decode_every_truncation_of_a_longer_document_equals_stdlib() -> None:
    value = {"données": [{"id": i, "имя": "Ёж" * i, "文": [1.5e10, None, True, {"😀": "\ud83d\n"}]} for i in range(6)]}
    for ensure_ascii in (True, False):
        for indent in (None, 2):
            text = json.dumps(value, indent=indent, ensure_ascii=ensure_ascii)
            for end in range(len(text)):
                assert_same(outcome(_core.loads, text[:end]), outcome(stdlib_json.loads, text[:end]), text[:end])


def test_decode_every_truncation_of_bytes_equals_stdlib() -> None:
    for text in (*json_documents.VALID, '["é", {"中": "😀"}, 1]'):
        data = text.encode()
        for end in range(len(data)):
            assert_same(outcome(_core.loads, data[:end]), outcome(stdlib_json.loads, data[:end]), data[:end])
            assert_same(outcome(_core.loads, data[end:]), outcome(stdlib_json.loads, data[end:]), data[end:])


def test_decode_error_far_into_a_document_of_each_kind_has_stdlibs_position() -> None:
    for fill in ("a", "é", "я", "中", "😀", "\\n", "\\u4e2d", "\n"):
        for n in (0, 1, 15, 63, 64, 65, 1000, 100_000):
            text = f'["{fill * n}",\n"{fill * n}" x]' if fill != "\n" else f"[{fill * n} 1, {fill * n} x]"
            assert_same(outcome(_core.loads, text), outcome(stdlib_json.loads, text), (fill, n))
            assert_same(outcome(_core.loads, text.encode()), outcome(stdlib_json.loads, text), (fill, n))


def test_decode_error_counts_lines_as_stdlib() -> None:
    for before in ("", "\n", "\r\n", "\r", "\n\n\n", "\n \n\t", '"\u2028",', "é\n"):
        for text in (f"[{before}x", f'{{"a":{before}', f"[1,{before}"):
            assert_decoded(text)


@given(json_documents.decoded_values, st.data())
def test_decode_any_document_with_one_change_equals_stdlib(value: object, data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    at = data.draw(st.integers(0, len(text)))
    n_removed = data.draw(st.integers(0, 2))
    added = data.draw(st.text(alphabet=REPLACEMENTS + "u123d8", max_size=2))
    changed = text[:at] + added + text[at + n_removed :]
    assert_same(outcome(_core.loads, changed), outcome(stdlib_json.loads, changed), changed)
    if all(not 0xD800 <= ord(char) < 0xE000 for char in changed):
        encoded = changed.encode()
        assert_same(outcome(_core.loads, encoded), outcome(stdlib_json.loads, encoded), encoded)


def test_all_that_can_be_wrong_with_a_document_is_a_value_error() -> None:
    # docs/decoding.md names what is no JSONDecodeError
    others: list[tuple[str | bytes, type[ValueError]]] = [
        (b'["\xff"]', UnicodeDecodeError),
        (b'["a", \xc3', UnicodeDecodeError),
        (b"\xff\xfe[\x00\x00", UnicodeDecodeError),
        ("[" + "1" * 5000 + "]", ValueError),
        (b"-" + b"1" * 5000, ValueError),
    ]
    deep: list[str | bytes] = ["[" * 100_000, '{"a":' * 100_000, b"[" * 100_000]
    for decode in (_core.loads, _core.Decoder().decode, _core.Decoder().decode_lines):
        for document, kind in others:
            with pytest.raises(ValueError, match=r".") as raised:
                decode(document)
            assert type(raised.value) is kind
        for document in (*CORPUS, *deep):
            with contextlib.suppress(_core.JSONDecodeError):
                decode(document)
