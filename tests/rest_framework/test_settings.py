"""The settings of docs and example in a stock project: pages, forms, uploads and the test client stay."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import Warning
from django.core.checks.registry import registry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.urls import path
from rest_framework import settings as rest_settings
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.test import APIClient
from rest_framework.views import APIView

from ssrjson_web.django._checks import check_project, check_rest_framework_is_whole

ROOT = Path(__file__).parents[2]
PLACES = ("docs/tutorial_rest_framework.md", "docs/rest_framework.md", "examples/django_app/bookshop.py")
OURS = "ssrjson_web.rest_framework."


def settings_in(place: str) -> dict[str, Any]:
    """The lists of classes of REST_FRAMEWORK in the file, as a reader would paste them."""
    text = (ROOT / place).read_text(encoding="utf-8")
    block = re.search(r"^ *REST_FRAMEWORK ?= ?\{.*?^ *\},?$", text, re.DOTALL | re.MULTILINE)
    assert block, place
    lists = re.findall(r'"([A-Z_]+_CLASSES)": (\[.*?\])', block[0], re.DOTALL)
    return {
        key: json.loads(re.sub(r",\s*\]", "]", value))
        for key, value in lists
        if json.loads(re.sub(r",\s*\]", "]", value))
    }


class Echo(APIView):
    def post(self, request: Request) -> Response:
        files = {name: file.read().decode() for name, file in request.FILES.items()}
        return Response({"data": {key: request.data[key] for key in request.data if key not in files}, "files": files})

    def get(self, request: Request) -> Response:
        return Response({"é": 1})


@pytest.fixture
def reload_views() -> Iterator[None]:
    yield
    api_settings.reload()


def view(request: Any) -> Any:
    """The view with the classes of the current settings."""
    attributes = {
        "renderer_classes": api_settings.DEFAULT_RENDERER_CLASSES,
        "parser_classes": api_settings.DEFAULT_PARSER_CLASSES,
        "authentication_classes": (),
    }
    return type("Echo", (Echo,), attributes).as_view()(request)


urlpatterns = [path("echo", view)]


def answers() -> list[tuple[int, str, bytes]]:
    """The outcomes of a stock project's pages, clients and tests."""
    client = Client()

    def upload() -> SimpleUploadedFile:
        return SimpleUploadedFile("a.txt", b"text")

    replies: list[Any] = [
        client.get("/echo"),
        client.get("/echo", HTTP_ACCEPT="text/html,application/xhtml+xml"),
        client.get("/echo", HTTP_ACCEPT="application/json; indent=2"),
        client.get("/echo", HTTP_ACCEPT="image/png"),
        client.get("/echo?format=api"),
        client.get("/echo?format=json"),
        client.post("/echo", {"a": "1", "f": upload()}),
        client.post("/echo", "a=1&b=é", content_type="application/x-www-form-urlencoded"),
        client.post("/echo", {"a": 1}, content_type="application/json"),
        client.post("/echo", "<a/>", content_type="application/xml"),
        client.options("/echo"),
        APIClient().post("/echo", {"a": "1", "f": upload()}),
        APIClient().post("/echo", {"a": "1", "f": upload()}, format="multipart"),
        APIClient().post("/echo", {"a": "é"}, format="json"),
    ]
    return [(reply.status_code, reply["Content-Type"], reply.content) for reply in replies]


def normalised(found: list[tuple[int, str, bytes]]) -> list[tuple[int, str, bytes]]:
    token = re.compile(rb'csrfToken": "\w*|csrfmiddlewaretoken" value="\w*')
    return [(status, kind, token.sub(b"", body)) for status, kind, body in found]


@pytest.fixture(autouse=True)
def urls() -> Iterator[None]:
    with override_settings(ROOT_URLCONF=__name__):
        yield


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.usefixtures("reload_views")
def test_settings_to_paste_leave_a_stock_project_as_it_is(place: str) -> None:
    own = {"UNAUTHENTICATED_USER": None, "DEFAULT_AUTHENTICATION_CLASSES": []}
    with override_settings(REST_FRAMEWORK=own):
        api_settings.reload()
        expected = answers()
    pasted = settings_in(place)
    assert pasted["DEFAULT_RENDERER_CLASSES"][0] == f"{OURS}SSRJSONRenderer"
    assert pasted["DEFAULT_PARSER_CLASSES"][0] == f"{OURS}SSRJSONParser"
    with override_settings(REST_FRAMEWORK={**own, **pasted}):
        api_settings.reload()
        got = answers()
        found = [message for message in check_project() if isinstance(message, Warning)]
    assert normalised(got) == normalised(expected)
    assert [status for status, _, _ in got] == [200, 200, 200, 406, 200, 200, 200, 200, 200, 415, 200, 200, 200, 200]
    assert got[1][1].startswith("text/html")
    assert found == []


@pytest.mark.parametrize("place", PLACES)
def test_settings_to_paste_are_stocks_lists_with_ours_instead(place: str) -> None:
    pasted = settings_in(place)
    assert pasted.keys() <= rest_settings.DEFAULTS.keys()
    for key, classes in pasted.items():
        stock = [name.rpartition(".")[2] for name in rest_settings.DEFAULTS[key]]
        assert [name.rpartition(".")[2].removeprefix("SSR") for name in classes] == stock, key


@pytest.mark.parametrize(
    ("key", "classes"),
    [
        ("DEFAULT_RENDERER_CLASSES", [f"{OURS}SSRJSONRenderer"]),
        ("DEFAULT_PARSER_CLASSES", [f"{OURS}SSRJSONParser"]),
        ("TEST_REQUEST_RENDERER_CLASSES", [f"{OURS}SSRJSONRenderer"]),
    ],
)
@pytest.mark.usefixtures("reload_views")
def test_list_of_ours_alone_is_warned_of_and_can_be_silenced(key: str, classes: list[str]) -> None:
    with override_settings(INSTALLED_APPS=["rest_framework", "ssrjson_web.django"], REST_FRAMEWORK={key: classes}):
        found = [message for message in check_project() if message.id == "ssrjson_web.W004"]
        assert len(found) == (2 if "PARSER" in key else 1)
        for message in found:
            added = re.findall(r'Add "([\w.]+)"', message.hint or "")
            assert added
            assert added[0] in rest_settings.DEFAULTS[key]
            with override_settings(SILENCED_SYSTEM_CHECKS=["ssrjson_web.W004"]):
                assert message.is_silenced()
            assert not message.is_silenced()


@pytest.mark.parametrize("is_of_django", [False, True])
def test_app_of_rest_framework_alone_warns_of_such_a_list_too(is_of_django: bool) -> None:
    installed = ["rest_framework", "ssrjson_web.rest_framework", *["ssrjson_web.django"] * is_of_django]
    lists = {"DEFAULT_RENDERER_CLASSES": [f"{OURS}SSRJSONRenderer"]}
    with override_settings(INSTALLED_APPS=installed, REST_FRAMEWORK=lists):
        assert check_rest_framework_is_whole in registry.get_checks()
        found = [message.id for message in check_rest_framework_is_whole()]
        assert found == ([] if is_of_django else ["ssrjson_web.W004"])  # the check of the project has it there
