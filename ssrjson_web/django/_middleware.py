"""The middleware that adds `request.json`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.utils.functional import cached_property

from ssrjson_web._shared.change_of_class import of_class
from ssrjson_web._shared.kept_by_class import kept_by_class
from ssrjson_web.django._requests import parse_json

__all__ = ["SSRJSONMiddleware"]


class SSRJSONMiddleware:
    """Gives each request an attribute `json`: the value of `parse_json`, which is computed on the first access.

    An error is not kept; the next access raises it again. It works in sync and async projects.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        """The response, or an awaitable of it for an async `get_response`."""
        cls: Any = type(request)
        return self.get_response(of_class(request, _with_json(cls)))


@kept_by_class(64)
def _with_json(cls: type) -> type:
    """A subclass of a request class with a lazy `json` and the same name."""
    if isinstance(cls.__dict__.get("json"), _LazyJSON):
        return cls
    return type(cls.__name__, (cls,), {"__module__": cls.__module__, "json": _LazyJSON(parse_json)})


class _LazyJSON(cached_property):  # Django's, because functools' has one lock for all requests before Python 3.12
    """Marks the classes that this module made."""
