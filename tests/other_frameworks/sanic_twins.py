"""One Sanic application in two versions: stock, and with our functions, which Sanic keeps for the whole process."""

from __future__ import annotations

import datetime
from typing import Any

from sanic import Request, Sanic, json
from sanic.response import HTTPResponse

from ssrjson_web.sanic import dumps, loads

PAGE = {"rows": [{"id": n, "标题": f"红楼梦 {n} “—” é 😀", "price": n / 7} for n in range(20)]}


def build(name: str, **options: Any) -> Sanic[Any, Any]:
    app = Sanic(name, configure_logging=False, **options)

    @app.get("/page")
    async def page(request: Request) -> HTTPResponse:
        return json(PAGE, status=201, headers={"X-A": "1"})

    @app.get("/dates")
    async def dates(request: Request) -> HTTPResponse:
        return json({"é": datetime.date(2020, 1, 2)}, natives=True, ensure_ascii=False)

    @app.post("/echo")
    async def echo(request: Request) -> HTTPResponse:
        return json({"got": repr(request.json)})

    return app


def stock() -> Sanic[Any, Any]:
    return build("stock")


def ours() -> Sanic[Any, Any]:
    return build("ours", dumps=dumps, loads=loads)
