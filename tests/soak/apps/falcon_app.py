"""On Falcon, with our handler, for ASGI."""

from __future__ import annotations

from typing import Any

import falcon.asgi
from soaked import page, tasks

from ssrjson_web.falcon import setup


class Page:
    async def on_get(self, request: Any, response: Any) -> None:
        response.media = page()


class Echo:
    async def on_post(self, request: Any, response: Any) -> None:
        response.media = {"got": await request.get_media()}


class Tasks:
    async def on_get(self, request: Any, response: Any) -> None:
        response.media = tasks()


app = falcon.asgi.App()
app.add_route("/page", Page())
app.add_route("/echo", Echo())
app.add_route("/tasks", Tasks())
setup(app)
