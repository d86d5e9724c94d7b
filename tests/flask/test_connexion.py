"""The recipe for connexion 3: its bytes, written by the core. A stand-in has what connexion does with Flask's JSON."""

from __future__ import annotations

import datetime
import decimal
import json
import json.encoder
import uuid
from typing import Any

import flask
import pytest
from helpers.connexion_standin import FlaskApp, FlaskJSONProvider, Jsonifier

from ssrjson_web.flask import SSRJSON, SSRJSONProvider

ROW = {
    "b": decimal.Decimal("1.5"),
    "a": "红楼梦\ud800",
    "at": datetime.datetime(2026, 1, 2, 3, 4, 5),
    "zoned": datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc),
    "day": datetime.date(2026, 1, 2),
    "key": uuid.UUID(int=5),
    "rows": [{"x": 1.5, "n": None}],
}


class JSON(FlaskJSONProvider, SSRJSONProvider):
    pass


def served(app: FlaskApp) -> Any:
    app.add_operation("/operation", lambda: ROW)
    app.app.add_url_rule("/jsonify", "jsonify", lambda: flask.jsonify(ROW))
    app.app.add_url_rule("/echo", "echo", lambda: {"got": flask.request.get_json()}, methods=["POST"])
    return app.app.test_client()


def answers(client: Any) -> list[Any]:
    replies = [client.get("/operation"), client.get("/jsonify"), client.post("/echo", json={"n": "é"})]
    return [(reply.status_code, reply.content_type, reply.data) for reply in replies]


def with_both_providers(app: FlaskApp) -> FlaskApp:
    app.app.json = JSON(app.app)
    return app


def test_class_of_both_providers_answers_as_connexion_does(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = answers(served(FlaskApp("stock")))
    assert expected[0][2].startswith(b'{\n  "a": "\\u7ea2\\u697c\\u68a6\\ud800",\n  "at": "2026-01-02T03:04:05Z",')
    assert answers(served(with_both_providers(FlaskApp("both")))) == expected
    client = served(with_both_providers(FlaskApp("ours", jsonifier=Jsonifier(flask.json, indent=2, cls=None))))

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise AssertionError("the standard library writes")

    monkeypatch.setattr(json.JSONEncoder, "encode", fail)
    monkeypatch.setattr(json.JSONEncoder, "iterencode", fail)
    assert answers(client) == expected


def test_extension_does_not_take_an_application_of_connexion() -> None:
    app = FlaskApp("stock")
    with pytest.raises(
        TypeError, match="its own JSON provider class FlaskJSONProvider: derive it from SSRJSONProvider"
    ):
        SSRJSON(app.app)
    with pytest.raises(TypeError, match="takes a Flask application, not a FlaskApp"):
        SSRJSON(app)  # type: ignore[arg-type]
