"""The extension: what it installs, and what it refuses."""

from __future__ import annotations

import datetime
import sys
from typing import Any

import pytest
from flask import Flask, jsonify, render_template_string
from flask.json.provider import DefaultJSONProvider, JSONProvider

from ssrjson_web.flask import SSRJSON, SSRJSONFastProvider, SSRJSONProvider

try:
    from quart import Quart

    import ssrjson_web.quart
except ImportError:
    APPLICATIONS: tuple[Any, ...] = (Flask,)
else:
    assert ssrjson_web.quart
    APPLICATIONS = (Flask, Quart)

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
    assert (type(app.json), type(fast.json)) == (SSRJSONProvider, SSRJSONFastProvider)
    assert isinstance(later.json, SSRJSONFastProvider)
    assert type(later.json).__name__ == "SSRJSONFastProvider"
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


def derive_provider(app: Any) -> None:
    """What Flask-Security does when it is given an application, and flask-mongoengine."""

    def derived(superclass: Any) -> Any:
        class Derived(superclass):  # type: ignore[misc]
            @staticmethod
            def default(obj: Any) -> Any:
                return "lazy" if obj is Lazy else super(Derived, Derived).default(obj)

        return Derived

    app.json_provider_class = derived(app.json_provider_class)
    app.json = app.json_provider_class(app)


class Lazy:
    pass


DERIVED_OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"mode": "fast"},
    {"ensure_ascii": False, "sort_keys": False, "compact": False, "max_depth": 3},
    {"mode": "fast", "ensure_ascii": True, "sort_keys": True},
)


@pytest.mark.parametrize("options", DERIVED_OPTIONS)
@pytest.mark.parametrize("application_class", APPLICATIONS)
def test_provider_that_an_extension_derives_is_ours_with_our_options(application_class: Any, options: Any) -> None:
    extension: Any = SSRJSON if application_class is Flask else sys.modules["ssrjson_web.quart"].SSRJSON
    app = application_class("a")
    extension(app, **options)
    expected = app.json.dumps(VALUE), vars(type(app.json))
    assert app.json_provider_class is type(app.json)
    for _ in range(2):
        derive_provider(app)
        assert isinstance(app.json, SSRJSONFastProvider if options.get("mode") == "fast" else SSRJSONProvider)
        assert app.json.dumps(VALUE) == expected[0]
        assert app.json.dumps([Lazy]) == '["lazy"]'
        assert app.json.max_depth == options.get("max_depth", 1000)
        assert app.json.compact == options.get("compact")
    extension(app, **options)
    assert app.json.dumps([Lazy]) == '["lazy"]'
    derive_provider(app)
    assert app.json.dumps(VALUE) == expected[0]


@pytest.mark.parametrize("application_class", APPLICATIONS)
def test_derived_provider_writes_the_bytes_of_flask(application_class: Any) -> None:
    bodies = []
    extension: Any = SSRJSON if application_class is Flask else sys.modules["ssrjson_web.quart"].SSRJSON
    for is_ours in (False, True):
        app = application_class("a")
        if is_ours:
            extension(app)
        derive_provider(app)
        bodies.append([app.json.dumps({**VALUE, "c": [Lazy]}), app.json.loads("[1]")])
    assert bodies[0] == bodies[1]


def test_provider_derived_before_the_extension_is_refused_with_what_to_do() -> None:
    app = Flask("a")
    derive_provider(app)
    before = app.json, app.json_provider_class
    with pytest.raises(TypeError, match=r"Derived: derive it .*, or call SSRJSON\(app\) before the extension"):
        SSRJSON(app)
    assert (app.json, app.json_provider_class) == before


def test_class_of_an_application_is_derived_from_with_the_options() -> None:
    class Own(SSRJSONProvider):
        sort_keys = False

    class OwnFlask(Flask):
        json_provider_class = Own

    app = OwnFlask("a")
    SSRJSON(app, ensure_ascii=False)
    assert issubclass(app.json_provider_class, Own)
    assert OwnFlask.json_provider_class is Own
    derive_provider(app)
    assert isinstance(app.json, Own)
    assert (app.json.ensure_ascii, app.json.sort_keys) == (False, False)

    plain = OwnFlask("b")
    SSRJSON(plain)
    assert plain.json_provider_class is Own


def test_options_are_kept_by_a_second_call_and_by_another_mode() -> None:
    app = Flask("a")
    SSRJSON(app, ensure_ascii=False, max_depth=7)
    app.json.sort_keys = False  # type: ignore[attr-defined]
    SSRJSON(app, mode="fast", sort_keys=True)
    provider: Any = app.json
    assert isinstance(provider, SSRJSONFastProvider)
    assert (provider.ensure_ascii, provider.max_depth, provider.sort_keys) == (False, 7, True)
    app.json_provider_class.compact = False  # type: ignore[attr-defined]
    assert provider.compact is False
    assert SSRJSONFastProvider.compact is None
    assert Flask.json_provider_class is DefaultJSONProvider


def test_class_that_the_application_named_and_does_not_use_stays() -> None:
    class Own(DefaultJSONProvider):
        pass

    app = Flask("a")
    app.json_provider_class = Own
    SSRJSON(app)
    assert isinstance(app.json, SSRJSONProvider)
    assert app.json_provider_class is Own

    other = Flask("b")
    other.json = type("Ours", (SSRJSONProvider,), {})(other)
    SSRJSON(other, sort_keys=False)
    derive_provider(other)
    assert other.json.sort_keys is False  # type: ignore[attr-defined]
