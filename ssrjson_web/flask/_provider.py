"""Providers of an application's JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from flask.json.provider import DefaultJSONProvider

from ssrjson_web import json
from ssrjson_web._core import dumps as core_dumps
from ssrjson_web._core import loads as core_loads
from ssrjson_web._shared.stdlib_decoding import decoder_to_depth
from ssrjson_web._shared.surrogates import escape_surrogates, to_utf8
from ssrjson_web.flask._writers import (
    FAST_FORMATS,
    SEAMS,
    STOCK_DEFAULT,
    Layout,
    Writer,
    WriterMaker,
    fast_writer,
    stock_writer,
)

__all__ = ["SSRJSONFastProvider", "SSRJSONProvider"]

_COMPACT = (",", ":")
_SPACED = (", ", ": ")
_LAYOUT_OPTIONS = frozenset({*Layout._fields, "default"})


@lru_cache(maxsize=64)
def _stock_default_writer(make: WriterMaker, layout: Layout) -> Writer:
    return make(layout, STOCK_DEFAULT)


class SSRJSONProvider(DefaultJSONProvider):
    """Flask's `DefaultJSONProvider` by the core, with the same bytes, values and exceptions.

    Set it as `json_provider_class` of an application class, or use `SSRJSON(app)`. Attributes may be changed at any
    time, and methods may be overridden. No UTF-8 cache is left in encoded strings. Lone surrogates, which UTF-8 cannot
    hold, are escaped even where `ensure_ascii` is False; stock's response fails there.
    """

    max_depth: int | None = 1000
    """Maximum levels of nested JSON in a request. Deeper JSON raises ValueError, which gives status 400. None is
    no limit."""

    _latest: tuple[tuple[Layout, Callable[[Any], Any]], Writer] | None = None

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        """The JSON of a value as a str that UTF-8 can hold. Keyword arguments are those of `json.dumps`."""
        if not self._stands_in():
            return super().dumps(obj, **kwargs)
        separators = kwargs.get("separators", _SPACED)
        if kwargs.keys() <= _LAYOUT_OPTIONS and _are_separators(separators):
            layout = Layout(
                bool(kwargs.get("ensure_ascii", self.ensure_ascii)),
                bool(kwargs.get("sort_keys", self.sort_keys)),
                separators,
            )
            if kwargs.get("default", self.default) is STOCK_DEFAULT:
                return _stock_default_writer(self._make_writer, layout).encode_str(obj)
        kwargs.setdefault("default", self.default)
        kwargs.setdefault("ensure_ascii", self.ensure_ascii)
        kwargs.setdefault("sort_keys", self.sort_keys)
        text: str = self._dumps_as_asked(obj, kwargs)
        if kwargs["ensure_ascii"] or not isinstance(text, str):  # an encoder class may return any value
            return text
        return escape_surrogates(text)

    def _dumps_as_asked(self, obj: Any, options: dict[str, Any]) -> Any:
        return json.dumps(obj, **options)

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """The value of JSON text. Keyword arguments are those of `json.loads`, and switch `max_depth` off."""
        if not self._stands_in():
            return super().loads(s, **kwargs)
        if kwargs:
            return json.loads(s, **kwargs)
        if self.max_depth is None:
            return core_loads(s)
        return decoder_to_depth(self.max_depth).decode(s)

    def response(self, *args: Any, **kwargs: Any) -> Any:
        """A response with the JSON of one argument, of a list of several arguments, or of a dict of keywords."""
        is_indented = self.compact is False or (self.compact is None and self._app.debug)
        if is_indented or not self._has_our_dumps():
            return super().response(*args, **kwargs)
        body = self._writer().encode_line(self._prepare_response_obj(args, kwargs))
        response_class: Any = self._app.response_class
        return response_class(body, mimetype=self.mimetype)

    def item_encoder(self) -> Callable[[Any], bytes]:
        """A function that returns the compact JSON of a value as UTF-8, with the present attributes of the provider."""
        if self._has_our_dumps():
            return self._writer().encode
        return lambda value: to_utf8(self.dumps(value, separators=_COMPACT))

    @staticmethod
    def _make_writer(layout: Layout, default: Callable[[Any], Any]) -> Writer:
        return stock_writer(layout, default)

    @staticmethod
    def _stands_in() -> bool:
        """Whether Flask's provider does what ours does in its place."""
        return SEAMS.are_known()

    def _has_our_dumps(self) -> bool:
        return getattr(self.dumps, "__func__", None) is _OUR_DUMPS and self._stands_in()

    def _writer(self) -> Writer:
        layout = Layout(bool(self.ensure_ascii), bool(self.sort_keys), _COMPACT)
        default = self.default
        if default is STOCK_DEFAULT:
            return _stock_default_writer(self._make_writer, layout)
        latest = self._latest
        if latest is None or latest[0] != (layout, default):
            self._latest = latest = (layout, default), self._make_writer(layout, default)
        return latest[1]


_OUR_DUMPS = SSRJSONProvider.dumps


class SSRJSONFastProvider(SSRJSONProvider):
    """A provider that writes UTF-8 and does not sort keys, unless its attributes say otherwise.

    Datetimes, dates and times are written as ISO 8601, enums as their value, dataclasses by their fields, decimals and
    UUIDs as in Flask. numpy's arrays and numbers are written too. `default` is called for all other types.
    """

    ensure_ascii = False
    sort_keys = False

    @staticmethod
    def _make_writer(layout: Layout, default: Callable[[Any], Any]) -> Writer:
        return fast_writer(layout, default)

    @staticmethod
    def _stands_in() -> bool:
        return True  # what it writes is its own

    def _dumps_as_asked(self, obj: Any, options: dict[str, Any]) -> Any:
        if not options.keys() <= _CORE_OPTIONS:
            return json.dumps(obj, **options)
        if options.get("separators") is None and options.get("indent") is None:
            options["separators"] = _SPACED
        return core_dumps(obj, **{**FAST_FORMATS, **options})


_CORE_OPTIONS = _LAYOUT_OPTIONS | {"skipkeys", "check_circular", "allow_nan", "indent"}


def _are_separators(pair: object) -> bool:
    """Whether it is a tuple of two ASCII str. The writers would escape other characters."""
    return type(pair) is tuple and len(pair) == 2 and all(type(text) is str and text.isascii() for text in pair)
