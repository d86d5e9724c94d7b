"""Applications with our provider and with the stock one: the same exchanges, byte for byte."""

from __future__ import annotations

import datetime
import decimal
import json
import uuid
from collections.abc import Callable
from typing import Any

import flask
import pytest
from flask import Flask, flash, get_flashed_messages, jsonify, render_template_string, request, session
from markupsafe import Markup

from ssrjson_web.flask import SSRJSON

VALUE = {
    "名": [1, 2.5, None, {"z": datetime.datetime(2026, 1, 2, 3, 4, 5), "a": decimal.Decimal("1.10")}],
    "id": uuid.UUID(int=7),
    "html": Markup("<b>é</b></script>"),
    "n": {10: "ten", 9: "nine"},
}


def made(*, with_ours: bool, **config: Any) -> Flask:
    app = Flask("application")
    app.secret_key = "of the tests"
    app.config.update(config)
    if with_ours:
        SSRJSON(app)

    @app.get("/jsonify")
    def by_jsonify() -> Any:
        return jsonify(VALUE)

    @app.get("/keywords")
    def by_keywords() -> Any:
        return jsonify(b=1, a=VALUE)

    @app.get("/dict")
    def by_dict() -> Any:
        return VALUE, 201, {"X-A": "b"}

    @app.get("/list")
    def by_list() -> Any:
        return [VALUE, []]

    @app.post("/echo")
    def echo() -> Any:
        return jsonify(got=request.get_json())

    @app.post("/silent")
    def silent() -> Any:
        return jsonify(got=request.get_json(force=True, silent=True))

    @app.post("/remember")
    def remember() -> Any:
        session.update(request.get_json())
        session["tuple"] = (1, datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc), uuid.UUID(int=3))
        session["bytes"], session["html"] = b"\xff\0", Markup("<i>é</i>")
        flash("héé", "warning")
        return ""

    @app.get("/remembered")
    def remembered() -> Any:
        return {**session, "bytes": session["bytes"].hex(), "flashed": get_flashed_messages(with_categories=True)}

    @app.get("/page")
    def page() -> str:
        return render_template_string("<script>let v = {{ v|tojson }}, w = {{ v|tojson(2) }}</script>", v=VALUE)

    @app.get("/wrong")
    def wrong() -> Any:
        return {"a": {1, 2}}

    return app


@pytest.fixture(params=[{}, {"DEBUG": True}, {"TESTING": True}], ids=repr)
def clients(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    """Test clients of an application with ours and of one without."""
    return made(with_ours=True, **request.param).test_client(), made(with_ours=False, **request.param).test_client()


def exchange(call: Callable[[], Any]) -> Any:
    """The parts of a reply that a client sees, or the error that the test client raised."""
    try:
        reply = call()
    except Exception as error:
        return type(error), str(error)
    return reply.status, reply.headers.to_wsgi_list(), reply.data


@pytest.mark.parametrize("path", ["/jsonify", "/keywords", "/dict", "/list", "/page", "/wrong"])
def test_answer_is_stocks_byte_for_byte(clients: tuple[Any, Any], path: str) -> None:
    ours, stock = clients
    assert exchange(lambda: ours.get(path)) == exchange(lambda: stock.get(path))


BODIES = [
    *(b"", b"{", b"[1,]", b'{"a":1}x', b"\xff", b'"\xe9"', b"nul", b'{"a":NaN}', b"-Infinity", b'{"a":1,"a":2}'),
    *(
        b"\xef\xbb\xbf[1]",
        '["é"]'.encode("utf-16"),
        b'"\\ud800"',
        b'"a\nb"',
        b"1" * 5000,
        b"[" * 500 + b"]" * 500,
    ),
    json.dumps(VALUE, default=str).encode(),
    '{"名":"値"}'.encode(),
]
TYPES = ["application/json", "application/vnd.api+json; charset=utf-8", "text/plain", None]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: repr(body[:20]))
def test_body_is_read_or_refused_as_stock_does(clients: tuple[Any, Any], body: bytes) -> None:
    ours, stock = clients
    for content_type in TYPES:
        for path in ("/echo", "/silent"):
            expected = exchange(lambda: stock.post(path, data=body, content_type=content_type))  # noqa: B023
            assert exchange(lambda: ours.post(path, data=body, content_type=content_type)) == expected  # noqa: B023


def test_wrong_type_is_415_and_malformed_json_400() -> None:
    client = made(with_ours=True).test_client()
    assert client.post("/echo", data=b"{}", content_type="text/plain").status_code == 415
    assert client.post("/echo", data=b"{", content_type="application/json").status_code == 400


@pytest.mark.parametrize("body", [b"[" * 1001 + b"]" * 1001, b"[" * 100_000, b'{"a":' * 50_000, b"[" * 999 + b","])
def test_deep_nesting_is_400_where_stock_breaks(body: bytes) -> None:
    client = made(with_ours=True).test_client()
    assert client.post("/echo", data=body, content_type="application/json").status_code == 400
    assert client.post("/silent", data=body).get_json() == {"got": None}
    assert client.post("/echo", data=b"[" * 1000 + b"]" * 1000, content_type="application/json").status_code == 200


def test_session_is_remembered_by_either_for_the_other(clients: tuple[Any, Any]) -> None:
    body = {"名": "値", "list": [1, {"a": None}], " t": "tag"}
    cookies = []
    for client in clients:
        reply = client.post("/remember", json=body)
        assert reply.status_code == 200
        cookies.append(client.get_cookie("session").value)
    payloads = [cookie.rpartition(".")[0].rpartition(".")[0] for cookie in cookies]  # but for time and signature
    assert payloads[0] == payloads[1]
    answers = []
    for client, cookie in zip(clients, reversed(cookies), strict=True):
        client.set_cookie("session", cookie)
        answers.append(client.get("/remembered").data)
    assert answers[0] == answers[1]
    assert json.loads(answers[0])["flashed"] == [["warning", "héé"]]
    assert json.loads(answers[0])["html"] == "<i>é</i>"


def test_session_that_was_meddled_with_is_empty() -> None:
    client = made(with_ours=True).test_client()
    client.set_cookie("session", "eyJhIjoxfQ.wrong.wrong")
    with client.session_transaction() as known:
        assert dict(known) == {}


def test_test_client_writes_and_reads_json_by_the_provider() -> None:
    app = made(with_ours=True)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    seen: list[bytes] = []

    @app.post("/seen")
    def see() -> Any:
        seen.append(request.get_data())
        return jsonify("é")

    reply = app.test_client().post("/seen", json={"b": decimal.Decimal("1.5"), "a": "é"})
    assert seen == [b'{"b": "1.5", "a": "\\u00e9"}']
    assert reply.json == reply.get_json() == "é"


def test_functions_of_flask_json_are_the_providers() -> None:
    app = made(with_ours=True)
    with app.app_context():
        assert flask.json.dumps({"b": datetime.date(2020, 1, 1), "a": "é"}) == (
            '{"a": "\\u00e9", "b": "Wed, 01 Jan 2020 00:00:00 GMT"}'
        )
        assert flask.json.loads(b'{"a":[1.5]}') == {"a": [1.5]}
        assert flask.json.loads('{"a":1.5}', parse_float=decimal.Decimal) == {"a": decimal.Decimal("1.5")}
        for wrong in (None, 5, ["a"]):
            with pytest.raises(TypeError, match="the JSON object must be str, bytes or bytearray"):
                flask.json.loads(wrong)  # type: ignore[arg-type]


def test_decoding_error_is_one_that_handlers_of_stdlibs_catch() -> None:
    app = made(with_ours=True)
    for text in ("{", "[1,]", "", '"\n"', "nul"):
        with pytest.raises(json.JSONDecodeError) as ours:
            app.json.loads(text)
        with pytest.raises(json.JSONDecodeError) as stock:
            json.loads(text)
        assert (str(ours.value), ours.value.pos, ours.value.doc) == (str(stock.value), stock.value.pos, text)
