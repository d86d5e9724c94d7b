"""What a JSON library does to strings, by their length and kind; each library is tried in a new process."""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import Any

from ssrjson_web import utf8_cache_size

__all__ = ["KINDS", "LONGEST", "PROBE_CHARS", "Span", "spans_with_copies", "try_library"]

PROBE_CHARS = 1000
"""Length of the Chinese text whose copy is measured: it takes 3 bytes a character, and 1 for the end."""
LONGEST = 1 << 18
"""The longest string that is tried, in characters."""
KINDS = {"latin-1": "é", "Chinese": "中", "emoji": "😀"}
"""A character for each width in which CPython keeps text that is not ASCII."""

Span = tuple[int, int | None]
"""Lengths of strings, in characters: the first and the last of them; None where it goes on to the longest."""


def try_library(module: str, encode: str, decode: str) -> dict[str, Any]:
    """The lengths of the strings that get copies when the statements encode and decode them."""
    names = {"__name__": __name__, module: __import__(module)}
    encoding, decoding = compile(encode, "encode", "exec"), compile(decode, "decode", "exec")

    def after_encoding(character: str, n_chars: int) -> int:
        text = "".join([character] * n_chars)
        return _copy_after(encoding, names, text, content={"text": text})

    def after_decoding(character: str, n_chars: int) -> int:
        document = f'"{character * (n_chars - 2)}"'
        return _copy_after(decoding, names, document, document=document)

    return {
        "copy_bytes": after_encoding(KINDS["Chinese"], PROBE_CHARS),
        "encoded": {kind: _spans(after_encoding, character, 2) for kind, character in KINDS.items()},
        "decoded": {kind: _spans(after_decoding, character, 3) for kind, character in KINDS.items()} if decode else {},
    }


def _copy_after(code: CodeType, names: dict[str, Any], text: str, **values: object) -> int:
    exec(code, {**names, **values})
    return utf8_cache_size(text)


def _spans(copy_after: Callable[[str, int], int], character: str, shortest: int) -> list[Span]:
    return spans_with_copies(lambda n_chars: copy_after(character, n_chars) > 0, shortest)


def spans_with_copies(has_copy: Callable[[int], bool], shortest: int, longest: int = LONGEST) -> list[Span]:
    """The lengths for which `has_copy` is true.

    They are tried from the shortest on, each the double of the one before. Where two differ, the bound between them is
    looked for; what changes twice between two of them is not seen.
    """
    spans: list[Span] = []
    n_chars, has = shortest, has_copy(shortest)
    begin = shortest
    while n_chars < longest:
        after = min(2 * n_chars, longest)
        if has_copy(after) is not has:
            low, high = n_chars, after
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if has_copy(middle) is has else (low, middle)
            if has:
                spans.append((begin, low))
            begin, has = high, not has
        n_chars = after
    if has:
        spans.append((begin, None))
    return spans
