"""Views in two versions, stock and ours, at /stock/... and /ours/..."""

from __future__ import annotations

from typing import Any

from django.urls import path
from rest_framework.parsers import JSONParser
from rest_framework.renderers import BrowsableAPIRenderer, JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from helpers.encoder_hook_values import MAKERS
from ssrjson_web.rest_framework import SSRJSONParser, SSRJSONRenderer

PAIRS = {"twin-stock": (JSONRenderer, JSONParser), "twin-ours": (SSRJSONRenderer, SSRJSONParser)}


class View(APIView):
    authentication_classes = ()
    permission_classes = ()

    def get(self, request: Request, name: str) -> Response:
        return Response(MAKERS[name]())

    def post(self, request: Request, name: str) -> Response:
        return Response({"got": repr(request.data), "type": type(request.data).__name__})

    put = post


def view(version: str, **attributes: Any) -> Any:
    renderer, parser = PAIRS[version]
    return View.as_view(renderer_classes=[renderer, BrowsableAPIRenderer], parser_classes=[parser], **attributes)


urlpatterns = [path(f"{version}/<str:name>", view(version)) for version in PAIRS]
