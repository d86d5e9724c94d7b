"""SSRJSON(app, compare=...): Flask's provider and ours do the same work; what differs is named and not served."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("flask", reason="Flask is not installed")

from flask import Flask, request

from ssrjson_web._compare import comparison
from ssrjson_web._compare.record import RECORD
from ssrjson_web.flask import SSRJSON, SSRJSONProvider
from ssrjson_web.flask import _compare as compare_module

SERVES = pytest.mark.parametrize("serve", ["stock", "core"])
VALUE = {"b": [1, 2.5, None, "Jos\u00e9"], "a": datetime.date(2026, 1, 2)}


@pytest.fixture(autouse=True)
def fresh_record() -> Iterator[None]:
    RECORD.reset_after_fork()
    yield
    RECORD.reset_after_fork()


def shop() -> Flask:
    app = Flask(__name__)
    app.get("/value")(lambda: VALUE)
    app.post("/echo", endpoint="echo")(lambda: {"got": request.get_json()})
    return app


def client_of(app: Flask, **options: Any) -> Any:
    SSRJSON(app, **{"compare": 1.0, **options})
    return app.test_client()


def numbers(route: str) -> tuple[int, int]:
    found = RECORD.figures()["routes"].get(route, {"compared": 0, "differ": 0})
    return found["compared"], found["differ"]


def raising(error: Exception) -> Any:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


@SERVES
@pytest.mark.parametrize("attributes", [{}, {"sort_keys": False}, {"compact": False}, {"ensure_ascii": False}])
def test_answers_and_bodies_that_are_alike_do_not_differ(serve: str, attributes: dict[str, Any]) -> None:
    ours, stock = shop(), shop()
    client, plain = client_of(ours, serve=serve), stock.test_client()
    for name, value in attributes.items():
        setattr(ours.json, name, value)
        setattr(stock.json, name, value)
    assert client.get("/value").data == plain.get("/value").data
    for body in (b'{"a": "\xc3\xa9"}', b"[1.5, NaN]", b"{", b"\xff", b""):
        answers = [one.post("/echo", data=body, content_type="application/json") for one in (client, plain)]
        assert answers[0].data == answers[1].data
        assert answers[0].status_code == answers[1].status_code
    figures = RECORD.figures()
    assert (figures["left_out"], figures["differences"]) == ({}, [])
    assert numbers("GET /value") == (1, 0)
    assert numbers("POST /echo") == (7, 0)  # five bodies and two answers


@SERVES
def test_another_byte_of_an_answer_is_found_and_not_served(
    serve: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    right = shop().test_client().get("/value").data
    writer = SSRJSONProvider._writer

    def other(self: Any) -> Any:
        made = writer(self)
        return made._replace(encode_line=lambda value: made.encode_line(value).replace(b"Jos", b"XXX"))

    monkeypatch.setattr(SSRJSONProvider, "_writer", other)
    assert client_of(shop(), serve=serve).get("/value").data == (
        right if serve == "stock" else right.replace(b"Jos", b"XXX")
    )
    (difference,) = RECORD.figures()["differences"]
    assert (difference["route"], difference["part"]) == ("GET /value", "answer")
    assert difference["place"].endswith(", .b[3]")
    assert "Jos" not in str(difference) + caplog.text


@SERVES
def test_another_value_of_a_body_is_found_and_not_served(serve: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SSRJSONProvider, "loads", lambda self, s, **_: {"a": 2})
    answer = client_of(shop(), serve=serve).post("/echo", json={"a": 1})
    assert answer.data == b'{"got":{"a":%d}}\n' % (1 if serve == "stock" else 2)
    assert [(one["part"], one["place"]) for one in RECORD.figures()["differences"]] == [("value of the body", ".a")]


def test_exception_of_the_core_is_found_and_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("loads", "response"):
        monkeypatch.setattr(SSRJSONProvider, name, raising(TypeError("secret 7")))
    client = client_of(shop())
    assert client.post("/echo", json={"a": 1}).json == {"got": {"a": 1}}
    assert [one["core"] for one in RECORD.figures()["differences"]] == ["TypeError: xxxxxx 9"] * 2


def test_fault_of_the_comparison_itself_harms_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    comparison.tell_of_fault.cache_clear()
    monkeypatch.setattr(compare_module, "once_only", raising(RuntimeError("of the comparison")))
    assert client_of(shop()).post("/echo", json={"a": 1}).json == {"got": {"a": 1}}
    assert "could not be compared; the request was answered as usual" in caplog.text


class Markup:
    def __init__(self, called: list[str]) -> None:
        self.called = called

    def __html__(self) -> str:
        self.called.append("html")
        return "<p>"


@SERVES
def test_code_of_a_value_runs_once_and_its_answer_is_left_out(serve: str) -> None:
    app, called = Flask(__name__), []  # type: ignore[var-annotated]
    app.get("/")(lambda: {"a": Markup(called)})
    assert client_of(app, serve=serve).get("/").json == {"a": "<p>"}
    assert called == ["html"]
    assert RECORD.figures()["left_out"]["GET /"] == f"code of {__name__}.Markup may run twice"


@SERVES
def test_default_of_the_application_runs_once(serve: str) -> None:
    app, called = Flask(__name__), []  # type: ignore[var-annotated]
    app.get("/")(lambda: {"a": object()})
    client = client_of(app, serve=serve)
    app.json.default = lambda value: called.append("default") or "x"  # type: ignore[attr-defined, func-returns-value]
    assert client.get("/").json == {"a": "x"}
    assert called == ["default"]
    assert "`default` of the provider would run twice" in RECORD.figures()["left_out"]["GET /"]


def test_json_without_a_request_is_not_compared_and_is_the_served_ones() -> None:
    app = shop()
    SSRJSON(app, compare=1.0)
    with app.app_context():
        assert app.json.dumps(VALUE) == shop().json.dumps(VALUE)
        assert app.json.loads("[1]") == [1]
    assert RECORD.figures()["routes"] == {}


def test_wrong_combinations_are_errors() -> None:
    with pytest.raises(ValueError, match="compare needs mode='compatible'"):
        SSRJSON(shop(), compare=0.1, mode="fast")
    with pytest.raises(ValueError, match="max_depth is the core's: with compare it needs serve='core'"):
        SSRJSON(shop(), compare=0.1, max_depth=9)
    app = shop()
    app.json = type("Own", (SSRJSONProvider,), {})(app)
    with pytest.raises(TypeError, match="compare needs Flask's own JSON provider class, not Own"):
        SSRJSON(app, compare=0.1)


def test_with_0_the_provider_is_the_usual_one_again() -> None:
    app = shop()
    SSRJSON(app, compare=0.5)
    assert isinstance(app.json, compare_module._ComparingProvider)
    SSRJSON(app)
    assert type(app.json) is SSRJSONProvider


def test_quart_compares_likewise() -> None:
    quart = pytest.importorskip("quart", reason="Quart is not installed")
    import asyncio

    from ssrjson_web.quart import SSRJSON as QuartExtension

    app = quart.Quart(__name__)

    @app.post("/echo")
    async def echo() -> Any:
        return {"got": await quart.request.get_json()}

    QuartExtension(app, compare=1.0)

    async def ask() -> Any:
        return await (await app.test_client().post("/echo", json={"a": "é"})).get_json()

    assert asyncio.run(ask()) == {"got": {"a": "é"}}
    assert RECORD.figures()["differences"] == []
    assert numbers("POST /echo") == (2, 0)
