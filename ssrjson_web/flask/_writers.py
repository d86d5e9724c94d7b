"""The core's encoders for one layout and one `default` of a provider."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from flask.json.provider import DefaultJSONProvider

from ssrjson_web._core import Encoder
from ssrjson_web._known.functions import Seams, is_known, stands_in_for
from ssrjson_web._shared.hooked_encoder import HookedEncoder
from ssrjson_web._shared.surrogates import escape_surrogates

__all__ = ["FAST_FORMATS", "SEAMS", "STOCK_DEFAULT", "Layout", "Writer", "WriterMaker", "fast_writer", "stock_writer"]

stands_in_for("flask.json.provider._default", left="the encoding of dates, UUIDs and decimals")
STOCK_DEFAULT = DefaultJSONProvider.default
"""Flask's conversion of an object of a type beyond JSON's."""

SEAMS = Seams(
    lambda: (DefaultJSONProvider.dumps, DefaultJSONProvider.loads, DefaultJSONProvider.response),
    "flask.json.provider.DefaultJSONProvider.dumps",
    "flask.json.provider.DefaultJSONProvider.loads",
    "flask.json.provider.DefaultJSONProvider.response",
    left="all JSON of SSRJSONProvider",
)
"""Flask's functions, which our provider does not call."""

_STOCK_FORMATS: Mapping[str, Any] = {"datetime": "http", "date": "http", "decimal": "str", "uuid": "hyphenated"}
"""Options of the core that write types as STOCK_DEFAULT does."""

FAST_FORMATS: Mapping[str, Any] = {
    "datetime": "iso",
    "date": "iso",
    "time": "iso",
    "decimal": "str",
    "uuid": "hyphenated",
    "enum": "value",
    "dataclass": True,
    "numpy": True,
}


class Layout(NamedTuple):
    """The options of `json.dumps` that the core supports without stdlib."""

    ensure_ascii: bool
    sort_keys: bool
    separators: tuple[str, str]


class Writer(NamedTuple):
    """Functions that write a value in one layout."""

    encode: Callable[[Any], bytes]
    encode_line: Callable[[Any], bytes]
    """Writes a value with a line feed after it."""
    encode_str: Callable[[Any], str]


def stock_writer(layout: Layout, default: Callable[[Any], Any]) -> Writer:
    """A writer with the text and errors of `json.dumps` with that `default`, but it escapes lone surrogates."""
    options = layout._asdict()
    is_stock = default is STOCK_DEFAULT and is_known(default, "flask.json.provider._default")
    formats = _STOCK_FORMATS if is_stock else {}
    values = HookedEncoder(default, escape_surrogates=True, **formats, **options)
    lines = HookedEncoder(default, append_newline=True, escape_surrogates=True, **formats, **options)

    def stock(value: Any) -> str:
        return escape_surrogates(json.dumps(value, default=default, **options))

    return Writer(
        encode=lambda value: values.encode(value, lambda: stock(value).encode()),
        encode_line=lambda value: lines.encode(value, lambda: f"{stock(value)}\n".encode()),
        encode_str=lambda value: values.encode_str(value, lambda: stock(value)),
    )


def fast_writer(layout: Layout, default: Callable[[Any], Any]) -> Writer:
    """A writer whose types beyond JSON's are written by the core, and which calls `default` for all other types."""
    options = {"default": default, "escape_surrogates": True, **FAST_FORMATS, **layout._asdict()}
    values = Encoder(**options)
    lines = Encoder(append_newline=True, **options)
    return Writer(encode=values.encode, encode_line=lines.encode, encode_str=values.encode_str)


WriterMaker = Callable[[Layout, Callable[[Any], Any]], Writer]
