"""route_report of applications of Flask and Quart."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask, Response, render_template, request
from flask.json.provider import DefaultJSONProvider

from ssrjson_web.flask import SSRJSON, SSRJSONProvider, output_json, route_report
from ssrjson_web.flask._report import application_report
from ssrjson_web.monitor import record


def shop() -> Flask:
    app = Flask(__name__)

    @app.post("/books")
    def books() -> Any:
        return request.get_json()

    return app


class Own(DefaultJSONProvider):
    pass


class OwnDumps(SSRJSONProvider):
    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return "{}"


def test_report_of_a_route_is_what_a_request_does() -> None:
    for mode in (None, "compatible", "fast"):
        app = shop()
        if mode is not None:
            SSRJSON(app, mode=mode)  # type: ignore[arg-type]
        books = next(route for route in route_report(app) if route.path == "/books")
        with record() as recorder:
            assert app.test_client().post("/books", data='{"a":1}', content_type="application/json").status_code == 200
        assert (books.encodes, books.decodes) == (recorder.encodes > 0, recorder.decodes > 0)
        assert books.endpoint == f"{__name__}.shop.<locals>.books"
        assert books.methods == ("OPTIONS", "POST")
        assert ("SSRJSON(app) was not called" in books.reason) is (mode is None)


def test_report_of_static_files_is_no_json() -> None:
    app = shop()
    SSRJSON(app)
    static = next(route for route in route_report(app) if route.path.startswith("/static"))
    assert (static.encodes, static.decodes, static.reason) == (False, False, "static files")


@pytest.mark.parametrize(
    ("provider", "encodes", "reason"),
    [
        (Own, False, f"its provider is {__name__}.Own: derive that from SSRJSONProvider"),
        (OwnDumps, False, f"its provider {__name__}.OwnDumps has its own dumps"),
        (SSRJSONProvider, True, "SSRJSONProvider"),
    ],
)
def test_report_names_the_provider(provider: Any, encodes: bool, reason: str) -> None:
    app = shop()
    app.json = provider(app)
    report = application_report(app)
    assert [(part.name, part.is_served, part.reason) for part in report.parts] == [("JSON provider", encodes, reason)]
    assert next(route for route in report.routes if route.path == "/books").encodes is encodes


@pytest.mark.parametrize("name", ["flask_restful", "flask_restx"])
@pytest.mark.parametrize("is_plugged_in", [True, False])
def test_report_of_a_rest_resource_asks_for_its_representation(name: str, is_plugged_in: bool) -> None:
    package = pytest.importorskip(name)
    app = shop()
    SSRJSON(app)
    api = package.Api(app)
    if is_plugged_in:
        api.representation("application/json")(output_json)

    class Shelf(package.Resource):  # type: ignore[misc,name-defined]
        def get(self) -> Any:
            return {"title": "x"}

    api.add_resource(Shelf, "/rest")
    route = next(route for route in route_report(app) if route.path == "/rest")
    with record() as recorder:
        assert app.test_client().get("/rest").status_code == 200
    assert route.encodes is (recorder.encodes > 0) is is_plugged_in
    assert ("output_json" in route.reason) is True


def test_report_of_quart() -> None:
    quart = pytest.importorskip("quart")
    from ssrjson_web import quart as ours

    app = quart.Quart(__name__)

    @app.get("/books")
    async def books() -> Any:
        return {}

    assert not any(route.encodes for route in ours.route_report(app))
    ours.SSRJSON(app)
    report = application_report(app)
    assert report.framework == "Quart"
    assert {route.path: route.encodes for route in report.routes}["/books"] is True


def test_report_of_something_else_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="route_report takes a Flask application, not an object"):
        route_report(object())  # type: ignore[arg-type]


def page() -> str:
    return ""


def some_response() -> Response:
    return Response()


def template() -> Any:
    return render_template("x.html")


def data() -> Any:
    return {"a": 1}


@pytest.mark.parametrize(
    ("view", "encodes", "reason"),
    [
        (page, False, "a str, which is a page of HTML"),
        (some_response, None, "flask.wrappers.Response"),
        (template, None, "not render_template, which it names"),
        (data, True, "encoded by the core"),
    ],
)
def test_view_that_returns_a_page_is_not_called_served(view: Any, encodes: bool | None, reason: str) -> None:
    app = Flask(__name__, static_folder=None)
    SSRJSON(app)
    app.add_url_rule("/", view_func=view)
    (report,) = route_report(app)
    assert report.encodes is encodes
    assert reason in report.reason
