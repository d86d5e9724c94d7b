"""Requests that know their JSON."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
from django.utils.functional import cached_property

from ssrjson_web.django._requests import parse_json

__all__ = ["SSRJSONMiddleware"]


class SSRJSONMiddleware:
    """Gives each request a `json`: what `parse_json` makes of it, when it is first asked for.

    Of an error nothing is kept: the next time it is raised again. For sync and async projects.
    """

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Any]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Any:
        """The response, or for an async `get_response` an awaitable of it."""
        cls: Any = type(request)
        request.__class__ = _with_json(cls)
        return self.get_response(request)


@functools.lru_cache(maxsize=64)
def _with_json(cls: type) -> type:
    """A class of requests with a lazy `json`, of the same name."""
    if isinstance(cls.__dict__.get("json"), _LazyJSON):
        return cls
    return type(cls.__name__, (cls,), {"__module__": cls.__module__, "json": _LazyJSON(parse_json)})


class _LazyJSON(cached_property):  # Django's: functools' makes requests wait for each other up to Python 3.11
    """Marks the classes that were made here."""
