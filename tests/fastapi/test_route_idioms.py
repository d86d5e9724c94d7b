"""Classes of routes as public packages write them, and routes that are changed after they are made."""

import copy
from collections.abc import Callable
from typing import Annotated, Any

import pytest

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import APIRouter, Body, Depends, FastAPI, Header, HTTPException, Request
from fastapi.dependencies.utils import get_dependant, get_parameterless_sub_dependant
from fastapi.responses import PlainTextResponse
from fastapi.routing import APIRoute, get_request_handler, request_response
from helpers.fastapi_twins import FASTAPI_VERSION, JSON, Call, answer, assert_twins_answer_alike
from pydantic import BaseModel
from starlette.responses import Response
from starlette.routing import Match

from ssrjson_web._shared.alike import are_alike
from ssrjson_web.fastapi import SSRJSONRoute, route_report, setup
from ssrjson_web.fastapi._dependant import replaced_dependant


class Tag(BaseModel):
    name: str


class OwnHandlerRoute(APIRoute):
    """fastapi-jsonrpc's: another handler, and attributes with names of ours."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.app = request_response(self.handle_http_request)
        self.request_class = Tag

    async def handle_http_request(self, request: Request) -> Response:
        assert self.request_class is Tag
        return PlainTextResponse(f"own {type(request).__name__}", 201)


class SyncHandlerRoute(APIRoute):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.app = request_response(lambda request: PlainTextResponse("sync"))


class AnotherResponseRoute(APIRoute):
    """FastAPI's code for handlers, of other parts."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.app = request_response(get_request_handler(self.dependant, self.body_field, status_code=202))


class AnotherDependantRoute(APIRoute):
    """The handler is built of one dependant, and the schema shows another one."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)

        def shown() -> None: ...

        self.dependant = get_dependant(path=self.path_format, call=shown)


class ChangedDependantRoute(APIRoute):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        call = self.dependant.call

        async def called(**values: Any) -> Any:
            assert call is not None
            return ["called", await call(**values)]

        self.dependant.call = called
        self.app = request_response(self.get_route_handler())


class MiddlewareRoute(APIRoute):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.app = Marking(self.app)


class MiddlewareByPropertyRoute(APIRoute):
    @property
    def app(self) -> Any:
        return Marking(self.__dict__["inner"])

    @app.setter
    def app(self, app: Any) -> None:
        self.__dict__["inner"] = app


class Marking:
    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def mark(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message["headers"], (b"x-own", b"1")]}
            await send(message)

        await self.app(scope, receive, mark)


class RequestClassRoute(APIRoute):
    """A class attribute with a name of ours."""

    request_class = Tag
    encodes_response_models = "é"

    def get_route_handler(self) -> Any:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            response = await handler(request)
            response.headers["x-own"] = f"{self.request_class.__name__} {len(self.encodes_response_models)}"
            return response

        return handle


class OwnHandleRoute(APIRoute):
    async def handle(self, scope: Any, receive: Any, send: Any) -> None:
        await Marking(super().handle)(scope, receive, send)


class OwnMatchesRoute(APIRoute):
    def matches(self, scope: Any) -> Any:
        if dict(scope["headers"]).get(b"x-version", b"1") != b"1":
            return Match.NONE, {}
        return super().matches(scope)


class BoundHandlerRoute(APIRoute):
    def get_route_handler(self) -> Any:
        self.inner = super().get_route_handler()
        return self.marked

    async def marked(self, request: Request) -> Response:
        response = await self.inner(request)
        response.headers["x-own"] = "bound"
        return response


class CallableHandlerRoute(APIRoute):
    class Handler:
        def __init__(self, inner: Any) -> None:
            self.inner, self.seen = inner, {"n": 0}

        async def __call__(self, request: Request) -> Response:
            self.seen["n"] += 1
            response: Response = await self.inner(request)
            response.headers["x-own"] = str(self.seen["n"])
            return response

    def get_route_handler(self) -> Any:
        return self.Handler(super().get_route_handler())


class FailingOnceBuiltRoute(APIRoute):
    def get_route_handler(self) -> Any:
        if "built" in vars(self):
            raise LookupError("built twice")
        self.built = True
        return super().get_route_handler()


IDIOMS: dict[type[APIRoute], bool] = {
    OwnHandlerRoute: False,
    SyncHandlerRoute: False,
    AnotherResponseRoute: False,
    AnotherDependantRoute: False,
    ChangedDependantRoute: True,
    MiddlewareRoute: False,
    MiddlewareByPropertyRoute: False,
    RequestClassRoute: True,
    OwnHandleRoute: True,
    OwnMatchesRoute: True,
    BoundHandlerRoute: True,
    CallableHandlerRoute: True,
    FailingOnceBuiltRoute: False,
}


def add_routes(router: Any) -> Any:
    @router.get("/value")
    async def value() -> Any:
        return {"é": 1}

    @router.get("/model")
    async def model() -> Tag:
        return Tag(name="é")

    @router.post("/body")
    async def body(tag: Tag, request: Request) -> Any:
        return [tag, await request.json()]

    return router


CALLS = [
    *(Call("GET", path) for path in ("/value", "/model", "/value")),
    Call("GET", "/value", headers={"x-version": "2"}),
    Call("POST", "/body", '{"name":"é"}'.encode(), JSON),
    Call("POST", "/body", b'{"name":1}', JSON),
    Call("POST", "/body", b"{", JSON),
]


@pytest.mark.parametrize(("route_class", "is_served"), IDIOMS.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_route_of_a_class_of_its_own_answers_as_stock(route_class: Any, is_served: bool) -> None:
    def build() -> FastAPI:
        app = FastAPI()
        app.router.route_class = route_class
        add_routes(app)
        if route_class is not FailingOnceBuiltRoute or FASTAPI_VERSION < (0, 137):  # stock cannot include these
            app.include_router(add_routes(APIRouter(route_class=route_class)), prefix="/r")
        return app

    calls = [
        *CALLS,
        *(Call(call.method, "/r" + call.path, call.body, call.content_type, call.headers) for call in CALLS),
    ]
    assert_twins_answer_alike(build, [*calls, "/openapi.json"])
    app = build()
    for _ in range(2):
        setup(app)
        route = next(route for route in app.routes if getattr(route, "path", "") == "/value")
        assert isinstance(route, route_class)
        assert isinstance(route, SSRJSONRoute) == is_served
    assert len(route_report(app)) >= 7


def test_attributes_of_the_class_mixed_with_ours_are_not_options_of_ours() -> None:
    class Mixed(RequestClassRoute, SSRJSONRoute):  # type: ignore[misc]
        pass

    class MixedAfter(SSRJSONRoute, OwnHandlerRoute):  # type: ignore[misc]
        pass

    for route_class, expected in ((Mixed, b'{"\xc3\xa9":1}'), (MixedAfter, b"own Request")):
        app = FastAPI()
        app.router.route_class = route_class
        add_routes(app)
        for _ in range(2):
            assert answer(app, "/value").body == expected
            assert route_report(app)[-1].decodes is True
            setup(app, errors=False)


def need_key(key: Annotated[str, Header()] = "") -> None:
    if key != "k":
        raise HTTPException(401, "no key")


def insert_dependency(route: Any) -> None:
    """stac-fastapi's `add_route_dependencies`, titiler's as well."""
    sub = get_parameterless_sub_dependant(depends=Depends(need_key), path=route.path_format)
    route.dependant.dependencies.insert(0, sub)


def replace_dependencies(route: Any) -> None:
    sub = get_parameterless_sub_dependant(depends=Depends(need_key), path=route.path_format)
    route.dependant.dependencies = [sub, *route.dependant.dependencies]


def insert_into_a_dependency(route: Any) -> None:
    insert_dependency(type("Of", (), {"dependant": route.dependant.dependencies[0], "path_format": ""}))


def replace_call(route: Any) -> None:
    async def refuse(**values: Any) -> Any:
        raise HTTPException(401, f"replaced {sorted(values)}")

    route.dependant.call = refuse


def drop_the_body(route: Any) -> None:
    async def names(**values: Any) -> Any:
        return sorted(values)

    route.dependant.body_params = []
    route.dependant.call = names


def rebuild_without_endpoint_arguments(route: Any) -> None:
    """fastapi-pagination's: a dependency more, and the application built again."""
    insert_dependency(route)
    route.app = request_response(route.get_route_handler())


def rebuild_of_another_dependant(route: Any) -> None:
    """stac-fastapi's and titiler's."""

    async def other(tag: Annotated[Tag, Body()], key: Annotated[str, Header()] = "") -> Any:
        return [tag, key]

    route.endpoint = other
    route.dependant = get_dependant(path=route.path_format, call=other)
    route.app = request_response(route.get_route_handler())


CHANGES = (
    insert_dependency,
    replace_dependencies,
    insert_into_a_dependency,
    replace_call,
    drop_the_body,
    rebuild_without_endpoint_arguments,
    rebuild_of_another_dependant,
)


def needed(tag: Tag) -> None: ...


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("when", ["before", "after", "after a request", "after two setups"])
def test_dependencies_of_a_route_changed_at_any_time_count_as_in_stock(change: Any, when: str) -> None:
    def build(is_ours: bool) -> FastAPI:
        app = FastAPI()
        app.router.dependencies = [Depends(needed)]
        add_routes(app)

        @app.post("/pair")
        async def pair(tag: Tag, extra: Tag) -> Tag:
            return tag

        routes = [route for route in app.routes if isinstance(route, APIRoute)]
        if is_ours and when != "before":
            setup(app)
        for call in calls if when == "after a request" else ():
            answer(app, call)
        for route in routes:
            change(route)
        if is_ours and when != "after":
            setup(app)
        return app

    one, two = b'{"name":"a"}', b'{"tag":{"name":"a"},"extra":{"name":"b"}}'
    calls = [
        Call("POST", path, body, JSON, headers)
        for path in ("/body", "/pair")
        for body in (one, two, b'{"tag":{"name":1}}')
        for headers in ({}, {"key": "k"})
    ]
    theirs, ours = build(False), build(True)
    for _ in range(2):
        for call in calls:
            assert answer(ours, call) == answer(theirs, call), call
    if change is insert_dependency:
        assert {answer(ours, call).status for call in calls if not call.headers} <= {401, 422}


@pytest.mark.parametrize("requests", [True, False])
@pytest.mark.parametrize("is_included", [True, False])
def test_a_call_that_is_replaced_between_requests_is_the_one_called(requests: bool, is_included: bool) -> None:
    def build() -> FastAPI:
        app = FastAPI(openapi_url=None)
        router = APIRouter() if is_included else app

        @router.get("/value", response_model=None)
        async def value() -> Any:
            return {"é": 1}

        if is_included:
            app.include_router(router)  # type: ignore[arg-type]
        return app

    def route_of(app: FastAPI) -> Any:
        (route,) = app.routes
        candidates = getattr(route, "effective_candidates", None)  # FastAPI >= 0.137: an included router
        return next(iter(candidates())) if candidates else route

    theirs, ours = build(), build()
    setup(ours, requests=requests)
    assert answer(ours, "/value") == answer(theirs, "/value")
    routes = route_of(theirs), route_of(ours)
    calls = [route.dependant.call for route in routes]
    for route in routes:
        replace_call(route)
    assert answer(ours, "/value") == answer(theirs, "/value")
    assert answer(ours, "/value").status == 401
    for route, call in zip(routes, calls, strict=True):
        route.dependant.call = call
    assert answer(ours, "/value") == answer(theirs, "/value")


def test_parts_are_alike_if_the_same_code_made_them_of_the_same_things() -> None:
    def maker(*held: Any) -> Any:
        def function() -> Any:
            return held

        return function

    class Slotted:
        __slots__ = ("item",)

        def __init__(self, item: Any) -> None:
            self.item = item

    shared, around = object(), []  # type: ignore[var-annotated]
    around.append(around)
    alike = [
        (maker(1, "é", shared), maker(1, "é", shared)),
        (maker(Slotted(shared)), maker(Slotted(shared))),
        (maker({"a": [shared]}), maker({"a": [shared]})),
        (maker(around), maker([[around]][0])),
    ]
    different = [
        (maker(1), maker(2)),
        (maker(1), maker(True)),
        (maker(object()), maker(object())),
        (maker(Slotted(1)), maker(Slotted(2))),
        (maker({"a": 1}), maker({"b": 1})),
        (maker({1}), maker({1})),
        (maker(1), lambda: 1),
        (maker.__call__, maker),
        (type("A", (), {}), type("A", (), {})),
    ]
    assert [are_alike(*pair, {}) for pair in alike] == [True, True, True, True]
    assert [are_alike(*pair, {}) for pair in different] == [False] * len(different)
    one, other = object(), object()
    assert are_alike(maker(one), maker(other), {id(one): other})
    assert not are_alike(maker(other), maker(one), {id(one): other})


@pytest.mark.parametrize("is_ours", ["route_class", "setup"])
def test_deep_copies_of_routes_answer_as_the_routes(is_ours: str) -> None:
    """cadwyn's way to routes for each version: it copies them, changes them, and builds their applications again."""

    def build(is_ours: str) -> FastAPI:
        app = FastAPI()
        if is_ours == "route_class":
            app.router.route_class = SSRJSONRoute
        add_routes(app)
        if is_ours == "setup":
            setup(app)
        for call in CALLS:
            answer(app, call)
        for index, route in enumerate(app.routes):
            if isinstance(route, APIRoute):
                kept = {id(value): value for value in (app, route.dependant, route.body_field)}
                copied: Any = copy.deepcopy(route, kept)
                copied.dependant = copy.copy(route.dependant)
                call = copied.dependant.call

                async def versioned(call: Any = call, **values: Any) -> Any:
                    return await call(**values)

                copied.dependant.call = versioned
                copied.app = request_response(copied.get_route_handler())
                app.routes[index] = copied
        return app

    theirs, ours = build(""), build(is_ours)
    for call in CALLS * 2:
        assert answer(ours, call).messages == answer(theirs, call).messages, call
    assert sum(isinstance(route, SSRJSONRoute) for route in ours.routes) == 3


def test_copies_of_what_a_handler_is_built_of_are_fastapis() -> None:
    route: Any = SSRJSONRoute("/", lambda tag: tag)
    view = replaced_dependant(route.dependant, accepts_bodies=True, wrap_call=lambda call: "wrapped")
    assert isinstance(view, type(route.dependant))
    for copied in (copy.copy(view), copy.deepcopy(view)):
        assert type(copied) is type(route.dependant)
        assert copied.call == ("wrapped" if copied.call == "wrapped" else route.dependant.call)
    view.call = "traced"
    assert (view.call, route.dependant.call) == ("traced", route.endpoint)
    view.path = "/other"
    assert route.dependant.path == "/other"
    assert not hasattr(view, "unknown")
