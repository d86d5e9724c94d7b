"""Fragment: text that is written unchanged."""

from __future__ import annotations

import copy
import sys
from typing import Any

import pytest
from helpers.all_outputs import assert_encoded_as, in_chunks
from helpers.call_outcome import outcome

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

Fragment = _core.Fragment
TEXTS = ('{"a": 1}', "1.0", '"é"', '["中",\n2]', '"😀"', "x" * 10_000, '"' + "é中" * 5000 + '"')


def test_fragment_of_str_and_bytes_in_every_output() -> None:
    plain: dict[str, Any] = {'{"a": 1}': {"a": 1}, "1.0": 1.0, '"é"': "é", '"😀"': "😀"}
    for text, value in plain.items():
        for contents in (text, text.encode()):
            for options in ({}, {"ensure_ascii": True}):
                raw = text if not options or text.isascii() else _core.dumps(value, ensure_ascii=True)
                got = _core.dumps(["a", Fragment(contents), {"k": Fragment(contents)}], **options)
                assert got == f'["a",{raw},{{"k":{raw}}}]'
            assert in_chunks(["a", Fragment(contents)]) == f'["a",{text}]'.encode()


def test_fragment_among_text_of_each_kind() -> None:
    for text in TEXTS:
        for neighbour in ("a", "é", "中", "😀", "é" * 9000):
            for contents in (text, text.encode()):
                expected = f'["{neighbour}",{text},"{neighbour}",[{text}]]'
                value = [neighbour, Fragment(contents), neighbour, [Fragment(contents)]]
                assert _core.dumps(value) == expected
                assert _core.dumps_to_bytes(value) == expected.encode()
                assert in_chunks(value) == expected.encode()


def test_fragment_is_not_touched_by_layout() -> None:
    value = [Fragment('{"b":1, "a":[]}')]
    assert _core.dumps(value, indent=1, sort_keys=True, separators=("; ", "=")) == '[\n {"b":1, "a":[]}\n]'


def test_fragment_in_ascii_escapes_what_is_not() -> None:
    assert _core.dumps(Fragment('"é中😀\ud800"'), ensure_ascii=True) == '"\\u00e9\\u4e2d\\ud83d\\ude00\\ud800"'
    assert_encoded_as("é中😀", Fragment('"\\u00e9\\u4e2d\\ud83d\\ude00"'), raw='"\\u00e9\\u4e2d\\ud83d\\ude00"')


def test_fragment_that_is_not_utf8_goes_into_bytes_as_it_is_and_raises_elsewhere() -> None:
    for data in (b"\xff", b'"\xed\xa0\x80"', b'["\xc3'):
        value = ["é", Fragment(data)]
        assert _core.dumps_to_bytes(value) == '["é",'.encode() + data + b"]"
        assert in_chunks(value) == '["é",'.encode() + data + b"]"
        for options in ({"ensure_ascii": True}, {}):
            assert outcome(_core.dumps, value, **options)[0] == "UnicodeDecodeError"
        assert outcome(_core.dumps_to_bytes, value, ensure_ascii=True)[0] == "UnicodeDecodeError"


def test_fragment_with_a_lone_surrogate_raises_in_bytes() -> None:
    value = [1, Fragment('"\ud800"')]
    assert _core.dumps(value) == '[1,"\ud800"]'
    assert outcome(_core.dumps_to_bytes, value)[0] == "UnicodeEncodeError"


def test_fragment_takes_exactly_one_bytes_or_str() -> None:
    class Text(str):
        pass

    class Data(bytes):
        pass

    wrong: list[Any] = [None, 1, bytearray(b"1"), memoryview(b"1"), Text("1"), Data(b"1"), ["1"]]
    for contents in wrong:
        with pytest.raises(TypeError, match="contents must be bytes or str"):
            Fragment(contents)
    for call in (lambda: Fragment(), lambda: Fragment("1", "2"), lambda: Fragment(contents="1")):  # type: ignore[call-arg]
        with pytest.raises(TypeError):
            call()


def test_fragment_cannot_be_changed_or_subclassed() -> None:
    fragment = Fragment("1")
    assert fragment.contents == "1"
    assert repr(fragment) == "Fragment('1')"
    for name, value in (("contents", "2"), ("other", 1)):
        with pytest.raises(AttributeError):
            setattr(fragment, name, value)
    with pytest.raises(AttributeError):
        del fragment.contents  # type: ignore[misc]
    with pytest.raises(TypeError):
        type("Sub", (Fragment,), {})
    with pytest.raises(TypeError):
        Fragment.contents = 1  # type: ignore[assignment, misc]


def test_fragment_is_no_key() -> None:
    assert outcome(_core.dumps, {Fragment('"a"'): 1}, natives=True)[0] == "TypeError"


def test_fragment_gives_back_its_contents() -> None:
    text = "é" * 50
    before = sys.getrefcount(text)
    for _ in range(100):
        fragment = Fragment(text)
        _core.dumps([fragment])
        _core.dumps_to_bytes(fragment)
        outcome(_core.dumps, [fragment, object()])
    del fragment
    assert sys.getrefcount(text) == before
    assert copy.copy(text) is text
