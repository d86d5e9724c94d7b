"""The value of the first part of a JSON text, slowly. It needs no package, so that fuzzers can ask it."""

from __future__ import annotations

import codecs
import json
import re

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
