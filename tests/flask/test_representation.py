"""The representation, in real applications of flask-restx and flask-restful."""

from __future__ import annotations

import datetime
import decimal
import json
from typing import Any

import pytest
from flask import Flask

from ssrjson_web import utf8_cache_size
from ssrjson_web.flask import SSRJSON, output_json

TITLE = "红楼梦" * 100


def application(library: str, *, with_ours: bool = True, mode: Any = "compatible", **config: Any) -> Flask:
    module = pytest.importorskip(library, reason=f"{library} is not installed")
    app = Flask("api")
    app.config.update(config)
    SSRJSON(app, mode=mode)
    api = module.Api(app)
    if with_ours:
        api.representation("application/json")(output_json)

    class Book(module.Resource):  # type: ignore[misc, name-defined]
        def get(self) -> Any:
            return {"title": TITLE, "id": 1}, 203, {"X-A": "b"}

        def post(self) -> Any:
            return {"at": datetime.date(2020, 1, 2), "price": decimal.Decimal("1.50")}

        def delete(self) -> Any:
            return "", 204

        def put(self) -> Any:
            module.abort(409, "é")

    api.add_resource(Book, "/book")
    return app


LIBRARIES = ["flask_restx", "flask_restful"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_representation_answers_as_jsonify_does(library: str) -> None:
    client = application(library).test_client()
    reply = client.get("/book")
    assert (reply.status_code, reply.mimetype, reply.headers["X-A"]) == (203, "application/json", "b")
    assert reply.data == json.dumps({"id": 1, "title": TITLE}, separators=(",", ":")).encode() + b"\n"
    assert client.post("/book").data == b'{"at":"Thu, 02 Jan 2020 00:00:00 GMT","price":"1.50"}\n'
    assert client.delete("/book").status_code == 204
    fast = application(library, mode="fast").test_client()
    assert fast.post("/book").data == b'{"at":"2020-01-02","price":"1.50"}\n'
    assert (
        fast.get("/book").data
        == json.dumps(reply.json | {}, ensure_ascii=False, separators=(",", ":"))
        .replace(f'"id":1,"title":"{TITLE}"', f'"title":"{TITLE}","id":1')
        .encode()
        + b"\n"
    )
    assert utf8_cache_size(TITLE) == 0


@pytest.mark.parametrize("library", LIBRARIES)
def test_representation_writes_errors_of_the_library(library: str) -> None:
    ours, stock = (application(library, with_ours=with_ours).test_client() for with_ours in (True, False))
    for method, path in (("PUT", "/book"), ("GET", "/none"), ("PATCH", "/book")):
        got, expected = ours.open(path, method=method), stock.open(path, method=method)
        assert (got.status_code, got.json, got.mimetype) == (expected.status_code, expected.json, expected.mimetype)


def test_representation_writes_what_restx_says_of_the_api() -> None:
    ours, stock = (application("flask_restx", with_ours=with_ours).test_client() for with_ours in (True, False))
    assert ours.get("/swagger.json").json == stock.get("/swagger.json").json


@pytest.mark.parametrize(("library", "setting"), [("flask_restx", "RESTX_JSON"), ("flask_restful", "RESTFUL_JSON")])
def test_representation_takes_the_librarys_arguments(library: str, setting: str) -> None:
    client = application(library, **{setting: {"indent": 1, "ensure_ascii": False}}).test_client()
    assert client.get("/book").data == f'{{\n "id": 1,\n "title": "{TITLE}"\n}}\n'.encode()
