"""Views that the tests ask; a test puts in `views` what it wants to be answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import path

from ssrjson_web.django import SSRJSONResponse, parse_json

views: dict[str, Callable[[HttpRequest], Any]] = {}


def named(request: HttpRequest, name: str) -> HttpResponse:
    return views[name](request)


async def named_async(request: HttpRequest, name: str) -> HttpResponse:
    answer = views[name](request)
    return answer if isinstance(answer, HttpResponse) or not hasattr(answer, "__await__") else await answer


def echo(request: HttpRequest) -> HttpResponse:
    return SSRJSONResponse({"got": parse_json(request)})


def lazy_echo(request: HttpRequest) -> HttpResponse:
    return SSRJSONResponse({"got": request.json, "again": request.json})


async def lazy_echo_async(request: HttpRequest) -> HttpResponse:
    return SSRJSONResponse({"got": request.json, "again": request.json})


urlpatterns = [
    path("named/<name>", named),
    path("named_async/<name>", named_async),
    path("echo", echo),
    path("lazy_echo", lazy_echo),
    path("lazy_echo_async", lazy_echo_async),
]
