"""The function that connects an API to the core."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ninja import NinjaAPI
from ninja.operation import AsyncOperation, Operation
from ninja.parser import Parser
from ninja.renderers import JSONRenderer

from ssrjson_web._known.unknown import tell_of_unknown
from ssrjson_web._shared.application import wrong_application
from ssrjson_web._shared.switch import leaves_all_to_stock
from ssrjson_web.ninja._bodies import with_made_bodies
from ssrjson_web.ninja._parsing import SSRJSONParser
from ssrjson_web.ninja._rendering import SSRJSONRenderer
from ssrjson_web.ninja._responses import with_dumped_responses
from ssrjson_web.ninja._streams import encode_stream

__all__ = ["setup"]


def setup(api: NinjaAPI) -> None:
    """Make the core render and parse an API's JSON, and take the place of validation that would change nothing.

    Streams (`JSONL`, `SSE`) are written by the core, too. Call it once, before or after operations are added.
    `SSRJSONRenderer` and `SSRJSONParser` replace Ninja's own classes; a renderer or parser of yours stays. Raises
    TypeError for an object that is not a NinjaAPI.
    """
    if not isinstance(api, NinjaAPI):
        raise wrong_application("setup", "Ninja", NinjaAPI, api)
    if leaves_all_to_stock():
        return
    if type(api.renderer) is JSONRenderer:
        api.renderer = SSRJSONRenderer()
    if type(api.parser) is Parser:
        api.parser = SSRJSONParser()
    if not isinstance(api._get_urls, _AdoptingURLs):
        api._get_urls = _AdoptingURLs(api)  # type: ignore[method-assign]
    _adopt_operations(api)
    tell_of_unknown("ninja", "django.core.serializers", "pydantic")


class _AdoptingURLs:
    """Replaces `_get_urls` of an API: with its URLs it has all its operations."""

    def __init__(self, api: NinjaAPI) -> None:
        self._api = api
        self._get_urls = api._get_urls

    def __call__(self) -> Any:
        urls = self._get_urls()
        _adopt_operations(self._api)
        return urls


def _adopt_operations(api: Any) -> None:
    for operation in _operations(api):
        if type(operation) in (Operation, AsyncOperation) and operation.api is api:
            operation.models = with_made_bodies(operation.models)
            if getattr(operation, "stream_format", None):
                encode_stream(operation)
            else:
                operation.response_models = with_dumped_responses(operation)


def _operations(api: Any) -> Iterator[Any]:
    """The operations that are bound to an API. Newer versions of Ninja make copies for its URLs."""
    if hasattr(api, "_get_bound_routers"):
        routers = getattr(api, "_bound_routers_cache", None) or []
    else:
        routers = [router for _, router in api._routers]
    for router in routers:
        for path_view in router.path_operations.values():
            yield from path_view.operations
