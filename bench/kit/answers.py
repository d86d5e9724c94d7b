"""Checks of answers that hold records of the catalogue, or a value."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

__all__ = ["events_fault", "page_fault", "value_fault"]


def page_fault(status: int, body: bytes, *, count: int, expected: Callable[[], Any] | None) -> str:
    """The fault of a page of `count` records; empty if there is none.

    `expected` makes the records that the page must hold, directly or under the key `records`; with None they are only
    counted.
    """
    if status != 200:
        return f"status {status}"
    found = body.count(b'"sku"')
    if found != count:
        return f"{found} records, not {count}"
    if expected is None:
        return ""
    value, fault = _parsed(body)
    records = value.get("records") if isinstance(value, dict) else value
    return fault or ("" if records == expected() else "other content than the catalogue's")


def events_fault(status: int, body: bytes, *, count: int, expected: Callable[[], Any] | None) -> str:
    """The fault of server-sent events with a record each, as `page_fault` tells it."""
    events = [event.removeprefix(b"data: ") for event in body.split(b"\n\n") if event]
    return page_fault(status, b"[" + b",".join(events) + b"]", count=count, expected=expected)


def value_fault(status: int, body: bytes, *, expected: Any) -> str:
    """The fault of an answer that must be this value; empty if there is none."""
    if status != 200:
        return f"status {status}"
    value, fault = _parsed(body)
    return fault or ("" if value == expected else f"another value than {expected}")


def _parsed(body: bytes) -> tuple[Any, str]:
    try:
        return json.loads(body), ""
    except ValueError as error:
        return None, f"no JSON: {error}"
