"""stdlib's json with the core's defaults, raw non-ASCII text and compact separators; and the core held against it."""

from __future__ import annotations

import json
from typing import Any

from helpers.call_outcome import assert_same, outcome
from ssrjson_web import _core


def dumps(obj: object, **options: Any) -> str:
    """What `ssrjson_web.dumps` must give for the same options."""
    options.setdefault("ensure_ascii", False)
    if options.get("separators") is None:
        options["separators"] = (",", ":" if options.get("indent") is None else ": ")
    return json.dumps(obj, **options)


def dumps_to_bytes(obj: object, **options: Any) -> bytes:
    """What `ssrjson_web.dumps_to_bytes` must give for the same options, UnicodeEncodeError included."""
    return dumps(obj, **options).encode()


def loads(document: str | bytes | bytearray | memoryview, **options: Any) -> Any:
    """What `ssrjson_web.loads` must give for the same options. The core takes memoryviews, stdlib does not."""
    return json.loads(bytes(document) if isinstance(document, memoryview) else document, **options)


def assert_encoded(value: Any, **options: Any) -> None:
    """dumps and dumps_to_bytes give what stdlib gives for the same options."""
    expected = outcome(dumps, value, **options)
    assert_same(outcome(_core.dumps, value, **options), expected, (value, options))
    expected = outcome(dumps_to_bytes, value, **options)
    assert_same(outcome(_core.dumps_to_bytes, value, **options), expected, (value, options))


def assert_decoded(text: str) -> None:
    """loads gives what stdlib gives, from str and from bytes. No text with raw lone surrogates."""
    expected = outcome(loads, text)
    assert_same(outcome(_core.loads, text), expected, ("str", text))
    data = text.encode()
    if json.detect_encoding(data) != "utf-8":  # a byte order mark, or NULs that stdlib reads as UTF-16 or UTF-32
        expected = outcome(loads, data)
    assert_same(outcome(_core.loads, data), expected, ("bytes", text))


def assert_decoded_bytes(data: bytes) -> None:
    """loads gives what stdlib gives, from bytes and what is like them."""
    expected = outcome(loads, data)
    for source in (data, bytearray(data), memoryview(data)):
        assert_same(outcome(_core.loads, source), expected, (type(source).__name__, data))
