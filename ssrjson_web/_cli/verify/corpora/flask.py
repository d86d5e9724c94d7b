"""An application of Flask: what it answers, and what it decodes of a request."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from flask import Flask, jsonify, request

from ssrjson_web._cli.verify.corpora.values import BODIES, VALUES, Pair
from ssrjson_web.flask import SSRJSON

__all__ = ["pairs"]


def _application() -> Flask:
    app = Flask("ssrjson_web_verify")
    app.config["TESTING"] = True  # errors are raised

    @app.get("/value/<int:n>")
    def value(n: int) -> Any:
        return jsonify(VALUES[n])

    @app.get("/text/<int:n>")
    def text(n: int) -> Any:
        return app.json.dumps({"value": VALUES[n]}, indent=n % 3 or None, sort_keys=bool(n % 2))

    @app.post("/echo")
    def echo() -> Any:
        return {"body": request.get_json()}

    return app


def pairs() -> Iterator[Pair]:
    """Values that are answered, and bodies that are decoded and answered."""
    theirs, app = _application(), _application()
    SSRJSON(app)
    requests: list[tuple[str, Any]] = [(f"/{name}/{n}", None) for name in ("value", "text") for n in range(len(VALUES))]
    requests += [("/echo", body) for body in BODIES]
    stock, ours = theirs.test_client(), app.test_client()
    for path, body in requests:
        yield f"{path} {body!r}", partial(_exchange, stock, path, body), partial(_exchange, ours, path, body)


def _exchange(client: Any, path: str, body: bytes | None) -> Any:
    options = {} if body is None else {"data": body, "content_type": "application/json", "method": "POST"}
    response = client.open(path, **options)
    return response.status, list(response.headers), response.data
