"""docs/aiohttp.md: its client asks its server."""

import asyncio
from typing import Any

from aiohttp.test_utils import TestServer


def after(names: dict[str, Any]) -> None:
    async def ask() -> Any:
        async with TestServer(names["app"], host="127.0.0.1") as server:
            return await names["order"](server.make_url("/books"), {"title": "红楼梦"})

    assert asyncio.run(ask()) == {"added": {"title": "红楼梦"}}
