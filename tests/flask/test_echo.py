"""Every value that a client may send, echoed, kept in a session, put into a page and streamed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from flask import Flask, jsonify, render_template_string, request, session
from helpers.client_bodies import BODIES, SURROGATES, Answer, assert_as_stock_or_better, assert_echoed, failures

from ssrjson_web._shared.streaming import escape_line_ends
from ssrjson_web.flask import SSRJSON, output_json, stream_array, stream_lines

WAYS: dict[str, dict[str, Any]] = {
    "compatible": {},
    "compatible in UTF-8": {"ensure_ascii": False},
    "compatible, unsorted": {"sort_keys": False},
    "fast": {"mode": "fast"},
    "fast, sorted": {"mode": "fast", "sort_keys": True},
    "fast, indented": {"mode": "fast", "compact": False},
    "compatible, indented, in UTF-8": {"ensure_ascii": False, "compact": False},
}


def build(options: dict[str, Any] | None) -> Flask:
    app = Flask("echo")
    app.secret_key = "of the test"
    if options is not None:
        SSRJSON(app, **options)

    @app.post("/jsonify")
    def echo() -> Any:
        return jsonify(request.get_json())

    @app.post("/returned")
    def returned() -> Any:
        return {"got": request.json}

    @app.post("/default")
    def by_default() -> Any:
        app.json.default = lambda o: {"own": list(o)}  # type: ignore[attr-defined]
        return jsonify([request.json, (n for n in range(2))])

    @app.post("/kept")
    def keep() -> Any:
        session["kept"] = request.get_json()
        return {}

    @app.get("/kept")
    def kept() -> Any:
        return jsonify(session["kept"])

    @app.post("/page")
    def page() -> Any:
        return render_template_string("{{ value|tojson }}", value=request.get_json())

    @app.post("/array")
    def array() -> Any:
        return stream_array([request.get_json()])

    @app.post("/lines")
    def lines() -> Any:
        return stream_lines([request.get_json()])

    @app.post("/representation")
    def representation() -> Any:
        return output_json(request.get_json(), 200)

    return app


def answer(app: Flask, path: str, body: bytes) -> Answer:
    reply = app.test_client().post(path, data=body, content_type="application/json")
    return Answer(reply.status_code, reply.content_type, reply.data)


stock_app = build(None)
STOCK = {name: answer(stock_app, "/jsonify", body) for name, body in BODIES.items()}


@pytest.mark.parametrize("way", WAYS)
def test_view_echoes_as_stock_or_better(way: str) -> None:
    app = build(WAYS[way])
    for path in ("/jsonify", "/representation"):
        for name, body in BODIES.items():
            got = answer(app, path, body)
            if WAYS[way] in ({}, {"ensure_ascii": False}):
                assert_as_stock_or_better(name, STOCK[name], got, is_same_layout=not WAYS[way])
            else:
                assert got.status == 200, (name, got)
                if WAYS[way].get("sort_keys") or "compatible" in way:
                    assert json.loads(got.body.decode()) == json.loads(body) or "NaN" in got.body.decode()
                else:
                    assert_echoed(name, got.body)
    assert failures(STOCK.items()) <= {name for name in BODIES if name.startswith("nested")}


@pytest.mark.parametrize("way", WAYS)
def test_dict_that_a_view_returns_echoes_every_value(way: str) -> None:
    app = build(WAYS[way])
    for body in SURROGATES.values():
        got = answer(app, "/returned", body)
        assert (got.status, json.loads(got.body.decode())) == (200, {"got": json.loads(body)})


@pytest.mark.parametrize("way", WAYS)
def test_default_of_ones_own_is_asked_once_beside_a_surrogate(way: str) -> None:
    app = build(WAYS[way])
    got = answer(app, "/default", b'"\\ud800"')  # a second pass would find the generator empty
    assert (got.status, json.loads(got.body.decode())) == (200, ["\ud800", {"own": [0, 1]}])


def test_stock_itself_fails_on_surrogates_in_utf8_only() -> None:
    app = build(None)
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    assert failures((name, answer(app, "/jsonify", body)) for name, body in SURROGATES.items()) == SURROGATES.keys()


@pytest.mark.parametrize("way", WAYS)
def test_session_keeps_what_stock_keeps(way: str) -> None:
    app = build(WAYS[way])
    for name, body in BODIES.items():
        if len(body) > 3000:
            continue  # too large for a cookie
        theirs, ours = stock_app.test_client(), app.test_client()
        replies = [client.post("/kept", data=body, content_type="application/json") for client in (theirs, ours)]
        if replies[0].status_code == 200:
            assert replies[1].status_code == 200, name
            assert sorted_repr(ours.get("/kept").data) == sorted_repr(theirs.get("/kept").data), name


@pytest.mark.parametrize("way", WAYS)
def test_pages_and_streams_take_every_value(way: str) -> None:
    app = build(WAYS[way])
    for name, body in BODIES.items():
        page = answer(app, "/page", body)
        assert page.status == 200, name
        assert name.startswith("nested") or sorted_repr(page.body) == sorted_repr(body), name
        array, line = answer(app, "/array", body), answer(app, "/lines", body)
        assert (array.status, line.status) == (200, 200), name
        assert escape_line_ends(array.body[1:-1]) + b"\n" == line.body, name
        assert name.startswith("nested") or sorted_repr(line.body) == sorted_repr(body), name


def sorted_repr(text: bytes) -> str:
    """The value of JSON text, to compare texts that differ in the order of keys only."""
    return json.dumps(json.loads(text.decode()), sort_keys=True)


@pytest.mark.parametrize("mode", ["compatible", "fast"])
def test_debug_mode_echoes_and_refuses_as_stock(mode: Any) -> None:
    theirs, ours = build(None), build({"mode": mode})
    theirs.debug = ours.debug = True
    for name, body in {**BODIES, "none": b'"\\ud800', "too long": b"1" * 4301}.items():
        expected, got = answer(theirs, "/jsonify", body), answer(ours, "/jsonify", body)
        if expected.status == 200:
            assert (got.status, sorted_repr(got.body)) == (200, sorted_repr(expected.body)), name
        elif not expected.is_failure:
            assert got == expected, name
        else:
            assert got.status == 200, name
