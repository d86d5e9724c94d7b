"""An application of FastAPI: what it answers with and without response models, what it validates, and its errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fastapi import Body, FastAPI, HTTPException

from ssrjson_web._cli.verify.corpora.exchange import asker
from ssrjson_web._cli.verify.corpora.pydantic import Order
from ssrjson_web._cli.verify.corpora.values import BODIES, ORDER, VALUES, Pair, orders
from ssrjson_web.fastapi import setup

__all__ = ["pairs"]

_NOT_FINITE = (b"NaN", b"-Infinity", b"1e999")
"""Stock fails to answer that these are wrong; ours answers."""


def _application() -> FastAPI:
    app = FastAPI()

    def value(n: int) -> Any:
        return VALUES[n]

    async def echo(body: Any = Body()) -> Any:  # noqa: B008
        return body

    async def order(body: Order) -> Any:
        return body

    async def unvalidated(body: dict[str, Any]) -> Any:
        return body

    async def refuse(n: int) -> Any:
        raise HTTPException(400 + n % 20, detail=VALUES[n], headers={"x-n": str(n)})

    app.add_api_route("/value/{n}", value)
    app.add_api_route("/echo", echo, methods=["POST"])
    app.add_api_route("/order", order, methods=["POST"], response_model=Order)
    app.add_api_route("/unset", order, methods=["POST"], response_model=Order, response_model_exclude_unset=True)
    app.add_api_route("/models", unvalidated, methods=["POST"], response_model=Order)
    app.add_api_route("/plain", order, methods=["POST"], status_code=201)
    app.add_api_route("/refuse/{n}", refuse)
    return app


def pairs() -> Iterator[Pair]:
    """Values that are answered, bodies that are validated and answered, errors, and the schema."""
    theirs, app = _application(), _application()
    setup(app)
    stock, ours = asker(theirs), asker(app)
    requests = [("GET", f"/{name}/{n}", b"") for name in ("value", "refuse") for n in range(len(VALUES))]
    requests += [("POST", path, body) for path in ("/echo", "/order") for body in BODIES if body not in _NOT_FINITE]
    for path in ("/order", "/unset", "/models", "/plain"):
        requests += [("POST", path, json.dumps(order).encode()) for order in (*orders(), *[ORDER] * 3)]
    requests += [("GET", path, b"") for path in ("/value/x", "/nothing", "/openapi.json", "/openapi.json")]
    requests.append(("PUT", "/echo", b"1"))
    for request in requests:
        yield f"{request}", stock(*request), ours(*request)
