"""The core held against stdlib, call by call: the same value or the same error, in each form of input and output."""

from __future__ import annotations

import json
from typing import Any

from helpers import stdlib_json
from helpers.call_outcome import assert_same, outcome
from ssrjson_web import _core


def assert_encoded(value: Any, **options: Any) -> None:
    """dumps and dumps_to_bytes give what stdlib gives for the same options."""
    expected = outcome(stdlib_json.dumps, value, **options)
    assert_same(outcome(_core.dumps, value, **options), expected, (value, options))
    expected = outcome(stdlib_json.dumps_to_bytes, value, **options)
    assert_same(outcome(_core.dumps_to_bytes, value, **options), expected, (value, options))


def assert_decoded(text: str) -> None:
    """loads gives what stdlib gives, from str and from bytes. No text with raw lone surrogates."""
    expected = outcome(stdlib_json.loads, text)
    assert_same(outcome(_core.loads, text), expected, ("str", text))
    data = text.encode()
    if json.detect_encoding(data) != "utf-8":  # a byte order mark, or NULs that stdlib reads as UTF-16 or UTF-32
        expected = outcome(stdlib_json.loads, data)
    assert_same(outcome(_core.loads, data), expected, ("bytes", text))


def assert_decoded_bytes(data: bytes) -> None:
    """loads gives what stdlib gives, from bytes and what is like them."""
    expected = outcome(stdlib_json.loads, data)
    for source in (data, bytearray(data), memoryview(data)):
        assert_same(outcome(_core.loads, source), expected, (type(source).__name__, data))
