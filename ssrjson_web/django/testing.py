"""Test clients whose JSON the core encodes and decodes."""

from __future__ import annotations

from typing import Any

from django.test import AsyncClient, Client

from ssrjson_web.django._decoders import JSONDecoder
from ssrjson_web.django._encoders import DjangoJSONEncoder

__all__ = ["SSRJSONAsyncClient", "SSRJSONClient", "SSRJSONClientMixin"]


class SSRJSONClientMixin:
    """A mixin for a project's own client class, placed before Django's class.

    `json_encoder=` and `response.json(cls=)` override its encoder and decoder.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("json_encoder", DjangoJSONEncoder)
        super().__init__(*args, **kwargs)

    def _parse_json(self, response: Any, **extra: Any) -> Any:
        extra.setdefault("cls", JSONDecoder)
        return super()._parse_json(response, **extra)  # type: ignore[misc]


class SSRJSONClient(SSRJSONClientMixin, Client):
    """Django's `Client`: `client_class = SSRJSONClient` in a test case."""


class SSRJSONAsyncClient(SSRJSONClientMixin, AsyncClient):
    """Django's `AsyncClient`: `async_client_class = SSRJSONAsyncClient` in a test case."""
