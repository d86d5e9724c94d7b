"""The test clients."""

from __future__ import annotations

import asyncio
import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.test import AsyncClient, Client
from helpers.django_bookshop.urls import views

from ssrjson_web.django import DjangoJSONEncoder, JSONDecoder
from ssrjson_web.django.testing import SSRJSONAsyncClient, SSRJSONClient, SSRJSONClientMixin

DATA = {"名": ["值", datetime.datetime(2024, 1, 1, 1, 1, 1, 5)], "n": 1.5}


def reflect(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.body, content_type=request.content_type)


def test_client_sends_and_reads_what_the_stock_client_does() -> None:
    views["reflect"] = reflect
    for method in ("post", "put", "patch", "delete"):
        ours, theirs = (getattr(client(), method) for client in (SSRJSONClient, Client))
        ours, theirs = (send("/named/reflect", DATA, content_type="application/json") for send in (ours, theirs))
        assert ours.content == theirs.content
        assert ours.json() == theirs.json() == {"名": ["值", "2024-01-01T01:01:01.000"], "n": 1.5}


def test_async_client_sends_and_reads_what_the_stock_client_does() -> None:
    views["reflect"] = reflect

    async def ask(client: Any) -> Any:
        return await client.post("/named/reflect", DATA, content_type="application/json")

    ours, theirs = (asyncio.run(ask(client())) for client in (SSRJSONAsyncClient, AsyncClient))
    assert ours.content == theirs.content
    assert ours.json() == theirs.json()


def test_client_uses_ours_unless_another_is_named() -> None:
    class Own(SSRJSONClientMixin, Client):
        pass

    assert Own().json_encoder is DjangoJSONEncoder
    assert Own(json_encoder=str).json_encoder is str
    views["reflect"] = reflect
    response = SSRJSONClient().post("/named/reflect", {"n": 1.5}, content_type="application/json")
    seen = []

    class Watched(JSONDecoder):
        def decode(self, s: str, *args: Any) -> Any:
            seen.append(s)
            return super().decode(s, *args)

    assert response.json(cls=Watched, parse_float=str) == {"n": "1.5"}
    assert seen == ['{"n": 1.5}']
