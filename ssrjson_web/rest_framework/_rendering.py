"""REST framework's JSON, rendered by the core: `SSRJSONRenderer`."""

from __future__ import annotations

import json as _json
import re
from collections.abc import Mapping
from functools import cache, partial
from typing import Any, ClassVar, Literal

from django.core.exceptions import ImproperlyConfigured
from rest_framework.compat import INDENT_SEPARATORS, LONG_SEPARATORS, SHORT_SEPARATORS
from rest_framework.renderers import JSONRenderer
from rest_framework.utils import encoders

from ssrjson_web import json
from ssrjson_web._core import dumps
from ssrjson_web._shared.hooked_encoder import HookedEncoder
from ssrjson_web._shared.switch import is_switched_off

__all__ = ["SSRJSONRenderer"]

_IS_OFF = is_switched_off()
_STOCK_ENCODER = encoders.JSONEncoder
_STOCK_DEFAULT = _STOCK_ENCODER.default
_FORMATS: Mapping[str, Any] = {
    "datetime": "iso",
    "utc": "Z",
    "date": "iso",
    "uuid": "hyphenated",
    "decimal": "float",
}
"""Options of the core that write types as the stock encoder's `default` does."""

_LINE_SEPARATORS = re.compile(b"\xe2\x80[\xa8\xa9]")  # U+2028 and U+2029
_ESCAPES = {b"\xe2\x80\xa8": rb"\u2028", b"\xe2\x80\xa9": rb"\u2029"}


@cache
def _encoder(
    ensure_ascii: bool,
    allow_nan: bool,
    nan_as_null: bool,
    separators: tuple[str, str],
    key_case: Literal["camel"] | None,
) -> HookedEncoder:
    return HookedEncoder(
        _STOCK_ENCODER().default,
        ensure_ascii=ensure_ascii,
        allow_nan=allow_nan,
        nan_as_null=nan_as_null,
        separators=separators,
        key_case=key_case,
        escape_surrogates=True,
        **_FORMATS,
    )


class SSRJSONRenderer(JSONRenderer):
    """A `JSONRenderer` with the same bytes and exceptions, which leaves no UTF-8 cache in the data's strings.

    `UNICODE_JSON`, `COMPACT_JSON`, `STRICT_JSON`, `encoder_class` and the `indent` of an Accept header have their stock
    meaning. The `default` of another `encoder_class` is called for every value of a type beyond JSON's. A class that
    overrides `encode` or `iterencode` does all the work itself.

    One difference: lone surrogates, which UTF-8 cannot hold, are escaped. Stock raises an error for them.
    """

    nan: ClassVar[Literal["null"] | None] = None
    """`"null"` writes NaN and infinities as null. With `None`, `STRICT_JSON` decides between an error and `NaN`."""
    key_case: ClassVar[Literal["camel"] | None] = None
    """`"camel"` writes the keys of all dicts in camel case, as the renderer of djangorestframework-camel-case does."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """The JSON of `data` as UTF-8; empty for None."""
        if data is None:
            return b""
        if self.nan not in (None, "null"):
            raise ImproperlyConfigured(f"{type(self).__name__}.nan must be 'null' or None, not {self.nan!r}")
        if self.key_case not in (None, "camel"):
            raise ImproperlyConfigured(f"{type(self).__name__}.key_case must be 'camel' or None, not {self.key_case!r}")
        if _IS_OFF and self.nan is None and self.key_case is None:
            rendered: bytes = super().render(data, accepted_media_type, renderer_context)
            return rendered
        indent = self.get_indent(accepted_media_type, renderer_context or {})
        if indent is not None:
            return self._render_by_class(data, INDENT_SEPARATORS, indent)
        separators = SHORT_SEPARATORS if self.compact else LONG_SEPARATORS
        if self.encoder_class is not _STOCK_ENCODER or _STOCK_ENCODER.default is not _STOCK_DEFAULT:
            return self._render_by_class(data, separators, None)
        encoder = _encoder(bool(self.ensure_ascii), not self.strict, self.nan is not None, separators, self.key_case)
        stock = partial(super().render, data, accepted_media_type, renderer_context)
        text = encoder.encode(data, stock)
        return _LINE_SEPARATORS.sub(_escape, text) if b"\xe2" in text else text

    def _render_by_class(self, data: Any, separators: tuple[str, str], indent: Any) -> bytes:
        """The text of `encoder_class`, which may override any method."""
        options: dict[str, Any] = {
            "indent": indent,
            "ensure_ascii": self.ensure_ascii,
            "allow_nan": not self.strict,
            "separators": separators,
        }
        if self.nan is None and self.key_case is None:
            text = json.dumps(data, cls=self.encoder_class, **options)
        else:
            text = self._dumps_by_default(data, options)
        return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").encode("utf-8", "backslashreplace")

    def _dumps_by_default(self, data: Any, options: Mapping[str, Any]) -> str:
        """The text with `default` of `encoder_class`, written by the core, which knows `nan` and `key_case`."""
        encoder: Any = self.encoder_class(**options)
        stock = _json.JSONEncoder  # looked up at each call, because `observe` replaces its methods
        if (self.encoder_class.encode, self.encoder_class.iterencode) != (stock.encode, stock.iterencode):
            name = f"nan={self.nan!r}" if self.nan is not None else f"key_case={self.key_case!r}"
            raise ImproperlyConfigured(
                f"{name} has no effect on {self.encoder_class.__name__}, which overrides encode or iterencode: "
                f"do it there, and set {name.partition('=')[0]} to None"
            )
        return dumps(
            data,
            default=encoder.default,
            skipkeys=encoder.skipkeys,
            ensure_ascii=bool(encoder.ensure_ascii),
            check_circular=encoder.check_circular,
            allow_nan=encoder.allow_nan,
            nan_as_null=self.nan is not None,
            indent=encoder.indent,
            separators=(encoder.item_separator, encoder.key_separator),
            sort_keys=encoder.sort_keys,
            key_case=self.key_case,
        )


def _escape(match: re.Match[bytes]) -> bytes:
    return _ESCAPES[match[0]]
