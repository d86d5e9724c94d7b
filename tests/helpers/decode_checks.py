"""Decoding held against the oracle: hooks, kinds of source, ways to decode."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

from helpers import json_documents, reference_codec
from helpers.call_outcome import Outcome, assert_same, outcome
from ssrjson_web import _core

Options = dict[str, Any]
Source = str | bytes


def tagged(name: str) -> Callable[[Any], Any]:
    """A hook that shows what it was called with, and of what type that was."""
    return lambda value: (name, type(value).__name__, value)


HOOKS: Options = {
    name: tagged(name)
    for name in ("object_hook", "object_pairs_hook", "array_hook", "parse_float", "parse_int", "parse_constant")
}
HOOK_CHOICES = [dict(chosen) for n in range(len(HOOKS) + 1) for chosen in itertools.combinations(HOOKS.items(), n)]
STDLIB_HOOKS = [options for options in HOOK_CHOICES if "array_hook" not in options]

# what hooks see: each kind of value, at the top and inside, and documents that break off or go wrong around them
CORPUS = [
    *json_documents.VALID,
    *json_documents.MALFORMED,
    "5",
    "-0",
    "-7.25E+2",
    "1e400",
    "NaN",
    "-Infinity",
    '{"a": 1}',
    '{"a": 1, "a": 2.5, "b": [{"a": 3}], "a": {}}',
    '[[], {}, [[{"é": [1, 2.0, -Infinity, {"中": [[]]}]}]]]',
    '{"x": [1, {"y": [2, {"z": [3]}]}], "w": [[1.5], ["s"]]}',
    '[{"a": 1}, {"b": [2]}, x]',
    '{"a": [1, 2, {"b": 3.0}], "c": }',
    '{"k": {"k": {"k": [1]}}',
    '[1, 2.5, {"a": [NaN]}] []',
    '{"": {"": [{"": -0.0}]}}',
]


def names(options: Options) -> str:
    return ",".join(options) or "none"


def in_each_kind(text: str) -> Iterator[str]:
    """The document, and arrays around it whose str is of each wider kind."""
    yield text
    for char in "é中😀":
        yield f'["{char}",{text}]'


def is_encodable(text: str) -> bool:
    """Whether the text's bytes are UTF-8 that stdlib takes for UTF-8."""
    return all(not 0xD800 <= ord(char) < 0xE000 for char in text) and json.detect_encoding(text.encode()) == "utf-8"


def fed(chunks: list[Any], **options: Any) -> Any:
    decoder = _core.Decoder(**options)
    for chunk in chunks:
        decoder.feed(chunk)
    return decoder.close()


def ways(text: str, **options: Any) -> Iterator[tuple[str, Outcome]]:
    """What each way to decode gives."""
    decoder = _core.Decoder(**options)
    middle = len(text) // 2
    yield "loads", outcome(_core.loads, text, **options)
    yield "decode", outcome(decoder.decode, text)
    yield "feed", outcome(fed, [text[:middle], text[middle:]], **options)
    if is_encodable(text):
        data = text.encode()
        yield "loads of bytes", outcome(_core.loads, data, **options)
        yield "decode of a bytearray", outcome(decoder.decode, bytearray(data))
        yield "feed of bytes", outcome(fed, [data[:middle], memoryview(data)[middle:]], **options)


@functools.cache
def _expected(text: str, options: tuple[tuple[str, Any], ...]) -> Outcome:
    return outcome(reference_codec.decode, text, **dict(options))


def assert_decoded(text: str, **options: Any) -> None:
    """Each way to decode gives what the oracle gives."""
    expected = _expected(text, tuple(options.items()))
    for way, got in ways(text, **options):
        assert_same(got, expected, (way, text, options))
