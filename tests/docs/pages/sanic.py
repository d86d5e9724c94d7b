"""docs/sanic.md: what its application answers."""

import asyncio
from typing import Any

from sanic_testing.testing import SanicASGITestClient


def after(names: dict[str, Any]) -> None:
    async def ask() -> bytes:
        _, answer = await SanicASGITestClient(names["app"]).get("/books")
        content: bytes = answer.content
        return content

    assert asyncio.run(ask()) == '{"books":["红楼梦"]}'.encode()
