"""Values, bodies and dataclasses that all corpora share."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import ipaddress
import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["BODIES", "JSON_VALUES", "ORDER", "TYPED_VALUES", "VALUES", "Color", "Pair", "Record", "orders"]

Pair = tuple[str, Callable[[], Any], Callable[[], Any]]
"""A label, and what stock and ours do for it: both return the same, or raise the same error."""


class Color(enum.Enum):
    """An enum of texts."""

    RED = "red"
    BLUE = "blue"


JSON_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 255, 2**31, 2**53, -(2**63), 2**64, 10**30),
    *(0.0, -0.0, 1.0, 1.5, -2.25, 1e22, 1e-7, 1e300, 123456789.123),
    *("", "a", " a ", "é", "中文", "😀", '"\\/\b\n\t\x00\x7f\u2028', "x" * 300, "a\x00b", "red", "RED"),
    *("0", "1", "-1", "1.50", " 7 ", "1e3", "nan", "true", "False", "on", "null", "1_000", "٣"),
    *("2026-11-28", "2026-11-28T09:05:00", "2026-11-28T09:05:00.123456Z", "2026-11-28T09:05:00+02:00", "2026-02-30"),
    *("09:05", "09:05:07.5", "P1DT2H", "1 02:00:00", "01234567-89ab-cdef-0123-456789abcdef"),
    *("192.0.2.1", "2001:db8::1", "192.0.2.0/24", "a@example.org", "a@b", "https://example.org/x?y=1", "not-a-slug!"),
    *([], [1], [1, "a", None], ["1", "2"], [[1], [2]], {}, {"a": 1}, {"a": {"b": [1, None]}}, {"é": "中", "1": "😀"}),
)
TYPED_VALUES: tuple[Any, ...] = (
    *(dt.datetime(2026, 11, 28, 9, 5), dt.datetime(2026, 11, 28, 9, 5, 7, 120000, tzinfo=dt.timezone.utc)),
    *(dt.date(2026, 11, 28), dt.time(9, 5), dt.time(9, 5, 7, 5), dt.timedelta(days=1, seconds=7, microseconds=5)),
    *(decimal.Decimal("1.50"), decimal.Decimal("-0"), decimal.Decimal("1E+3"), decimal.Decimal("NaN")),
    *(uuid.UUID(int=7), Color.RED, b"bytes", (1, "a"), {1: "a", None: 2, 0.5: 3}, {"a": dt.date(2026, 1, 2)}),
    *(ipaddress.ip_address("192.0.2.1"), ipaddress.ip_address("2001:db8::1"), ipaddress.ip_interface("192.0.2.1/24")),
    *(float("nan"), float("inf"), object, {1, 2}, frozenset([1])),
)
VALUES = (*JSON_VALUES, *TYPED_VALUES)
_BROKEN = (
    *(b"", b" ", b"{", b"[1,", b'{"a":}', b'{"a":1,}', b"nul", b"NaN", b"-Infinity", b"01", b"1.", b'"\\x"', b'"\n"'),
    *(b'{"a":1}x', b"\xff", b'"\xc3"', b"\xef\xbb\xbf1", b'{"a":1,"a":2}', b"[" * 50 + b"]" * 50, b"1e999"),
)
BODIES = (*(json.dumps(value, ensure_ascii=False).encode() for value in JSON_VALUES), *_BROKEN)
ORDER: dict[str, Any] = {
    "id": 7,
    "name": "Chair, 椅子",
    "price": 12.5,
    "paid": True,
    "at": "2026-11-28T09:05:00Z",
    "key": "01234567-89ab-cdef-0123-456789abcdef",
    "tags": ["a", "é"],
    "lines": [{"sku": "A-1", "count": 2}, {"sku": "B-2", "count": 1}],
    "note": None,
}
_WRONG: tuple[Any, ...] = (
    None,
    "",
    "x",
    "5",
    5,
    5.5,
    True,
    [],
    ["a", 1],
    {},
    [{}],
    [{"sku": "A", "count": "2"}],
    "2026-11-28",
)
"""Values for each part of an order, most of which are of another type."""


def orders() -> Iterator[Any]:
    """An order, and such as differ in one place: another value, none, one more; and what is no dict."""
    yield ORDER
    for name in ORDER:
        yield {key: value for key, value in ORDER.items() if key != name}
        yield from ({**ORDER, name: value} for value in _WRONG)
    yield {**ORDER, "more": 1}
    yield {}
    yield from (None, 5, "text", [], [ORDER])


class Record:
    """An object whose attributes are given by name."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)
