"""The ways to decode and encode, by name: each makes a call with a document of about n units."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import Any

from growth.encoding import encoding_calls
from ssrjson_web import Decoder, loads
from ssrjson_web._shared import body_items

Call = Callable[[], object]

TEXTS: dict[str, Callable[[int], str]] = {
    "digits": lambda n: "[" + "1" * min(n, 4000) + "." + "2" * n + "]",
    "exponent": lambda n: "[1e" + "0" * n + "1]",
    "string": lambda n: '["' + "a" * n + '"]',
    "wide string": lambda n: '["' + "中é" * (n // 2) + '"]',
    "escapes": lambda n: '["' + "\\u4e2d\\ud83d\\ude00\\n" * (n // 20) + '"]',
    "backslashes": lambda n: '["' + "\\\\" * (n // 2) + '"]',
    "quotes": lambda n: '["' + '\\"' * (n // 2) + '"]',
    "key": lambda n: '{"' + "k" * n + '": 1}',
    "spaces": lambda n: "[" + " " * n + "1," + "\n" * n + "2" + "\t" * n + "]" + " " * n,
    "ints": lambda n: "[" + "1," * (n // 2) + "1]",
    "strings": lambda n: "[" + '"a",' * (n // 4) + "1]",
    "objects": lambda n: "[" + '{"a":1,"b":"c"},' * (n // 16) + "1]",
    "object": lambda n: "{" + ",".join(f'"{i}":{i}' for i in range(n // 12)) + "}",
    "rows in an object": lambda n: '{"rows":[' + '{"a":1},' * (n // 8) + "1]}",
    "lists in depth": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "objects in depth": lambda n: '{"a":' * (n // 6) + "1" + "}" * (n // 6),
    "depth, then rows": lambda n: "[" * (n // 4) + "1," * (n // 4) + "1" + "]" * (n // 4),
    "depth, then no number": lambda n: "[" * (n // 4) + "1," * (n // 4) + '""' + "]" * (n // 4),
    "depth, then unequal rows": lambda n: "[" * (n // 4) + "[1,2]," * (n // 12) + "[1]" + "]" * (n // 4),
    "depth again and again": lambda n: "[" + ("[" * 50 + "]" * 50 + ",") * (n // 100) + "1]",
}


def chunks_of(text: Any, n: int) -> list[Any]:
    return [text[at : at + n] for at in range(0, len(text), n)]


def feed(chunks: list[Any], *, takes: bool = False, partial: Any = "on") -> Call:
    def call() -> None:
        decoder = Decoder(partial=partial, max_depth=None)
        for chunk in chunks:
            decoder.feed(chunk)
            if takes:
                decoder.take_items()
        decoder.close()

    return call


def items(chunks: list[Any], *, lines: bool) -> Call:
    def call() -> None:
        for _ in body_items.items(iter(chunks), lines=lines, max_item_size=None, max_depth=None):
            pass

    return call


def of_text(name: str, n: int) -> Iterator[tuple[str, Call]]:
    text = TEXTS[name](n)
    data = text.encode()
    is_list = text.startswith("[")
    for length in (1, 20):
        size = n if length == 20 else n // 4
        chunks = chunks_of(TEXTS[name](size).encode(), length)
        yield f"{name}, fed {length} by {length}", feed(chunks)
        if is_list:
            yield f"{name}, taken {length} by {length}", feed(chunks, takes=True)
    yield f"{name}, loads", lambda: loads(data, max_depth=None)
    yield f"{name}, loads to arrays", lambda: loads(data, max_depth=None, number_arrays="numpy")
    yield f"{name}, loads of a str", lambda: loads(text, max_depth=None)


LINES: dict[str, Callable[[int], str]] = {
    "short lines": lambda n: '{"a": 1}\n' * (n // 9),
    "long line": lambda n: json.dumps("a" * n),
    "blank lines": lambda n: "\n" * n,
    "wide lines": lambda n: '"中ਊ"\r\n' * (n // 6),  # U+0A0A has the bytes of line feeds
}


def of_lines(n: int) -> Iterator[tuple[str, Call]]:
    for name, make in LINES.items():
        yield f"{name}, decode_lines", functools.partial(Decoder().decode_lines, make(n))
        yield f"{name}, 20 by 20", items(chunks_of(make(n).encode(), 20), lines=True)
        yield f"{name}, 1 by 1", items(chunks_of(make(n // 4).encode(), 1), lines=True)
    short = LINES["short lines"]
    yield "lines of UTF-16, 20 by 20", items(chunks_of(short(n).encode("utf-16"), 20), lines=True)
    yield "lines of str, 1 by 1", items(chunks_of(short(n // 4), 1), lines=True)


def of_bodies(n: int) -> Iterator[tuple[str, Call]]:
    text = TEXTS["objects"](n)
    for name, whole in (("bytes", text.encode()), ("str", text), ("bytearrays", bytearray(text.encode()))):
        yield f"body of {name}, 20 by 20", feed(chunks_of(whole, 20), partial="off")
    yield "body of UTF-16, 20 by 20", feed(chunks_of(text.encode("utf-16"), 20))
    yield "items of an array, 20 by 20", items(chunks_of(text.encode(), 20), lines=False)


def raw_decode(text: str, **options: Any) -> Call:
    decoder = Decoder(**options)

    def call() -> None:
        end = 0
        while end < len(text):
            _, end = decoder.raw_decode(text, end)

    return call


def of_options(n: int) -> Iterator[tuple[str, Call]]:
    for options in ({}, {"only": "/a"}, {"jsonc": True}, {"type": dict[str, str]}):
        for name, value in (("values", '{"a": "a"}'), ("wide values", '{"a": "中"}')):
            yield f"{name} in a row, raw_decode {options}", raw_decode(value * (n // 10), **options)
    parts = [f"/*/k{i}" for i in range(64)]
    yield "64 parts of each row", functools.partial(loads, "[" + '{"k":1,"k63":2},' * (n // 16) + "1]", only=parts)


def calls(n: int) -> dict[str, Call]:
    found: dict[str, Call] = {}
    for name in TEXTS:
        found |= of_text(name, n)
    found |= of_lines(n)
    found |= of_bodies(n)
    found |= of_options(n)
    found |= encoding_calls(n)
    return found
