"""Limits on depth and size: a document at a limit is decoded, one beyond it raises an error that names the limit."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from helpers import decode_checks
from helpers.call_outcome import assert_same, outcome
from helpers.decode_checks import assert_decoded

import ssrjson_web
from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

SHAPES = {"array": ("[", "]"), "object": ('{"a":', "}"), "raw key": ('{"中":', "}"), "spaced": (" [ 1 , ", " ] ")}


def test_classes_are_below_json_decode_error() -> None:
    for cls in (_core.JSONDepthError, _core.JSONSizeError):
        assert cls.__mro__[1] is _core.JSONDecodeError
        assert getattr(ssrjson_web, cls.__name__) is cls
        assert cls.__module__ == "ssrjson_web"


@pytest.mark.parametrize("shape", SHAPES)
def test_depth_is_counted_in_brackets(shape: str) -> None:
    opening, closing = SHAPES[shape]
    for limit in (1, 2, 31, 32, 33, 100):
        for depth in (limit - 1, limit, limit + 1):
            text = opening * depth + "1" + closing * depth
            assert_decoded(text, max_depth=limit)
            is_refused = outcome(_core.loads, text, max_depth=limit)[0] == "JSONDecodeError"
            assert is_refused == (depth > limit)


def test_depth_of_siblings_is_not_added_up() -> None:
    for text in ("[[],[],[]]", '{"a":[1],"b":{"c":2}}', "[[1],{},[[]]]", '[{"a":{}},[]]', "1", '"a"'):
        for limit in range(1, 5):
            assert_decoded(text, max_depth=limit)


def test_depth_error_is_at_the_bracket_that_is_one_too_deep() -> None:
    for source in ('["é",\n [[1]]]', '["é",\n [[1]]]'.encode()):
        with pytest.raises(_core.JSONDepthError) as raised:
            _core.loads(source, max_depth=2)
        error = raised.value
        assert error.msg == "Nesting is deeper than max_depth (2)"
        assert (error.pos, error.lineno, error.colno, error.doc) == (8, 2, 3, '["é",\n [[1]]]')
        assert str(error) == "Nesting is deeper than max_depth (2): line 2 column 3 (char 8)"
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), copy.msg, copy.pos, copy.doc) == (_core.JSONDepthError, error.msg, 8, error.doc)


def test_depth_beyond_the_limit_costs_no_more_than_the_limit() -> None:
    for text in ("[" * 1_000_000, '{"a":' * 200_000):
        for source in (text, text.encode()):
            with pytest.raises(_core.JSONDepthError) as raised:
                _core.loads(source, max_depth=1000)
            assert raised.value.msg == "Nesting is deeper than max_depth (1000)"


def test_depth_with_hooks_is_that_of_the_document() -> None:
    for options in ({"object_hook": len}, {"array_hook": len}, {"object_pairs_hook": len, "array_hook": tuple}):
        for text in ('[[1], {"a": [2]}]', '{"a": {"b": {"c": 1}}}', "[[[]]]"):
            for limit in range(1, 5):
                assert_decoded(text, max_depth=limit, **options)


def test_size_is_counted_in_characters_or_bytes() -> None:
    for text in ('"abc"', '["é", 1]', '["中"]', '["😀"]', " 1 "):
        data = text.encode()
        for source, n in (
            (text, len(text)),
            (data, len(data)),
            (bytearray(data), len(data)),
            (memoryview(data), len(data)),
        ):
            for call in calls():
                assert outcome(call, source, max_size=n)[0] == "value"
                assert outcome(call, source, max_size=n + 1)[0] == "value"
                for limit in range(1, n):
                    message = f"Document is longer than max_size ({limit})"
                    text_of_error = f"{message}: line 1 column {limit + 1} (char {limit})"
                    expected = ("JSONDecodeError", message, limit, 1, limit + 1, "", text_of_error)
                    assert_same(outcome(call, source, max_size=limit), expected, (source, limit))
                    with pytest.raises(_core.JSONSizeError):
                        call(source, max_size=limit)


def calls() -> list[Any]:
    return [
        _core.loads,
        lambda source, **options: _core.Decoder(**options).decode(source),
        lambda source, **options: _core.Decoder(**options).decode_lines(source),
        lambda source, **options: decode_checks.fed([source], **options),
        lambda source, **options: decode_checks.fed([source[:1], source[1:2], source[2:]], **options),
    ]


def test_size_of_utf_16_and_32_is_that_of_their_bytes() -> None:
    for encoding in ("utf-16", "utf-32", "utf-8-sig", "utf-16-be"):
        data = '["é"]'.encode(encoding)
        assert _core.loads(data, max_size=len(data)) == ["é"]
        with pytest.raises(_core.JSONSizeError):
            _core.loads(data, max_size=len(data) - 1)


def test_size_of_raw_decode_is_that_of_the_whole_str() -> None:
    decoder = _core.Decoder(max_size=5)
    assert decoder.raw_decode("[1] x", 0) == ([1], 3)
    with pytest.raises(_core.JSONSizeError):
        decoder.raw_decode("[1]  x", 0)


def test_size_error_comes_before_all_others() -> None:
    for source in ("\ufeff[", "x" * 10, b"\xff" * 10, b"\xff\xfe\x00", '"\ud800'):
        with pytest.raises(_core.JSONSizeError) as raised:
            _core.loads(source, max_size=1)
        assert raised.value.doc == ""
    with pytest.raises(TypeError):
        _core.loads(5, max_size=1)  # type: ignore[arg-type]


def test_size_error_survives_pickle() -> None:
    with pytest.raises(_core.JSONSizeError) as raised:
        _core.loads("[1, 2]", max_size=5)
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (type(copy), copy.msg, copy.pos, copy.doc) == (_core.JSONSizeError, raised.value.msg, 5, "")
