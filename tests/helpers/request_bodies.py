"""Bodies of requests that are JSON, nearly JSON, and none."""

from __future__ import annotations

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
}
