"""README.md: its FastAPI application answers by the core."""

from typing import Any

from starlette.testclient import TestClient

from ssrjson_web.fastapi import route_report


def after(names: dict[str, Any]) -> None:
    names["app"].get("/books")(lambda: {"title": "红楼梦"})
    assert TestClient(names["app"]).get("/books").content == '{"title":"红楼梦"}'.encode()
    assert next(route for route in route_report(names["app"]) if route.path == "/books").encodes
