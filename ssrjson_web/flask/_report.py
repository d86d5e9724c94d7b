"""Which routes of a Flask or Quart application the core serves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask.json.provider import DefaultJSONProvider
from flask.sansio.app import App
from werkzeug.sansio.response import Response

from ssrjson_web._known.unknown import unknown_parts
from ssrjson_web._shared.application import wrong_application
from ssrjson_web._shared.endpoint_results import results_of
from ssrjson_web._shared.names import class_name_of, name_of
from ssrjson_web._shared.route_report import ApplicationReport, PartReport, RouteReport, sorted_methods
from ssrjson_web.flask._provider import SSRJSONFastProvider, SSRJSONProvider
from ssrjson_web.flask._representations import output_json

__all__ = ["application_report", "route_report"]

_REST_PACKAGES = {"flask_restful": "flask-restful", "flask_restx": "flask-restx"}
_OUR_METHODS = {
    name: {getattr(cls, name) for cls in (SSRJSONProvider, SSRJSONFastProvider)} for name in ("dumps", "loads")
}


def route_report(app: App) -> tuple[RouteReport, ...]:
    """The routes of a Flask or Quart application, in order: whether the core serves each, and why.

    No view is called and nothing is changed. Raises TypeError for what is no application of Flask or Quart.
    """
    return application_report(app).routes


def application_report(app: App) -> ApplicationReport:
    """The routes and the application's JSON provider. Raises TypeError as `route_report` does."""
    if not isinstance(app, App):
        raise wrong_application("route_report", "Flask", App, app)
    provider = _provider_part(app)
    framework = "Quart" if any(base.__module__ == "quart.app" for base in type(app).__mro__) else "Flask"
    return ApplicationReport(
        framework=framework, parts=(provider, *unknown_parts()), routes=tuple(_routes(app, provider))
    )


def _provider_part(app: App) -> PartReport:
    provider: Any = app.json
    name = class_name_of(type(provider))
    if isinstance(provider, SSRJSONProvider):
        overridden = [method for method in _OUR_METHODS if not _is_our_method(provider, method)]
        if overridden:
            reason = f"its provider {name} has its own {' and '.join(overridden)}"
            return PartReport(name="JSON provider", is_served="dumps" not in overridden, reason=reason)
        return PartReport(name="JSON provider", is_served=True, reason=name)
    if type(provider) is DefaultJSONProvider:
        reason = "Flask's DefaultJSONProvider: SSRJSON(app) was not called"
    else:
        reason = f"its provider is {name}: derive that from SSRJSONProvider"
    return PartReport(name="JSON provider", is_served=False, reason=reason)


def _is_our_method(provider: object, name: str) -> bool:
    return getattr(getattr(provider, name, None), "__func__", None) in _OUR_METHODS[name]


def _routes(app: App, provider: PartReport) -> Iterator[RouteReport]:
    decodes = _is_our_method(app.json, "loads")
    encodes: bool | None
    for rule in app.url_map.iter_rules():
        view = app.view_functions.get(rule.endpoint)
        if rule.endpoint.rpartition(".")[2] == "static":
            encodes, reason = False, "static files"
        elif (package := _rest_package(view)) is not None:
            encodes, reason = _rest_encoding(view, package, provider)
        elif provider.is_served:
            encodes, reason = _of_view(getattr(view, "view_class", view))
        else:
            encodes, reason = False, provider.reason
        yield RouteReport(
            path=rule.rule,
            methods=sorted_methods(rule.methods),
            endpoint=name_of(getattr(view, "view_class", view)) if view is not None else rule.endpoint,
            encodes=encodes,
            decodes=decodes and reason != "static files",
            reason=reason,
        )


def _of_view(view: Any) -> tuple[bool | None, str]:
    """What a view of an application with our provider returns."""
    results = results_of(view, Response)
    if results.is_str:
        return False, "it returns a str, which is a page of HTML"
    if results.annotated and results.is_annotated_whole:
        names = " or ".join(map(class_name_of, results.annotated))
        return None, f"it returns {names}: the core encodes what jsonify makes"
    others = results.names(lambda named: True)
    if others:
        return None, f"jsonify and returned dicts and lists are encoded by the core, but not {others}, which it names"
    return True, "jsonify and returned dicts and lists are encoded by the core"


def _rest_package(view: Any) -> str | None:
    """flask-restful or flask-restx where the view is a resource of theirs."""
    bases = getattr(getattr(view, "view_class", None), "__mro__", ())
    packages = (_REST_PACKAGES.get(base.__module__.partition(".")[0]) for base in bases)
    return next(filter(None, packages), None)


def _rest_encoding(view: Any, package: str, provider: PartReport) -> tuple[bool, str]:
    """Resources are written by the representation that their `Api` has for JSON, which only a closure leads to."""
    for cell in getattr(view, "__closure__", None) or ():
        representations = getattr(cell.cell_contents, "representations", None)
        if representations and representations.get("application/json") is output_json:
            return provider.is_served, f"{package} with output_json; {provider.reason}"
    return False, f'{package} calls json.dumps by itself: api.representation("application/json")(output_json)'
