"""Decoding held against the oracle: hooks, kinds of source, ways to decode; and the value of part of a document."""

from __future__ import annotations

import codecs
import functools
import itertools
import json
import re
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


_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.eE+-])")
_LITERAL = re.compile(r"true|false|null|NaN|-?Infinity")

# What of an unfinished string is known. A high surrogate waits for what comes after it.
_HIGH = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
_LOW = r"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_KNOWN = re.compile(
    rf'"(?:[^"\\]|\\[^u]|{_HIGH}{_LOW}|(?!{_HIGH})\\u[0-9a-fA-F]{{4}}'
    rf"|{_HIGH}(?=[^\\]|\\[^u]|(?!{_LOW})\\u[0-9a-fA-F]{{4}}))*",
    re.DOTALL,
)


def complete(part: bytes, *, trailing_strings: bool) -> str | None:
    """The shortest document that the part begins, without its unfinished tokens.

    The part begins a well-formed document. None: nothing of a value is known yet.
    """
    text = codecs.getincrementaldecoder("utf-8")().decode(part)
    closers: list[str] = []
    known = ""  # the text up to the newest place at which brackets make it a document
    is_key = False
    position = 0
    while True:
        position = _match_end(_SPACE, text, position)
        if position == len(text):
            break
        character = text[position]
        if character in "[{":
            closers.append("]" if character == "[" else "}")
            is_key = character == "{"
            position += 1
        elif character in "]}":
            closers.pop()
            position += 1
        elif character in ",:":
            is_key = character == "," and closers[-1] == "}"
            position += 1
            continue
        else:
            pattern = _STRING if character == '"' else _NUMBER if character in "-0123456789" else _LITERAL
            found = pattern.match(text, position) or _LITERAL.match(text, position)
            if found is None:
                if character == '"' and trailing_strings and not is_key:
                    known = text[: _match_end(_KNOWN, text, position)] + '"'
                break
            position = found.end()
            if is_key:
                continue
        known = text[:position]
    return known + "".join(reversed(closers)) if known else None


def _match_end(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    assert found is not None
    return found.end()


def decode_part(part: bytes, *, trailing_strings: bool) -> object:
    """The value so far; LookupError where there is none."""
    text = complete(part, trailing_strings=trailing_strings)
    if text is None:
        raise LookupError
    return json.loads(text)
