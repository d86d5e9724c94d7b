"""Bodies that a client may send: JSON by `json.loads`. A view that echoes one must not fail because of it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from helpers.call_outcome import shortened

__all__ = ["BODIES", "NON_FINITE", "VALUES", "Answer", "assert_as_stock_or_better", "assert_echoed", "failures"]

NON_FINITE = {
    "NaN": b"NaN",
    "infinities": b'[Infinity, {"a": -Infinity}]',
    "number beyond doubles": b"1e400",
    "number beyond doubles in a list": b'{"a": [1, -1e999]}',
}
"""Values that JSON has no form for: what becomes of them is as each framework has it."""

SURROGATES = {
    "lone high half": b'"\\ud800"',
    "lone low half": b'["\\udfff"]',
    "halves in the wrong order": b'"\\udc00\\ud83d"',
    "half as key": b'{"\\ud800": 1}',
    "half as key beside others": '{"é": 1, "\\udbff": {"\\udc00 中": "\\ud800"}, "a": [null]}'.encode(),
    "half among text": '{"text": "é \\ud800 中 😀"}'.encode(),
    "half after a backslash": b'"\\\\\\ud800\\\\u0041\\""',
    "half at the end of long text": b'["' + b"a" * 10_000 + b'\\udead"]',
    "half in long Chinese": b'{"a": "' + "中".encode() * 5_000 + b'\\udead"}',
    "halves in many rows": b"[" + b",".join(b'{"id": %d, "name": "\\ud800"}' % n for n in range(200)) + b"]",
    "key that markup would end": b'{"</script>\\ud800": "<!--"}',
}
"""UTF-8 has no form for these, JSON has."""

BODIES: dict[str, bytes] = {
    **SURROGATES,
    **NON_FINITE,
    "object": '{"b": "é 中文 😀", "a": [1, 2.5, null, true]}'.encode(),
    "scalars": b'[null, true, false, 0, "", [], {}]',
    "null": b"null",
    "false": b"false",
    "text": b'"text"',
    "zeros": b"[-0, -0.0, 0e5, 1e-400]",
    "ints beyond 64 bits": b"[18446744073709551616, -9223372036854775809, 9007199254740993]",
    "int of 4300 digits": b"-" + b"9" * 4300,
    "floats": b"[5e-324, 1.7976931348623157e308, 1E16, 1e22, 0.1, 1e-7, 123456789012345678.9]",
    "float of many digits": b"[0." + b"1234567890" * 500 + b", " + b"9" * 300 + b".5]",
    "repeated keys": b'{"a": 1, "b": 2, "a": {"a": 3, "a": 4}}',
    "empty key": b'{"": {"": ""}}',
    "keys out of order": '{"é": 1, "中": 2, "z": 3, "A": 4, "": 5, "10": 6, "9": 7, "😀": 8, "\uffff": 9}'.encode(),
    "keys that libraries know": b'{"_sa_x": 1, "__class__": "x", "self": 1, "data": 2, "$ref": "#", "py/object": 4}',
    "tags of sessions": b'{" t": [1], " di": {" t": 1}, " u": "x", " b": "AA==", " m": "<b>", " d": "x__"}',
    "escapes": b'"\\u0000\\u001f\\u007f\\u0080\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\"\\\\"',
    "NUL as key": b'{"\\u0000": "\\u0000"}',
    "separators of lines": '["\u2028\u2029\u0085\ufeff", "\\u2028"]'.encode(),
    "noncharacters": '["\ufffe\uffff\U0010ffff\ufdd0\ue000"]'.encode(),
    "markup": b'{"a": "</script><!-- & \' <b>"}',
    "byte order mark inside": '{"a": "\ufeff"}'.encode(),
    "spaces around": b" \r\n[1]\t\n",
    "dates": b'["2020-01-02T03:04:05Z", "Sat, 21 Nov 2026 12:34:56 GMT", "P1D"]',
    "long ASCII": b'"' + b"a" * 500_000 + b'"',
    "long Latin-1": b'["' + "é".encode() * 50_000 + b'"]',
    "long Chinese": '{"标题": "'.encode() + "红".encode() * 50_000 + b'"}',
    "long emoji": b'"' + "😀".encode() * 20_000 + b'"',
    "many escapes": b'"' + b'\\"\\n' * 20_000 + b'"',
    "many keys": json.dumps({f"key {n}": n for n in range(3000)}).encode(),
    "nested 150 deep": b"[" * 150 + b"1" + b"]" * 150,
    "nested 150 objects deep": b'{"a":' * 150 + b"1" + b"}" * 150,
    "nested 300 deep": b"[" * 300 + b"]" * 300,
    "nested 600 deep": b'{"a":[' * 300 + b"]}" * 300,
    "nested 750 deep": b"[" * 750 + b"]" * 750,
}
VALUES: dict[str, Any] = {name: json.loads(body) for name, body in BODIES.items()}


class Answer(NamedTuple):
    """What a client got; an application that raised is a status of 500."""

    status: int
    content_type: str
    body: bytes

    @property
    def is_failure(self) -> bool:
        return self.status >= 500


def assert_echoed(name: str, text: bytes | str, what: object = "") -> None:
    """The text is JSON in UTF-8 of the body's value."""
    data = text.encode("utf-8") if isinstance(text, str) else text
    assert _canonical(name, data) == _canonical(name, BODIES[name]), f"{name}, {what}: got {shortened(text)}"


def _canonical(name: str, text: bytes) -> object:
    """What tells two texts of a value from each other, the order of keys, -0.0 and NaN included."""
    if name.startswith("nested"):
        return text.translate(None, b" \n")  # repr and == have less stack than json
    return repr(json.loads(text.decode("utf-8")))


def assert_as_stock_or_better(name: str, stock: Answer, ours: Answer, *, is_same_layout: bool = True) -> None:
    """Ours answers as stock does; where stock fails on what JSON has a form for, ours echoes it.

    Without the same layout of text, the value is the same.
    """
    what = f"{name}: stock {shortened(stock)}, ours {shortened(ours)}"
    if stock.is_failure and not (name in NON_FINITE or ours.is_failure):
        assert ours.status == 200, what
        assert ours.content_type.startswith("application/json"), what
        assert_echoed(name, ours.body)
    elif is_same_layout or stock.status != 200:
        assert ours == stock, what
    else:
        assert (ours.status, ours.content_type) == (stock.status, stock.content_type), what
        assert _canonical(name, ours.body) == _canonical(name, stock.body), what
    assert name in NON_FINITE or not ours.is_failure, what


def failures(answers: Iterable[tuple[str, Answer]]) -> set[str]:
    """The names of the bodies that made an answer fail."""
    return {name for name, answer in answers if answer.is_failure}


assert all(
    isinstance(value, float) and not math.isfinite(value) for value in (VALUES["NaN"], VALUES["number beyond doubles"])
)
