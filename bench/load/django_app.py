"""The application on Django."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import django
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path

from bench.kit.engines import peer
from bench.load.plan import Setting
from bench.load.shelf import Product, Shelf, receipt

_BODY_BYTES = 4_000_000

urlpatterns: list[Any] = []


def create(setting: Setting, shelf: Shelf) -> Any:
    """Views of plain Django. They call a peer directly; ours is used as response class and middleware."""
    is_ours = setting.engine == "ssrjson_web"
    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1"],
        DATA_UPLOAD_MAX_MEMORY_SIZE=_BODY_BYTES,
        MIDDLEWARE=["ssrjson_web.django.SSRJSONMiddleware"] if is_ours else [],
        ROOT_URLCONF=__name__,
        SECRET_KEY="of the load test",
    )
    django.setup()
    respond, posted = _codec(setting.engine)

    def about(request: HttpRequest) -> HttpResponse:
        return respond(shelf.about())

    def resident(request: HttpRequest, script: str) -> HttpResponse:
        first, count = _span(request)
        return respond({"first": first, "records": shelf.resident(script, first, count)})

    def models(request: HttpRequest, script: str) -> HttpResponse:
        return respond([asdict(Product.of(record)) for record in shelf.resident(script, *_span(request))])

    def transient(request: HttpRequest, script: str) -> HttpResponse:
        first, count = _span(request)
        return respond({"first": first, "records": shelf.fresh(script, first, count)})

    def orders(request: HttpRequest) -> HttpResponse:
        return respond(receipt(posted(request)))

    urlpatterns[:] = [
        path("about", about),
        path("resident/<str:script>", resident),
        path("models/<str:script>", models),
        path("transient/<str:script>", transient),
        path("orders", orders),
    ]
    return get_asgi_application() if setting.interface == "asgi" else get_wsgi_application()


def _codec(engine: str) -> tuple[Callable[[Any], HttpResponse], Callable[[HttpRequest], Any]]:
    """The function that makes a response of a value, and the one that reads a posted value."""
    if engine == "ssrjson_web":
        from ssrjson_web.django import SSRJSONResponse

        return lambda value: SSRJSONResponse(value, safe=False), lambda request: request.json
    library = peer(engine)
    if library is None:
        return lambda value: JsonResponse(value, safe=False), lambda request: json.loads(request.body)
    return (
        lambda value: HttpResponse(library.dumps(value), content_type="application/json"),
        lambda request: library.loads(request.body),
    )


def _span(request: HttpRequest) -> tuple[int, int]:
    return int(request.GET["first"]), int(request.GET["count"])
