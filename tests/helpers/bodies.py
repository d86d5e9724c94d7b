"""What clients may send, JSON, nearly JSON and none; and what applications may return.

Values on which stock fails and ours does not are in client_bodies.py.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from typing import Any, NamedTuple

DEEP = b"[" * 100_000 + b"]" * 100_000

BODIES: dict[str, bytes] = {
    "object": '{"a": "é 中文 😀", "b": [1, 2.5, null, true]}'.encode(),
    "text": b'"text"',
    "null": b"null",
    "spaces around": b" \r\n[1]\t",
    "minus zero": b"[-0, -0.0, 1E5, 1e-400]",
    "int beyond 64 bits": b"18446744073709551616",
    "int of 5000 digits": b"9" * 5000,
    "number beyond doubles": b"1e400",
    "repeated key": b'{"a":1,"a":2}',
    "escapes": b'"\\u0000\\ud83d\\ude00\\/"',
    "empty": b"",
    "blank": b" ",
    "truncated": b"[1, 2",
    "trailing comma": b"[1,]",
    "extra data": b"1 2",
    "leading zero": b"01",
    "control character": b'"\n"',
    "NaN": b"[NaN, -Infinity]",
    "no UTF-8": b'"\xff"',
    "no UTF-8 at the start": b"\xff",
    "encoded surrogate": b'"\xed\xa0\x80"',
    "Hangul": '"\ud55c"'.encode(),
    "lone surrogate": b'"\\ud800"',
    "byte order mark": b"\xef\xbb\xbf{}",
    "NUL": b"\x001",
    "UTF-16": "{}".encode("utf-16"),
    "UTF-16 without a mark": "[1]".encode("utf-16-le"),
    "UTF-32": "[1]".encode("utf-32"),
    "nested 150 deep": b"[" * 150 + b"]" * 150,
    "nested 500 deep": b"[" * 500 + b"]" * 500,
    "open brackets": b"[" * 100_000,
    "page": b"[" + b",".join(f'{{"id":{n},"标题":"红楼梦 {n}"}}'.encode() for n in range(300)) + b"]",
    "keys of every kind": '{"имя": ["é", 1, 2.5, null, true], "😀": {}}'.encode(),
    "scalar": b" 12 ",
    "floats": b"[1e400, -0.0, 1E-7, 5e-324]",
    "no json": b"hello",
    "form": b"a=1&b=2",
    "cut object": b'{"a": 1',
    "cut text": b'{"a": "xyz',
    "trailing comma in object": b'{"a": 1,}',
    "comment": b"[1] // one",
    "two values": b"{} {}",
    "single quotes": b"{'a': 1}",
    "key without quotes": b"{a: 1}",
    "missing colon": b'{"a" 1}',
    "bad escape": b'"\\x"',
    "bad unicode escape": b'"\\u12g4"',
    "plus": b"[+1]",
    "error after umlauts": '{"äöü": 中}'.encode(),
    "error after lines": b'{\n  "a": 1,\n  b\n}',
    "no UTF-8 in an object": b'{"a": "\xff"}',
    "cut UTF-8": '"中'.encode()[:-1],
    "nested 300 deep and wrong": b"[" * 300 + b"x",
}


class Colour(enum.IntEnum):
    RED = 1


class Point(NamedTuple):
    x: int
    y: str


CYCLE: list[Any] = []
CYCLE.append(CYCLE)

CONTENTS: dict[str, Any] = {
    "none": None,
    "true": True,
    "int": 10**30,
    "float": [0.1, 1e16, 1e-7, -0.0, 5e-324],
    "empty list": [],
    "empty dict": {},
    "empty text": "",
    "ascii": {"name": "Ada", "n": [1, 2, 3]},
    "latin-1": "né à l'été",
    "cyrillic": {"имя": "Иван"},
    "chinese": ["中文", {"文": "中" * 1000}],
    "emoji": "😀 and text",
    "escapes": '"\\\b\f\n\r\t\x00\x1f\x7f\u2028\u2029</script>',
    "odd keys": {1: 1, None: 2, 1.5: 3, False: 4},
    "tuple": (1, (2, 3)),
    "namedtuple": Point(1, "é"),
    "int enum": Colour.RED,
    "nan": math.nan,
    "nan inside": {"a": [1, math.inf]},
    "cycle": CYCLE,
    "set": {1},
    "bytes": b"a",
    "object inside": [{"a": object}],
    "tuple key": {(1, 2): 3},
    "digit limit": 10**5000,
}


def nearly_right(row: Callable[..., dict[str, Any]]) -> dict[str, Any]:
    """By name; `row` makes a right one, with changes."""
    return {
        "by alias": row(seller={"name": "é", "Wertung": 4}),
        "by name": row(seller={"name": "é", "rating": 4}),
        "extra": row(more=[1]),
        "an int in place of a float": row(price=3),
        "converted": row(id="5"),
        "wrong": row(id="x"),
        "wrong below": row(seller={"name": 1}),
        "wrong date": row(made="2026-02-30T00:00:00"),
        "missing": {"id": 1},
        "no object": 5,
        "null": None,
    }
