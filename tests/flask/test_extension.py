"""The extension: what it installs, and what it refuses."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from flask import Flask, jsonify, render_template_string
from flask.json.provider import DefaultJSONProvider, JSONProvider

from ssrjson_web.flask import SSRJSON, SSRJSONFastProvider, SSRJSONProvider

VALUE = {"b": "é", "a": datetime.date(2020, 1, 1)}
STOCK = b'{"a":"Wed, 01 Jan 2020 00:00:00 GMT","b":"\\u00e9"}\n'
FAST = '{"b":"é","a":"2020-01-01"}\n'.encode()


def body_of(app: Flask) -> bytes:
    with app.app_context():
        return jsonify(VALUE).data  # type: ignore[no-any-return]


def test_extension_is_stock_byte_for_byte_or_fast() -> None:
    app, fast, later = Flask("a"), Flask("b"), Flask("c")
    SSRJSON(app)
    SSRJSON(fast, mode="fast")
    extension = SSRJSON(mode="fast", sort_keys=True, compact=False)
    extension.init_app(later)
    assert (type(app.json), type(fast.json), type(later.json)) == (
        SSRJSONProvider,
        SSRJSONFastProvider,
        SSRJSONFastProvider,
    )
    assert (body_of(app), body_of(fast)) == (STOCK, FAST)
    assert body_of(later) == '{\n  "a": "2020-01-01",\n  "b": "é"\n}\n'.encode()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"ensure_ascii": False}, '{"a":"Wed, 01 Jan 2020 00:00:00 GMT","b":"é"}\n'),
        ({"sort_keys": False}, '{"b":"\\u00e9","a":"Wed, 01 Jan 2020 00:00:00 GMT"}\n'),
        ({"mode": "fast", "ensure_ascii": True}, '{"b":"\\u00e9","a":"2020-01-01"}\n'),
    ],
)
def test_argument_is_the_providers_attribute(arguments: dict[str, Any], text: str) -> None:
    app = Flask("a")
    SSRJSON(app, **arguments)
    assert body_of(app).decode() == text


def test_max_depth_is_the_providers() -> None:
    app = Flask("a")
    SSRJSON(app, max_depth=2)
    assert app.json.loads("[[1]]") == [[1]]
    with pytest.raises(ValueError, match="Nesting is deeper than max_depth"):
        app.json.loads("[[[1]]]")
    app.json.max_depth = None  # type: ignore[attr-defined]
    assert app.json.loads("[" * 5000 + "]" * 5000)


@pytest.mark.parametrize(
    ("arguments", "error", "what"),
    [
        ({"mode": "quick"}, ValueError, "mode must be one of 'compatible', 'fast', not 'quick'"),
        ({"ensure_ascii": 1}, TypeError, "ensure_ascii must be True, False or None, not 1"),
        ({"sort_keys": "no"}, TypeError, "sort_keys must be"),
        ({"compact": 0}, TypeError, "compact must be"),
        ({"max_depth": 0}, ValueError, "max_depth"),
        ({"max_depth": True}, TypeError, "max_depth must be an int or None"),
        ({"max_depth": "9"}, TypeError, "max_depth must be an int or None"),
        ({"indent": 2}, TypeError, "indent"),
    ],
)
def test_argument_that_is_wrong_is_named_at_once(arguments: dict[str, Any], error: Any, what: str) -> None:
    app = Flask("a")
    before = app.json
    with pytest.raises(error, match=what):
        SSRJSON(app, **arguments)
    assert app.json is before


def test_attributes_that_were_set_before_are_kept() -> None:
    app = Flask("a")
    stock: Any = app.json
    stock.sort_keys = False
    stock.mimetype = "application/x"
    stock.default = lambda o: "own"
    SSRJSON(app)
    with app.app_context():
        response = jsonify(VALUE)
    assert (response.data, response.mimetype) == (b'{"b":"\\u00e9","a":"own"}\n', "application/x")
    SSRJSON(app, mode="fast", sort_keys=True)
    assert body_of(app) == '{"a":"2020-01-01","b":"é"}\n'.encode()


def test_provider_class_of_an_application_is_kept_where_it_derives_from_ours() -> None:
    class Own(SSRJSONFastProvider):
        sort_keys = True

    class OwnFlask(Flask):
        json_provider_class = Own

    for mode in ("compatible", "fast"):
        app = OwnFlask("a")
        provider = app.json
        SSRJSON(app, mode=mode, ensure_ascii=True)  # type: ignore[arg-type]
        assert app.json is provider
        assert body_of(app) == b'{"a":"2020-01-01","b":"\\u00e9"}\n'


@pytest.mark.parametrize("base", [DefaultJSONProvider, JSONProvider, SSRJSONProvider])
def test_provider_class_of_anothers_is_not_replaced(base: Any) -> None:
    class Own(base):  # type: ignore[misc]
        pass

    app = Flask("a")
    app.json = provider = Own(app)
    with pytest.raises(TypeError, match="its own JSON provider class Own: derive it from SSRJSONFastProvider"):
        SSRJSON(app, mode="fast")
    assert app.json is provider


@pytest.mark.parametrize("is_early", [True, False])
def test_templates_are_written_by_the_provider_whenever_it_came(is_early: bool) -> None:
    app = Flask("a")
    if is_early:
        assert app.jinja_env
    SSRJSON(app, mode="fast", ensure_ascii=True)
    with app.test_request_context():
        text = render_template_string("{{ value|tojson }} {{ value|tojson(indent=1) }}", value={"é": VALUE["a"]})
    # tojson escapes, and wants str
    assert text == '{"\\u00e9": "2020-01-01"} {\n "\\u00e9": "2020-01-01"\n}'
    assert app.jinja_env.policies["json.dumps_function"] == app.json.dumps


def test_templates_that_write_json_their_own_way_keep_it() -> None:
    app = Flask("a")
    app.jinja_env.policies["json.dumps_function"] = own = lambda value, **kwargs: "own"
    SSRJSON(app)
    assert app.jinja_env.policies["json.dumps_function"] is own


def test_extension_serves_many_applications_and_may_come_twice() -> None:
    extension = SSRJSON(ensure_ascii=False)
    apps = [Flask("a"), Flask("b")]
    for app in apps * 2:
        extension.init_app(app)
    assert {body_of(app) for app in apps} == {'{"a":"Wed, 01 Jan 2020 00:00:00 GMT","b":"é"}\n'.encode()}
    assert apps[0].json is not apps[1].json
