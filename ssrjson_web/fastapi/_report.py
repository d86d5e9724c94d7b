"""Which routes of a FastAPI application the core serves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.datastructures import DefaultPlaceholder
from fastapi.exceptions import RequestValidationError
from fastapi.params import Form
from fastapi.routing import APIRoute, APIWebSocketRoute
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Host, Mount, Route

from ssrjson_web._known.unknown import unknown_functions, unknown_parts
from ssrjson_web._models.adapter import AdapterEncoder, models_obstacle
from ssrjson_web._models.pydantic.late_types import complete
from ssrjson_web._models.pydantic.shared_readings import sharing_readings
from ssrjson_web._shared.application import applications_within, wrong_application
from ssrjson_web._shared.endpoint_results import Results, results_of
from ssrjson_web._shared.names import class_name_of, name_of
from ssrjson_web._shared.route_report import (
    ApplicationReport,
    PartReport,
    RouteReport,
    ValidationCount,
    sorted_methods,
    validation_count,
)
from ssrjson_web.fastapi._endpoint import is_generator_endpoint
from ssrjson_web.fastapi._field import expected_of, has_adapter, named_options
from ssrjson_web.fastapi._route import (
    SSRJSONRoute,
    comparison_of,
    encodes_response_models_of,
    encoding_fields,
    request_class_of,
    validation_counters,
)
from ssrjson_web.fastapi._seams import are_seams_stock
from ssrjson_web.starlette import SSRJSONRequest, SSRJSONResponse
from ssrjson_web.starlette._report import is_our_response, walk_routes
from ssrjson_web.starlette._routes import place_of, routes_of

__all__ = ["application_report", "is_set_up", "report_of_ours", "route_report", "validation_counts"]

_NOT_SET_UP = "setup(app) was not called"


def route_report(app: FastAPI) -> tuple[RouteReport, ...]:
    """The routes of a FastAPI application, in order: whether the core serves each, and why.

    Included routers and mounted applications are included. No endpoint is called and nothing is changed; types that
    pydantic builds at their first use are built. Raises TypeError for what is no FastAPI application.
    """
    return application_report(app).routes


def application_report(app: FastAPI) -> ApplicationReport:
    """The routes, and what `setup` replaces besides. Raises TypeError as `route_report` does."""
    if not isinstance(app, FastAPI):
        raise wrong_application("route_report", "FastAPI", FastAPI, app)
    with sharing_readings():
        routes = tuple(walk_routes(routes_of(app.router), special=_Walk(is_set_up=is_set_up(app))))
    return ApplicationReport(framework="FastAPI", parts=(*_error_parts(app), *unknown_parts()), routes=routes)


def is_set_up(app: FastAPI) -> bool:
    """Whether `setup` was called for an application."""
    route_class = getattr(app.router, "route_class", None)  # the router may have been replaced
    return isinstance(route_class, type) and issubclass(route_class, SSRJSONRoute)


def _error_parts(app: FastAPI) -> Iterator[PartReport]:
    for error, name in ((HTTPException, "HTTPException"), (RequestValidationError, "RequestValidationError")):
        handler = app.exception_handlers.get(error)
        module = getattr(handler, "__module__", "")
        is_served = module == "ssrjson_web.fastapi._errors"
        if is_served:
            reason = "answered by the core"
        elif module == "fastapi.exception_handlers":
            reason = "setup(app) was called with errors=False" if is_set_up(app) else _NOT_SET_UP
        else:
            reason = "the application has a handler of its own"
        yield PartReport(name=f"responses to {name}", is_served=is_served, reason=reason)


def _mounted_application(mount: Mount | Host) -> FastAPI | None:
    mounted = applications_within(getattr(mount, "_base_app", mount.app))
    return next((app for app in mounted if isinstance(app, FastAPI)), None)


class _Walk:
    """Reports FastAPI's kinds of routes; Starlette's are left to its own report."""

    def __init__(self, *, is_set_up: bool) -> None:
        self._is_set_up = is_set_up

    def __call__(self, route: Any, prefix: str) -> Iterator[RouteReport] | None:
        candidates = getattr(route, "effective_candidates", None)  # FastAPI >= 0.137: an included router
        if candidates is not None:
            return walk_routes(candidates(), prefix, self)
        original = getattr(route, "original_route", route)  # a route as its inclusion makes it
        if isinstance(original, APIRoute):
            return iter((self._api_route(original, route, prefix),))
        if original is not route and getattr(route, "starlette_route", None) is not None:
            return walk_routes((route.starlette_route,), prefix, self)
        mounted = _mounted_application(original) if isinstance(original, (Mount, Host)) else None
        if mounted is not None:
            return walk_routes(
                routes_of(mounted.router), place_of(original, prefix), _Walk(is_set_up=is_set_up(mounted))
            )
        if isinstance(original, APIWebSocketRoute):
            return iter((_row(original, prefix, False, False, "a WebSocket: setup(app) does not change these"),))
        if isinstance(original, Route):
            return iter((self._other_route(original, prefix),))
        return None

    def _api_route(self, route: APIRoute, state: Any, prefix: str) -> RouteReport:
        """`state` is the route, or what its inclusion makes of it."""
        if not isinstance(route, SSRJSONRoute):
            encodes, name = _own_response(state)
            reason = self._reason_of_stock(route)
            if name:
                reason += f", but it {'answers' if encodes else 'may answer'} with {name}"
            return _row(state, prefix, encodes, False, reason)
        return report_of_ours(route, state, prefix)

    def _reason_of_stock(self, route: APIRoute) -> str:
        if not self._is_set_up:
            return _NOT_SET_UP
        if type(route) is not APIRoute:
            name = class_name_of(type(route))
            return f"its class {name} builds its handler without that of APIRoute, or its app was replaced"
        return "its `app` was replaced, or a router class of your own added it after setup(app): call setup(app) again"

    def _other_route(self, route: Route, prefix: str) -> RouteReport:
        endpoint: Any = route.endpoint
        module, name = getattr(endpoint, "__module__", ""), getattr(endpoint, "__qualname__", "")
        if module == "ssrjson_web.fastapi._openapi":
            return _row(route, prefix, True, False, "the schema is encoded once and served from bytes")
        if module == FastAPI.__module__:
            if not name.endswith("<locals>.openapi"):
                return _row(route, prefix, False, False, "an HTML page of FastAPI's documentation")
            reason = "setup(app) was called with openapi=False, or the route's `app` was replaced"
            return _row(route, prefix, False, False, reason if self._is_set_up else _NOT_SET_UP)
        (report,) = walk_routes((route,), prefix)
        return report


def report_of_ours(route: SSRJSONRoute, state: Any, prefix: str) -> RouteReport:
    """The report on a route of our class. `state` is the route, or what its inclusion makes of it."""
    comparison = comparison_of(type(route))
    if comparison is not None and not comparison.serves_core:
        reason = "setup(app, compare=...) sends FastAPI's answers: serve='core' the core's"
        return _row(state, prefix, False, False, reason)
    request_class = request_class_of(type(route))
    decodes = request_class is not None and issubclass(request_class, SSRJSONRequest)
    encodes, reason = _encoding(route, state)
    if decodes:
        reason += "".join(
            f"; its body `{name}` is validated by pydantic because of {obstacle}"
            for name, obstacle in _obstacles_to_bodies(state.dependant)
        )
    else:
        reason += "; requests are decoded by FastAPI (requests=False)"
    return _row(state, prefix, encodes, decodes, reason)


def validation_counts(state: Any) -> tuple[ValidationCount | None, ValidationCount | None]:
    """The counts of a route, or of its inclusion: of answers and of bodies; None where there are none yet."""
    answers, bodies = validation_counters(state)
    return validation_count(answers), validation_count(bodies)


def _row(route: Any, prefix: str, encodes: bool | None, decodes: bool | None, reason: str) -> RouteReport:
    answers, bodies = validation_counts(route)
    return RouteReport(
        path=prefix + route.path,
        methods=sorted_methods(getattr(route, "methods", None)),
        endpoint=name_of(route.endpoint),
        encodes=encodes,
        decodes=decodes,
        reason=reason,
        answers=answers,
        bodies=bodies,
    )


def _response_class(state: Any) -> type[Response]:
    response_class: Any = state.response_class
    return response_class.value if isinstance(response_class, DefaultPlaceholder) else response_class  # type: ignore[no-any-return]


def _own_response(state: Any) -> tuple[bool | None, str]:
    """Whether a route of FastAPI answers with a class of ours, by itself or by the annotation of its endpoint."""
    results = results_of(state.endpoint, Response)
    classes = results.annotated if results.is_annotated_whole else (_response_class(state),)
    if not all(map(is_our_response, classes)):
        ours = "" if results.is_annotated_whole else results.names(is_our_response)
        return (None if ours else False), ours
    field = getattr(state, "secure_cloned_response_field", None) or state.response_field
    has_others = bool(results.annotated) or (field is None and results.names(_is_others) != "")
    is_only_ours = results.is_annotated_whole or not has_others
    return (True if is_only_ours else None), class_name_of(classes[0])


def _encoding(route: SSRJSONRoute, state: Any) -> tuple[bool | None, str]:
    """Whether the core encodes the responses of a route of ours, and why."""
    if is_generator_endpoint(state.dependant):
        if has_adapter(getattr(state, "stream_item_field", None)) and encodes_response_models_of(type(route)):
            return True, "its endpoint yields typed items, which the core encodes"
        return False, "its endpoint yields items without a type, which FastAPI encodes: annotate what it yields"
    results = results_of(state.endpoint, Response)
    if results.annotated:
        return _of_annotation(results)
    response_class = _response_class(state)
    is_plain = response_class in (JSONResponse, SSRJSONResponse)
    if not is_plain and not is_our_response(response_class):
        return False, f"its response class is {class_name_of(response_class)}"
    field = getattr(state, "secure_cloned_response_field", None) or state.response_field
    if field is None and (others := results.names(_is_others)):
        # an endpoint with a response model names a class for its errors
        return None, f"what its endpoint returns is encoded by the core, but not a response of {others}, which it names"
    if not is_plain:
        return True, f"its response class is {class_name_of(response_class)}"
    if not are_seams_stock():
        unknown = ", ".join(f"{one.name} ({one.reason})" for one in unknown_functions("fastapi", "starlette", "json"))
        names = unknown or "such as jsonable_encoder or json.dumps"
        return False, f"a function that FastAPI encodes with was replaced, or is of no known release: {names}"
    if field is None:
        return True, "what its endpoint returns is encoded by the core"
    if not encodes_response_models_of(type(route)):
        return False, "its response model is encoded by pydantic (response_models=False)"
    if not has_adapter(field):
        return False, "its response model is one of pydantic 1, which serializes itself"
    of_field = _known_of(state, field)
    if of_field.obstacle:
        but = "; instances of its models are not validated, all else is" if of_field.takes_instances else ", and"
        reason = f"its response model is encoded by the core{but} validated by pydantic because of"
        return True, f"{reason} {of_field.obstacle}"
    return True, "its response model is encoded by the core, and validated by it or by pydantic"


def _is_others(named: Any) -> bool:
    """Whether a response of what an endpoint names is sent as it is: a bare `Response` may hold bytes of the core."""
    return named is not Response and not (isinstance(named, type) and is_our_response(named))


def _of_annotation(results: Results) -> tuple[bool | None, str]:
    """Of an endpoint whose annotation names classes of responses, which are sent as they are."""
    names = " or ".join(map(class_name_of, results.annotated))
    if all(map(is_our_response, results.annotated)) and results.is_annotated_whole:
        return True, f"its endpoint returns {names}"
    if not results.is_annotated_whole:
        return None, f"its endpoint returns a value, which the core encodes, or {names}, which is sent as it is"
    if any(issubclass(SSRJSONResponse, one) or is_our_response(one) for one in results.annotated):
        return None, f"its endpoint returns {names}, which may be ours or stock's"
    return False, f"its endpoint returns {names}, which is sent as it is"


def _obstacles_to_bodies(dependant: Any) -> Iterator[tuple[str, str]]:
    """The fields of JSON bodies that the core makes no value of, and why."""
    for field in dependant.body_params:
        is_json = has_adapter(field) and not isinstance(field.field_info, Form)
        if is_json:
            complete(field._type_adapter)
        obstacle = models_obstacle(field._type_adapter) if is_json else ""
        if obstacle:
            yield field.name, obstacle
    for one in dependant.dependencies:
        yield from _obstacles_to_bodies(one)


def _known_of(state: Any, field: Any) -> Any:
    """What has the `obstacle` to answers of the declared types, empty if there is none; and `takes_instances`."""
    for encoding_field in encoding_fields(state):
        if encoding_field.obstacle is not None:  # known since the first answer
            return encoding_field
    complete(field._type_adapter)
    expected = expected_of(state)
    options = {} if expected is None else named_options(expected.options)
    return AdapterEncoder(field._type_adapter, **options, like_dump_json=True)
