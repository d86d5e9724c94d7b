"""Encoders of the core with the text of `DjangoJSONEncoder`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from django.core.serializers.json import DjangoJSONEncoder as StockEncoder

from ssrjson_web._core import Encoder
from ssrjson_web._known.functions import known_or_none

__all__ = ["KNOWN_DEFAULT", "Layout", "Pair", "pair_for", "stock_default"]

# DjangoJSONEncoder's formats. It writes times and durations itself: it refuses times with a zone, and pads durations.
_FORMATS: dict[str, Any] = {
    "datetime": "iso",
    "timespec": "auto-milliseconds",
    "utc": "Z",
    "date": "iso",
    "decimal": "str",
    "uuid": "hyphenated",
}

KNOWN_DEFAULT: Any = known_or_none(
    StockEncoder.default,
    "django.core.serializers.json.DjangoJSONEncoder.default",
    left="the encoding of dates, UUIDs and decimals",
)
"""The `default` whose text `_FORMATS` give; None where this release of Django has another."""
stock_default: Callable[[Any], Any] = StockEncoder().default
"""Django's conversion of an object of a type beyond JSON's."""


class Layout(NamedTuple):
    """The options of `json.dumps` without its hooks, and the core's options for NaN and lone surrogates."""

    skipkeys: bool = False
    ensure_ascii: bool = True
    check_circular: bool = True
    allow_nan: bool = True
    sort_keys: bool = False
    indent: int | str | None = None
    separators: tuple[str, str] | None = None
    nan_as_null: bool = False
    escape_surrogates: bool = False


class UnusualError(Exception):
    """A container has a type that the quick encoder does not know exactly."""


def _default_of_exact_types(o: Any) -> Any:
    # the core writes the returned value, and all values in it, as stdlib does; this is correct for scalars only
    if isinstance(o, (str, int, float)):
        return o
    if isinstance(o, (dict, list, tuple)):
        raise UnusualError
    return stock_default(o)


class Pair(NamedTuple):
    """Two encoders with the same text."""

    quick: Encoder
    """Runs no Python code for a value. It raises UnusualError for values that it does not know exactly: containers of
    classes derived from JSON's, and keys that are not str."""
    thorough: Encoder
    """Calls Django's conversion for all values of types beyond JSON's."""

    def encode(self, data: Any) -> bytes:
        try:
            return self.quick.encode(data)
        except UnusualError:
            pass  # outside of this block, so that an error has no context
        return self.thorough.encode(data)

    def encode_str(self, data: Any) -> str:
        try:
            return self.quick.encode_str(data)
        except UnusualError:
            pass
        return self.thorough.encode_str(data)


def pair_for(layout: Layout) -> Pair:
    """The encoders of a layout. Raises TypeError for values of types that `json.dumps` does not accept."""
    indent_type: Any = type(layout.indent)  # 1.0 == 1, and is refused
    return _pair_for(layout, indent_type)


@functools.lru_cache(maxsize=64)
def _pair_for(layout: Layout, _indent_type: type) -> Pair:
    options = layout._asdict()
    if options["separators"] is None and options["indent"] is None:
        options["separators"] = (", ", ": ")
    return Pair(
        quick=Encoder(default=_default_of_exact_types, exact_types=True, **_FORMATS, **options),
        thorough=Encoder(default=stock_default, **options),
    )
