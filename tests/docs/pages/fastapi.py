"""docs/fastapi.md: `setup` holds for a later route; which models bypass pydantic, and why others do not."""

import re
from typing import Any

from fastapi import Request
from helpers.markdown_pages import PAGES
from starlette.testclient import TestClient

from ssrjson_web.fastapi import RouteReport, route_report

BOOK = {"bookTitle": " 红楼梦 ", "price": "1.50", "added": "2026-11-21T00:00:00", "authors": [{"name": "曹雪芹"}]}


def route_of(app: Any, model: type) -> RouteReport:
    return next(route for route in route_report(app) if route.path == f"/validated/{model.__name__}")


def add_route(app: Any, model: type) -> None:
    def answer(body: Any) -> Any:
        return body

    answer.__annotations__ = {"body": model, "return": model}
    app.post(f"/validated/{model.__name__}")(answer)


def check_validation(app: Any, names: dict[str, Any]) -> None:
    """The model that bypasses does, in both directions; each of the others is named as its comment says."""
    add_route(app, names["Book"])
    assert TestClient(app).post("/validated/Book", json=BOOK).json()["bookTitle"] == "红楼梦"
    route = route_of(app, names["Book"])
    assert (route.answers.around, route.answers.validated) == (route.bodies.around, route.bodies.validated) == (1, 0)
    reasons = re.findall(r"# (because of (\w+).*)", PAGES["docs/fastapi.md"].read_text("utf-8"))
    assert len(reasons) == 4
    for reason, name in reasons:
        add_route(app, names[name])
        assert f"validated by pydantic {reason}; its body" in route_of(app, names[name]).reason


def after(names: dict[str, Any]) -> None:
    async def show(request: Request) -> dict[str, str]:
        return {"class": type(request).__name__, "title": "红楼梦"}

    names["app"].get("/")(show)
    client = TestClient(names["app"])
    prices = client.post("/prices", json={"user": {"id": 1}, "items": [{"price": 3, "sku": "x"}]})
    assert prices.content == b'{"orderItems":[{"price":3}]}'
    assert client.get("/").content == '{"class":"SSRJSONRequest","title":"红楼梦"}'.encode()
    check_validation(names["app"], names)
