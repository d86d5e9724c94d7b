"""A FastAPI application with models and the memory middleware, for real servers.

`asgi` has the middleware inside, by `add_middleware`; `wrapped` has it around another one around the application.
"""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, FastAPI
from monitor.apps import OPTIONS
from pydantic import BaseModel, field_validator

from ssrjson_web.asgi import MemoryMiddleware
from ssrjson_web.fastapi import setup


class Order(BaseModel):
    title: str


class Checked(BaseModel):
    title: str

    @field_validator("title", mode="wrap")
    def check(cls, title: Any, handler: Any, info: Any) -> Any:
        return handler(title)  # only pydantic makes an info for a handler, so that it validates


class Passing:
    """A middleware that keeps the application as middlewares do."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app({**scope}, receive, send)


def made() -> FastAPI:
    """The application, without the memory middleware."""
    app, orders, admin = FastAPI(), APIRouter(prefix="/orders"), FastAPI()

    @orders.post("")
    async def add(order: Order) -> Order:
        return {"title": order.title}  # type: ignore[return-value]

    @orders.get("/checked")
    async def checked() -> Checked:
        return {"title": "x"}  # type: ignore[return-value]

    @orders.get("/never-asked")
    async def never_asked() -> Order:
        return {"title": "x"}  # type: ignore[return-value]

    @app.get("/untyped", response_model=None)
    async def untyped() -> dict[str, str]:
        return {"title": "x"}

    @admin.get("/orders/{number}")
    async def one(number: int) -> Order:
        return {"title": str(number)}  # type: ignore[return-value]

    app.include_router(orders)
    app.mount("/admin", admin)
    for one_app in (app, admin):
        setup(one_app)
    return app


asgi = made()
asgi.add_middleware(MemoryMiddleware, **OPTIONS)
wrapped = MemoryMiddleware(Passing(made()), **OPTIONS)
