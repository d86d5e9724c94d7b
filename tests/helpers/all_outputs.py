"""A value of a type beyond stdlib's json, held against a plain value with the same text: in each output, among text of
each kind, in every layout, by function and by Encoder, whole and in chunks.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from helpers import stdlib_json
from helpers.call_outcome import Outcome, assert_same, outcome
from ssrjson_web import _core

NEIGHBOURS = ("a", "é", "中", "😀")
LAYOUTS: tuple[dict[str, Any], ...] = (
    {},
    {"ensure_ascii": True},
    {"indent": 2},
    {"sort_keys": True},
    {"separators": ("，", ": ")},
    {"indent": "\t", "sort_keys": True, "ensure_ascii": True},
)
CHUNK_SIZES = (1, 7, 100)


def in_chunks(value: Any, chunk_size: int = 1, **options: Any) -> bytes:
    """The chunks of `iterencode` in one; none of them is empty."""
    chunks = list(_core.Encoder(**options).iterencode(value, chunk_size))
    assert all(chunks)
    return b"".join(chunks)


def encodings(value: Any, **options: Any) -> Iterator[tuple[str, Outcome]]:
    """What each way to encode gives, as text."""
    yield "dumps", outcome(_core.dumps, value, **options)
    yield "encode_str", outcome(_core.Encoder(**options).encode_str, value)
    yield "dumps_to_bytes", outcome(lambda: _core.dumps_to_bytes(value, **options).decode())
    yield "encode", outcome(lambda: _core.Encoder(**options).encode(value).decode())
    for size in CHUNK_SIZES:
        yield f"iterencode {size}", outcome(lambda size=size: in_chunks(value, size, **options).decode())


def assert_all_give(expected: Outcome, value: Any, **options: Any) -> None:
    for way, got in encodings(value, **options):
        assert_same(got, expected, (way, value, options))


def assert_encoded_as(plain: Any, value: Any, raw: str = "", **options: Any) -> None:
    """The value is written as stdlib writes the plain one, wherever it stands.

    `raw` is the text of a number that stdlib cannot write: it takes the place of the plain value, a str.
    """
    for neighbour in NEIGHBOURS:
        for layout in LAYOUTS:
            text = stdlib_json.dumps([neighbour, plain, {"k": plain, "a": (plain, 1)}, neighbour, plain], **layout)
            if raw:
                text = text.replace(f'"{plain}"', raw)
            values = [neighbour, value, {"k": value, "a": (value, 1)}, neighbour, value]
            assert_all_give(("value", repr(text)), values, **layout, **options)
    assert_all_give(("value", repr(raw or stdlib_json.dumps(plain))), value, **options)


def assert_refused(value: Any, error: type[Exception] = _core.JSONEncodeTypeError, **options: Any) -> None:
    """Each way to encode raises the error: the value alone, in a container, and among text of each kind."""
    for neighbour in NEIGHBOURS:
        for document in (value, [neighbour, value], {neighbour: {"k": value}}):
            for encode in (_core.dumps, _core.dumps_to_bytes, in_chunks):
                try:
                    got: Any = encode(document, **options)
                except error:
                    continue
                raise AssertionError(f"{encode.__name__} of {document!r} gives {got!r}")


def run_with_little_stack(function: Callable[[], None]) -> bool:
    """Whether the function ends without an exception on 4 MB of C stack, half of what a first thread has."""

    def run() -> None:
        function()
        done.append(True)

    done: list[bool] = []
    previous = threading.stack_size(4 << 20)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(previous)
    return bool(done)
