"""The answers of the applications. Each has `GET /page`, `POST /echo`, `GET /stream` and `GET /tasks`."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import ssrjson_web

N_STREAMED = 5_000


def row(number: int) -> dict[str, Any]:
    return {"id": number, "标题": f"红楼梦 {number} “—” é 😀", "price": number / 7, "tags": ["a", None, True]}


def page() -> dict[str, Any]:
    return {"rows": [row(number) for number in range(50)]}


def rows() -> Iterator[dict[str, Any]]:
    return map(row, range(N_STREAMED))


async def async_rows() -> AsyncIterator[dict[str, Any]]:
    for each in rows():
        yield each


def told(value: Any) -> dict[str, str]:
    """What shows whether two values are the same, however deep they are."""
    text = ssrjson_web.dumps_to_bytes(value, escape_surrogates=True, models=True)
    return {"sha256": hashlib.sha256(text).hexdigest()}


def tasks() -> dict[str, int]:
    """The number of tasks of the running loop; 0 without a loop."""
    try:
        return {"tasks": len(asyncio.all_tasks())}
    except RuntimeError:
        return {"tasks": 0}
