"""route_report of a Starlette application."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")

from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from ssrjson_web.starlette import (
    SSRJSONResponse,
    SSRJSONRoute,
    SSRJSONStreamingResponse,
    SSRJSONWebSocketRoute,
    route_report,
)


def plain(request: Request):  # type: ignore[no-untyped-def]
    return {"title": "x"}


async def html(request: Request) -> HTMLResponse:
    return HTMLResponse("<p>")


async def some_response(request: Request) -> Response:
    return Response()


async def ours(request: Request) -> SSRJSONResponse:
    return SSRJSONResponse({})


async def stream(request: Request) -> SSRJSONStreamingResponse:
    return SSRJSONStreamingResponse([])


async def stock(request: Request) -> JSONResponse:
    return JSONResponse({})


async def socket(websocket):  # type: ignore[no-untyped-def]
    await websocket.accept()


class Books(HTTPEndpoint):
    async def get(self, request: Request) -> dict[str, str]:
        return {}


class Application:
    async def __call__(self, scope, receive, send) -> None:  # type: ignore[no-untyped-def]
        pass


@pytest.mark.parametrize(
    ("route", "encodes", "decodes", "reason"),
    [
        (SSRJSONRoute("/x", plain), True, True, "SSRJSONResponse of plain values"),
        (SSRJSONRoute("/x", Books), True, True, "SSRJSONResponse of plain values"),
        (SSRJSONRoute("/x", ours), True, True, "SSRJSONRoute"),
        (SSRJSONRoute("/x", stream), True, True, "SSRJSONRoute"),
        (SSRJSONRoute("/x", html), False, True, "HTMLResponse, which is sent as it is"),
        (SSRJSONRoute("/x", some_response), None, True, "may be ours or stock's"),
        (SSRJSONRoute("/x", Application()), None, None, "an ASGI application"),
        (Route("/x", plain), None, False, "use SSRJSONRoute"),
        (Route("/x", ours), True, False, "SSRJSONRoute decodes too"),
        (Route("/x", stream), True, False, "SSRJSONStreamingResponse"),
        (Route("/x", html), False, False, "HTMLResponse, which is not ours"),
        (Route("/x", stock), False, False, "names starlette.responses.JSONResponse, which is not ours"),
        (SSRJSONWebSocketRoute("/x", socket), True, True, "SSRJSONWebSocketRoute"),
        (WebSocketRoute("/x", socket), False, False, "use SSRJSONWebSocketRoute"),
    ],
)
def test_report_of_a_route(route: Route, encodes: bool | None, decodes: bool | None, reason: str) -> None:
    (report,) = route_report(Starlette(routes=[route]))
    assert (report.path, report.encodes, report.decodes) == ("/x", encodes, decodes)
    assert reason in report.reason


def test_report_names_methods_and_endpoints() -> None:
    (report,) = route_report(Starlette(routes=[SSRJSONRoute("/x", plain, methods=["POST", "GET"])]))
    assert report.methods == ("GET", "HEAD", "POST")
    assert report.endpoint == f"{__name__}.plain"


def test_report_goes_into_mounts_and_names_what_it_cannot_look_into(tmp_path: str) -> None:
    inner = Starlette(routes=[SSRJSONRoute("/books", plain)])
    routes = [
        Mount("/a", routes=[Mount("/b", app=inner)]),
        Mount("/static", app=StaticFiles(directory=tmp_path)),
        Mount("/other", app=Application()),
    ]
    reports = {route.path: route for route in route_report(Starlette(routes=routes))}
    assert reports["/a/b/books"].encodes is True
    assert (reports["/static/*"].encodes, reports["/static/*"].reason) == (False, "static files")
    assert (reports["/other/*"].encodes, reports["/other/*"].methods) == (None, ())


def test_report_of_something_else_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="route_report takes a Starlette application, not None"):
        route_report(None)  # type: ignore[arg-type]
