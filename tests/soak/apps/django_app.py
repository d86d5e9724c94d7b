"""On Django, with REST framework under /rest and Ninja under /ninja, for WSGI and for ASGI."""

from __future__ import annotations

from typing import Any

import django
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path
from soaked import page, rows, tasks

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATA_UPLOAD_MAX_MEMORY_SIZE=4_000_000,
    INSTALLED_APPS=["rest_framework", "ssrjson_web.django"],
    MIDDLEWARE=["ssrjson_web.django.SSRJSONMiddleware"],
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": [],
        "DEFAULT_RENDERER_CLASSES": ["ssrjson_web.rest_framework.SSRJSONRenderer"],
        "DEFAULT_PARSER_CLASSES": ["ssrjson_web.rest_framework.SSRJSONParser"],
        "UNAUTHENTICATED_USER": None,
    },
    ROOT_URLCONF=__name__,
    SECRET_KEY="of the soak",
    SILENCED_SYSTEM_CHECKS=["ssrjson_web"],
)
django.setup()

from ninja import Body, NinjaAPI  # noqa: E402
from rest_framework.decorators import api_view  # noqa: E402
from rest_framework.response import Response  # noqa: E402

from ssrjson_web.django import SSRJSONLinesResponse, SSRJSONResponse, SSRJSONStreamingResponse  # noqa: E402
from ssrjson_web.ninja import SSRJSONParser, SSRJSONRenderer  # noqa: E402


def show_page(request: HttpRequest) -> HttpResponse:
    return SSRJSONResponse(page())


def echo(request: Any) -> HttpResponse:
    return SSRJSONResponse({"got": request.json})


def stream(request: HttpRequest) -> HttpResponse:
    return SSRJSONStreamingResponse(rows())


def lines(request: HttpRequest) -> HttpResponse:
    return SSRJSONLinesResponse(rows())


async def show_tasks(request: HttpRequest) -> HttpResponse:
    return SSRJSONResponse(tasks())


@api_view(["GET"])
def rest_page(request: Any) -> Response:
    return Response(page())


@api_view(["POST"])
def rest_echo(request: Any) -> Response:
    return Response({"got": request.data})


api = NinjaAPI(renderer=SSRJSONRenderer(), parser=SSRJSONParser(), docs_url=None, openapi_url=None)


@api.get("/page")
def ninja_page(request: HttpRequest) -> Any:
    return page()


@api.post("/echo")
def ninja_echo(request: HttpRequest, got: Body[Any]) -> Any:
    return {"got": got}


urlpatterns = [
    path("page", show_page),
    path("echo", echo),
    path("stream", stream),
    path("lines", lines),
    path("tasks", show_tasks),
    path("rest/page", rest_page),
    path("rest/echo", rest_echo),
    path("ninja/", api.urls),
]
wsgi = get_wsgi_application()
asgi = get_asgi_application()
