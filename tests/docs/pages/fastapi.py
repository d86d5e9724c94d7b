"""docs/fastapi.md: `setup` holds for a route that is added after the page's lines."""

from typing import Any

from fastapi import Request
from starlette.testclient import TestClient


def after(names: dict[str, Any]) -> None:
    async def show(request: Request) -> dict[str, str]:
        return {"class": type(request).__name__, "title": "红楼梦"}

    names["app"].get("/")(show)
    client = TestClient(names["app"])
    prices = client.post("/prices", json={"user": {"id": 1}, "items": [{"price": 3, "sku": "x"}]})
    assert prices.content == b'{"orderItems":[{"price":3}]}'
    assert client.get("/").content == '{"class":"SSRJSONRequest","title":"红楼梦"}'.encode()
