"""Requests of a Flask application."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import uuid
from collections.abc import Callable
from typing import Any

import flask
from flask import Flask, jsonify, request

from ssrjson_web.flask import SSRJSON

LIBRARIES = ("flask",)
PRELOADED = ("werkzeug", "werkzeug.test", "jinja2", "click", "itsdangerous", "markupsafe", "blinker")

MOMENT = dt.datetime(2026, 11, 28, 1, 2, 3)


@dataclasses.dataclass
class Point:
    x: int
    text: str = "é"


class Page:
    def __html__(self) -> str:
        return "<p>é</p>"


VALUE = {
    "b": "é",
    "at": MOMENT,
    "day": MOMENT.date(),
    "decimal": decimal.Decimal("1.50"),
    "key": uuid.UUID(int=1),
    "point": Point(1),
    "page": Page(),
    "a": [1, 2.5, None],
}


def build(is_ours: bool) -> Flask:
    app = Flask("app")
    if is_ours:
        SSRJSON(app)

    @app.get("/dict")
    def a_dict() -> Any:
        return VALUE

    @app.get("/list")
    def a_list() -> Any:
        return [{"n": n} for n in range(3)]

    @app.get("/jsonify")
    def made() -> Any:
        return jsonify(a=1, b="é"), 201

    @app.get("/several")
    def several() -> Any:
        return jsonify(1, "é", MOMENT)

    @app.get("/wrong")
    def wrong() -> Any:
        return {"a": {1}}

    @app.get("/template")
    def template() -> Any:
        return flask.render_template_string("{{ value | tojson }}", value={"a": "é<", "at": MOMENT})

    @app.post("/echo")
    def echo() -> Any:
        return {"got": request.get_json(), "silent": request.get_json(silent=True)}

    return app


PATHS = ("/dict", "/list", "/jsonify", "/several", "/wrong", "/template", "/missing")
BODIES = {"echo": '{"a": [1, "é"]}'.encode(), "malformed": b'{"a', "number": b"1"}


def _answer(app: Flask, path: str, **options: Any) -> Any:
    response = app.test_client().open(path, **options)
    return response.status, sorted(response.headers), response.get_data()


def _of_provider(app: Flask) -> Any:
    json = app.json
    return json.dumps(VALUE), json.dumps(VALUE, indent=1), json.loads('{"a": 1}'), flask.json.dumps({"é": 1})


def calls() -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Each request, and the provider alone."""
    theirs, ours = build(is_ours=False), build(is_ours=True)
    pairs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {}
    for path in PATHS:
        pairs[path] = (lambda path=path: _answer(theirs, path)), (lambda path=path: _answer(ours, path))  # type: ignore[misc]
    for name, body in BODIES.items():
        options = {"method": "POST", "data": body, "content_type": "application/json"}
        pairs[name] = (
            (lambda options=options: _answer(theirs, "/echo", **options)),  # type: ignore[misc]
            (lambda options=options: _answer(ours, "/echo", **options)),  # type: ignore[misc]
        )
    pairs["provider"] = (lambda: _of_provider(theirs)), (lambda: _of_provider(ours))
    return pairs
