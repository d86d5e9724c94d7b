"""Functions of Flask's provider that somebody has replaced, or that a newer release has changed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from flask.json import provider as module
from flask.json.provider import DefaultJSONProvider

from ssrjson_web.flask import SSRJSON
from ssrjson_web.flask._report import application_report

VALUE = {"b": "é", "a": dt.datetime(2026, 11, 27)}


def marked(stock: Callable[..., Any]) -> Callable[..., Any]:
    def other(*args: Any, **kwargs: Any) -> Any:
        return stock(*args, **kwargs) if kwargs.pop("plain", False) else ("marked", stock(*args, **kwargs))

    return other


def outcomes(app: Flask) -> list[Any]:
    with app.test_request_context():
        response = app.json.response(VALUE)
        body = response if isinstance(response, tuple) else response.get_data()
        return [app.json.dumps(VALUE), app.json.loads('{"a": 1}'), str(body) if isinstance(body, tuple) else body]


@pytest.mark.parametrize("name", ["dumps", "loads"])
def test_replaced_method_is_called(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stock, ours = Flask("stock"), Flask("ours")
    SSRJSON(ours)
    assert outcomes(ours) == outcomes(stock)
    monkeypatch.setattr(DefaultJSONProvider, name, marked(getattr(DefaultJSONProvider, name)))
    assert outcomes(ours) == outcomes(stock)
    assert "marked" in str(outcomes(ours))
    later = Flask("later")
    SSRJSON(later)
    assert outcomes(later) == outcomes(stock)
    monkeypatch.undo()
    assert outcomes(ours) == outcomes(stock)


def test_replaced_response_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Flask("ours")
    SSRJSON(app)
    monkeypatch.setattr(DefaultJSONProvider, "response", lambda self, *args, **kwargs: ("marked", args))
    assert app.json.response(1) == ("marked", (1,))


def test_default_of_another_code_converts_values(monkeypatch: pytest.MonkeyPatch) -> None:
    app = Flask("ours")
    monkeypatch.setattr(module._default, "__code__", (lambda o: "marked").__code__)
    SSRJSON(app)
    assert app.json.dumps({"set": {1}}) == '{"set": "marked"}'


def test_extension_says_in_one_line_what_is_not_known(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    SSRJSON(Flask(__name__))
    assert caplog.messages == []
    monkeypatch.setattr(DefaultJSONProvider, "loads", lambda self, s: 1)
    SSRJSON(Flask(__name__), mode="fast")
    assert caplog.messages == []
    SSRJSON(Flask(__name__))
    SSRJSON(Flask(__name__))
    (message,) = caplog.messages
    assert "left to stock: flask.json.provider.DefaultJSONProvider.loads (replaced by " in message
    (part,) = application_report(Flask(__name__)).parts[1:]
    assert part.reason.endswith("Left to stock: all JSON of SSRJSONProvider.")
