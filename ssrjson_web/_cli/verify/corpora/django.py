"""Responses of Django, and signed objects."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.core.signing import JSONSerializer
from django.http import JsonResponse

from ssrjson_web._cli.verify.corpora.values import BODIES, VALUES, Pair
from ssrjson_web.django import SSRJSONResponse, SSRJSONSerializer

__all__ = ["pairs"]


def _answer(response_class: Any, value: Any, **options: Any) -> Any:
    response = response_class(value, safe=False, **options)
    return response.status_code, dict(response.headers), response.content


def pairs() -> Iterator[Pair]:
    """Values that are answered and signed, and texts that are loaded."""
    for value in VALUES:
        for options in ({}, {"json_dumps_params": {"indent": 2, "sort_keys": True}}, {"encoder": DjangoJSONEncoder}):
            given = partial(_answer, value=value, **options)
            yield f"answers {value!r}, {options}", partial(given, JsonResponse), partial(given, SSRJSONResponse)
        yield f"signs {value!r}", partial(JSONSerializer().dumps, value), partial(SSRJSONSerializer().dumps, value)
    for body in BODIES:
        yield f"loads {body!r}", partial(JSONSerializer().loads, body), partial(SSRJSONSerializer().loads, body)
