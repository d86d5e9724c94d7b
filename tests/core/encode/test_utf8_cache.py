"""The UTF-8 cache of a str: filled only on request, and never in a str that the core reads or makes."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import pytest
from helpers import json_documents

from ssrjson_web import _core

pytestmark = [pytest.mark.usefixtures("isa"), pytest.mark.usefixtures("utf8_cache_switch")]

# in each kind of str, short and long; new objects in each call
SHAPES = [(fill, length) for fill in json_documents.CLASSES for length in (1, 2, 15, 16, 17, 64, 65, 300, 5000)]


def fresh(fill: str, length: int) -> str:
    """A str that nobody has seen, so without a cache. One Latin-1 character is a singleton of the interpreter."""
    return (json_documents.CLASSES[fill] * (length + 1))[1:]


def fill_cache(text: str) -> None:
    as_utf8 = ctypes.pythonapi.PyUnicode_AsUTF8AndSize
    as_utf8.restype = ctypes.c_void_p
    assert as_utf8(ctypes.py_object(text), None)


def cache_size(text: str) -> int:
    """What the copy takes by sys.getsizeof, which counts it, against a fresh str of the same characters."""
    return sys.getsizeof(text) - sys.getsizeof((text + "x")[:-1])


def assert_no_cache(text: str, case: object) -> None:
    assert _core.utf8_cache_size(text) == 0, case
    assert cache_size(text) == 0, case


def test_utf8_cache_size_is_what_getsizeof_counts() -> None:
    for fill, length in SHAPES:
        if fill == "latin-1" and length == 1:
            continue
        text = fresh(fill, length)
        assert _core.utf8_cache_size(text) == 0
        fill_cache(text)
        assert _core.utf8_cache_size(text) == (0 if fill == "ascii" else len(text.encode()) + 1), (fill, length)
        assert _core.utf8_cache_size(text) == cache_size(text)


def test_utf8_cache_switch_is_off_from_the_start() -> None:
    assert _core.get_current_features()["write_utf8_cache"] is False


def test_utf8_cache_is_not_written_by_dumps_and_dumps_to_bytes() -> None:
    for fill, length in SHAPES:
        if fill == "latin-1" and length == 1:
            continue
        text, key = fresh(fill, length), fresh(fill, length) + "k"
        value = [text, {key: [text]}]
        for ensure_ascii in (False, True):
            for indent in (None, 2):
                for sort_keys in (False, True):
                    options: dict[str, Any] = {"ensure_ascii": ensure_ascii, "indent": indent, "sort_keys": sort_keys}
                    result = _core.dumps(value, **options)
                    assert_no_cache(result, (fill, length, options))
                    _core.dumps_to_bytes(value, **options)
                    _core.dumps(text, **options)
                    _core.dumps_to_bytes(text, **options)
        assert_no_cache(text, (fill, length))
        assert_no_cache(key, (fill, length))


def test_utf8_cache_is_not_written_on_separators_and_indent() -> None:
    indent, item, colon = fresh("three bytes", 10), fresh("two bytes in ucs2", 9), fresh("four bytes", 8)
    for encode in (_core.dumps, _core.dumps_to_bytes):
        encode({"a": [1, 2]}, indent=indent, separators=(item, colon))
    for text in (indent, item, colon):
        assert_no_cache(text, text)


def test_utf8_cache_is_not_written_by_an_encode_that_fails() -> None:
    for fill, length in SHAPES:
        if length == 1:
            continue
        text = fresh(fill, length)
        for value in ([text, {1}], [text, "\ud800"], {text: b""}, [text, {(): 1}]):
            with pytest.raises((TypeError, UnicodeEncodeError)):
                _core.dumps_to_bytes(value)
        assert_no_cache(text, (fill, length))


def test_utf8_cache_is_not_written_by_loads_on_source_or_results() -> None:
    for fill, length in SHAPES:
        if fill == "latin-1" and length == 1:
            continue
        content = fresh(fill, length)
        for form in (content, content[:-1] + "\\n" + content[-1]):
            source = f'{{"{form}k": ["{form}", "{form}"], "x": {{"{form}k": 1}}}}'
            result = _core.loads(source)
            assert_no_cache(source, (fill, length))
            for document in (source, source.encode(), bytearray(source.encode()), memoryview(source.encode())):
                result = _core.loads(document)
                key = next(iter(result))
                for text in (key, *result[key], *result["x"]):
                    assert_no_cache(text, (fill, length, type(document)))
        with pytest.raises(_core.JSONDecodeError) as raised:
            _core.loads(broken := f'["{content}", ')
        assert_no_cache(broken, (fill, length))
        assert_no_cache(raised.value.doc, (fill, length))


def test_utf8_cache_is_written_when_the_call_asks() -> None:
    for fill, length in SHAPES:
        if fill == "latin-1" and length == 1:
            continue
        text = fresh(fill, length)
        assert _core.dumps_to_bytes([text], is_write_cache=True) == f'["{text}"]'.encode()
        assert _core.utf8_cache_size(text) == (0 if fill == "ascii" else len(text.encode()) + 1), (fill, length)
        assert _core.dumps_to_bytes([text], is_write_cache=True) == f'["{text}"]'.encode(), "read back"
        assert _core.dumps_to_bytes([text]) == f'["{text}"]'.encode()
        key = fresh(fill, length) + "k"
        _core.dumps_to_bytes({key: 1}, is_write_cache=True)
        assert _core.utf8_cache_size(key) == (0 if fill == "ascii" else len(key.encode()) + 1), (fill, length)


def test_utf8_cache_is_written_when_the_switch_is_on() -> None:
    _core.write_utf8_cache(True)
    assert _core.get_current_features()["write_utf8_cache"] is True
    text = fresh("three bytes", 100)
    _core.dumps_to_bytes([text])
    assert _core.utf8_cache_size(text) == 301
    other = fresh("three bytes", 100)
    _core.write_utf8_cache(False)
    assert _core.get_current_features()["write_utf8_cache"] is False
    _core.dumps_to_bytes([other])
    assert_no_cache(other, "after the switch was turned off")


def test_utf8_cache_is_not_written_where_the_call_says_no_to_the_switch() -> None:
    _core.write_utf8_cache(True)
    text = fresh("two bytes in ucs2", 100)
    _core.dumps_to_bytes([text, {text: text}], is_write_cache=False)
    assert_no_cache(text, "is_write_cache=False")


def test_utf8_cache_is_not_written_by_dumps_and_loads_with_the_switch_on() -> None:
    _core.write_utf8_cache(True)
    text = fresh("four bytes", 100)
    result = _core.dumps([text])
    assert_no_cache(text, "encoded to str")
    assert_no_cache(result, "the result")
    value = _core.loads(result)
    assert_no_cache(result, "the source")
    assert_no_cache(value[0], "the value")


def test_utf8_cache_asked_for_on_a_lone_surrogate_raises_and_writes_none() -> None:
    text = fresh("three bytes", 50) + "\ud800"
    with pytest.raises(UnicodeEncodeError) as raised:
        _core.dumps_to_bytes([text], is_write_cache=True)
    assert (raised.value.start, raised.value.end) == (52, 53)
    assert raised.value.object == f'["{text}"]'
    assert_no_cache(text, "lone surrogate")


def test_utf8_cache_that_exists_gives_the_same_output() -> None:
    for special in ("", '"', "\\", "\n", "\x00", "\x1f"):
        for fill, length in SHAPES:
            for index in (0, length // 2, length):
                text = fresh(fill, index) + special + fresh(fill, length - index)
                expected, expected_str = _core.dumps_to_bytes([text]), _core.dumps([text])
                fill_cache(text)
                assert _core.dumps_to_bytes([text]) == expected, (special, fill, length)
                assert _core.dumps_to_bytes([text], is_write_cache=True) == expected, (special, fill, length)
                assert _core.dumps([text]) == expected_str, (special, fill, length)
                assert _core.loads(_core.dumps_to_bytes({text: text})) == {text: text}
