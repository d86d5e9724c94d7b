"""Requests whose bodies are parsed, and whose answers are rendered, by REST framework and by the core."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from io import BytesIO
from typing import Any

from django.utils.functional import Promise
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

from ssrjson_web._compare.comparison import Comparison, tell_of_fault
from ssrjson_web._compare.values import look_at_unknown, once_only
from ssrjson_web._shared.names import class_name_of
from ssrjson_web.rest_framework._parsing import SSRJSONParser
from ssrjson_web.rest_framework._rendering import SSRJSONRenderer

__all__ = ["compare_with_stock", "look_at_data"]

_OURS: dict[type, tuple[str, Callable[..., Any]]] = {
    SSRJSONRenderer: ("render", SSRJSONRenderer.render),
    SSRJSONParser: ("parse", SSRJSONParser.parse),
}


def compare_with_stock(comparison: Comparison | None) -> None:
    """Let our classes compare their work with that of the classes that they derive from; with None, take that back."""
    for cls, make in ((SSRJSONRenderer, _render_by), (SSRJSONParser, _parse_by)):
        name, ours = _OURS[cls]
        setattr(cls, name, ours if comparison is None else functools.wraps(ours)(make(comparison, ours)))


def _render_by(comparison: Comparison, ours: Callable[..., bytes]) -> Callable[..., bytes]:
    def render(self: Any, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        ways = tuple(
            functools.partial(way, self, data, accepted_media_type, renderer_context)
            for way in (JSONRenderer.render, ours)
        )
        return _sent(comparison, "answer", renderer_context, ways, lambda: _reason_not_to_render(self, data))  # type: ignore[no-any-return]

    return render


def _parse_by(comparison: Comparison, ours: Callable[..., Any]) -> Callable[..., Any]:
    def parse(self: Any, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        read = _read_once(stream)
        ways = tuple(
            functools.partial(lambda way: way(self, read(), media_type, parser_context), way)
            for way in (JSONParser.parse, ours)
        )
        return _sent(comparison, "value of the body", parser_context, ways, lambda: _own_case(self))

    return parse


def _sent(
    comparison: Comparison,
    part: str,
    context: Mapping[str, Any] | None,
    ways: tuple[Callable[[], Any], ...],
    reason_not_to: Callable[[], str],
) -> Any:
    """What one of the ways returns or raises, of which stock's is the first one; both are taken in a trial."""
    route = _route_of(context)
    trial = comparison.begin(route)
    serves_core, reason = comparison.serves_core, ""
    try:
        reason = reason_not_to()
        if reason and trial is not None:
            trial.leave_out(reason)
    except Exception:
        reason = "a fault"
        tell_of_fault(route)
    if trial is None or reason:
        return ways[serves_core or reason == _CASE]()
    sent = trial.compare(part, stock=ways[0], core=ways[1])[serves_core]
    trial.end()
    return sent.given()


_CASE = "its keys are in another case, or it writes NaN as null, which stock does not"


def _own_case(one: Any) -> str:
    return _CASE if one.key_case is not None or getattr(one, "nan", None) is not None else ""


def _reason_not_to_render(renderer: Any, data: Any) -> str:
    if _own_case(renderer):
        return _CASE
    if renderer.encoder_class is not JSONEncoder:
        return f"{class_name_of(renderer.encoder_class)}, its encoder class, would run twice"
    return once_only(data, look_at_data)


def look_at_data(value: Any) -> tuple[str, Iterable[Any]]:
    """A `Look` (`_compare/values.py`) at what is in data."""
    if isinstance(value, Promise):  # a text of Django's that is translated when it is written
        return "", ()
    return look_at_unknown(value)


def _route_of(context: Mapping[str, Any] | None) -> str:
    """The method and the path's pattern of the request of a context: `POST api/orders/`."""
    request = (context or {}).get("request")
    match = getattr(request, "resolver_match", None)
    place = getattr(match, "route", None) or "without a route"
    return f"{getattr(request, 'method', None) or 'DATA'} {place}"


def _read_once(stream: Any) -> Callable[[], Any]:
    """A function that gives the contents of a stream each time, or the error of reading it."""
    try:
        contents = stream.read()
    except Exception as error:
        return functools.partial(_Unreadable, error)
    return functools.partial(BytesIO, contents)


class _Unreadable:
    """A stream that raises what another one has raised."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def read(self, *_: Any) -> Any:
        raise self._error
