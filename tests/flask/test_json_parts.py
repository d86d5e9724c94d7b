"""json_parts: the parts of a request's JSON, with the errors of get_json."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("flask", reason="Flask is not installed")

from flask import Flask, request

from ssrjson_web.flask import SSRJSON, json_parts

BODY = '{"user": {"id": 5, "name": "名"}, "items": [{"price": 1, "n": 2}, null]}'
PARTS = {"user": {"id": 5}, "items": [{"price": 1}, None]}
ONLY = ("/user/id", "/items/*/price")


@pytest.fixture(params=[False, True], ids=["stock", "ours"])
def app(request: pytest.FixtureRequest) -> Flask:
    app = Flask(__name__)
    if request.param:
        SSRJSON(app)
    return app


def answer(app: Flask, view: Any, data: Any = BODY, content_type: str = "application/json") -> Any:
    app.add_url_rule("/", view_func=view, methods=["POST"], endpoint="view")
    return app.test_client().post("/", data=data, content_type=content_type)


def test_parts_are_made_and_the_whole_value_is_given_later(app: Flask) -> None:
    def view() -> Any:
        return {"parts": json_parts(request, ONLY), "id": json_parts(request, "/user/id"), "all": request.get_json()}

    got = answer(app, view).get_json()
    assert got["parts"] == PARTS
    assert got["id"] == {"user": {"id": 5}}
    assert got["all"]["user"] == {"id": 5, "name": "名"}


def test_parts_after_the_whole_value(app: Flask) -> None:
    assert answer(app, lambda: [request.get_json()["user"]["id"], json_parts(request, ONLY)]).get_json() == [5, PARTS]


@pytest.mark.parametrize(
    ("data", "content_type"), [("{", "application/json"), (BODY, "text/plain"), ("", "text/plain")]
)
def test_errors_are_those_of_get_json(data: str, content_type: str) -> None:
    answers = []
    for read in (lambda: request.get_json(), lambda: json_parts(request, ONLY)):
        app = Flask(__name__)
        SSRJSON(app)
        found = answer(app, lambda: [read()], data, content_type)  # noqa: B023
        answers.append((found.status_code, found.data))
        silent = Flask(__name__)
        assert answer(silent, lambda: [json_parts(request, ONLY, silent=True)], data, content_type).get_json() == [None]
    assert answers[0] == answers[1]
    assert answers[0][0] in (400, 415)


def test_force_reads_any_content_type(app: Flask) -> None:
    assert answer(app, lambda: json_parts(request, ONLY, force=True), BODY, "text/plain").get_json() == PARTS


def test_wrong_pointers_are_errors_of_the_call(app: Flask) -> None:
    with app.test_request_context(method="POST", data=BODY, content_type="application/json"):
        with pytest.raises(ValueError, match="a JSON Pointer has a"):
            json_parts(request, "user", silent=True)
        with pytest.raises(TypeError, match="a str or an iterable of str"):
            json_parts(request, [1])  # type: ignore[list-item]
