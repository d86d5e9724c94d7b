"""settings_report and route_report of a Django project, with REST framework and Ninja where they are installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.urls import include, path
from helpers.processes import run_python

from ssrjson_web.django import PartReport, RouteReport, SSRJSONResponse, route_report, settings_report

EXAMPLE = Path(__file__).parents[2] / "examples" / "django_app"

NEEDS_REST = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("rest_framework", "ninja")),
    reason="Django REST framework and Django Ninja are not both installed",
)


def plain(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def ours(request: HttpRequest) -> SSRJSONResponse:
    return SSRJSONResponse({})


urlpatterns = [path("plain", plain), path("api/", include([path("ours", ours)]))]


def parts() -> dict[str, PartReport]:
    return {part.name: part for part in settings_report()}


def routes() -> dict[str, RouteReport]:
    return {route.path: route for route in route_report()}


def test_report_of_views_knows_what_their_annotations_say() -> None:
    with override_settings(ROOT_URLCONF=__name__):
        found = routes()
    assert (found["/plain"].encodes, found["/plain"].methods) == (None, ())
    assert "SSRJSONResponse" in found["/plain"].reason
    assert (found["/api/ours"].encodes, found["/api/ours"].reason) == (True, "it returns SSRJSONResponse")
    assert found["/api/ours"].endpoint == f"{__name__}.ours"


@pytest.mark.parametrize(
    ("setting", "value", "name"),
    [
        ("INSTALLED_APPS", ["ssrjson_web.django"], "INSTALLED_APPS"),
        ("INSTALLED_APPS", ["ssrjson_web.django.apps.SSRJSONConfig"], "INSTALLED_APPS"),
        ("MIDDLEWARE", ["ssrjson_web.django.SSRJSONMiddleware"], "MIDDLEWARE"),
        ("SESSION_SERIALIZER", "ssrjson_web.django.SSRJSONSerializer", "SESSION_SERIALIZER"),
        (
            "SERIALIZATION_MODULES",
            {"json": "ssrjson_web.django.serializers.json"},
            'SERIALIZATION_MODULES["json"]',
        ),
        (
            "CACHES",
            {
                "default": {
                    "BACKEND": "django.core.cache.backends.redis.RedisCache",
                    "OPTIONS": {"serializer": "ssrjson_web.django.SSRJSONCacheSerializer"},
                }
            },
            'CACHES["default"]',
        ),
    ],
)
def test_report_of_a_setting_that_names_ours(setting: str, value: Any, name: str) -> None:
    with override_settings(**{setting: value}):
        assert parts()[name].is_served is True


def test_report_of_settings_that_name_stock_says_what_to_name() -> None:
    cache = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache"}}
    with override_settings(INSTALLED_APPS=[], CACHES=cache):
        found = parts()
    assert not any(part.is_served for part in found.values())
    assert '"ssrjson_web.django.SSRJSONSerializer"' in found["SESSION_SERIALIZER"].reason
    assert '"ssrjson_web.django.SSRJSONCacheSerializer"' in found['CACHES["default"]'].reason


def test_report_of_json_fields_names_the_model_and_what_is_missing() -> None:
    fields = {name: part for name, part in parts().items() if "." in name and "[" not in name}
    assert fields
    assert {part.is_served for part in fields.values()} <= {True, False}
    assert all("JSONField(encoder=" in part.reason for part in fields.values() if not part.is_served)


REST = """
    import django, sys
    from django.conf import settings
    settings.configure(INSTALLED_APPS=["rest_framework"], ROOT_URLCONF="__main__", REST_FRAMEWORK={rest})
    django.setup()
    from django.urls import path
    from ninja import NinjaAPI
    from rest_framework.response import Response
    from rest_framework.views import APIView
    from rest_framework.decorators import api_view, parser_classes
    from ssrjson_web.django import route_report, settings_report
    from ssrjson_web.ninja import SSRJSONParser, SSRJSONRenderer
    from ssrjson_web.rest_framework import SSRJSONParser as RestParser

    class Books(APIView):
        def get(self, request):
            return Response([])
        def post(self, request):
            return Response([])

    @api_view(["GET"])
    @parser_classes([RestParser])
    def shelf(request):
        return Response([])

    api = NinjaAPI({ninja})

    @api.get("/books")
    def books(request):
        return []

    @api.post("/books")
    async def add(request):
        return []

    urlpatterns = [path("rest", Books.as_view()), path("shelf", shelf), path("ninja/", api.urls)]
    for route in route_report():
        print(route.path, ",".join(route.methods), route.encodes, route.decodes, route.reason, sep="|")
    for part in settings_report():
        print(part.name, part.is_served, sep="|")
"""
OUR_REST = {
    "DEFAULT_RENDERER_CLASSES": ["ssrjson_web.rest_framework.SSRJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["ssrjson_web.rest_framework.SSRJSONParser"],
}


@NEEDS_REST
@pytest.mark.parametrize("is_ours", [True, False])
def test_report_of_rest_framework_and_ninja(is_ours: bool, tmp_path: Path) -> None:
    snippet = REST.format(
        rest=repr(OUR_REST if is_ours else {}),
        ninja="renderer=SSRJSONRenderer(), parser=SSRJSONParser()" if is_ours else "",
    )
    done = run_python(snippet, tmp_path)
    assert done.returncode == 0, done.stderr
    lines = [line.split("|") for line in done.stdout.splitlines()]
    found = {(line[0], line[1]): line[2:] for line in lines if len(line) == 5}
    assert found["/rest", "GET,POST"][:2] == [str(is_ours)] * 2
    assert found["/shelf", "GET"][:2] == [str(is_ours), "True"]
    assert found["/ninja/books", "GET"][:2] == found["/ninja/books", "POST"][:2] == [str(is_ours)] * 2
    assert len([line for line in lines if line[0] == "/ninja/books"]) == 2
    if not is_ours:
        assert "name SSRJSONRenderer" in found["/rest", "GET,POST"][2]
        assert "setup(api) of ssrjson_web.ninja" in found["/ninja/books", "GET"][2]
    assert ['REST_FRAMEWORK["DEFAULT_RENDERER_CLASSES"]', str(is_ours)] in lines


@NEEDS_REST
@pytest.mark.skipif(not EXAMPLE.is_dir(), reason="the examples are not here")
def test_report_of_the_example_by_its_application(tmp_path: Path) -> None:
    snippet = f"""
        import sys
        sys.path.insert(0, {str(EXAMPLE)!r})
        from ssrjson_web._cli.doctor.application import examine_application
        report = examine_application("bookshop")
        print(report.framework, sum(route.is_served for route in report.routes), all(p.is_served for p in report.parts))
    """
    done = run_python(snippet, tmp_path)
    assert done.stdout.splitlines()[-1:] == ["Django 8 True"], done.stderr
