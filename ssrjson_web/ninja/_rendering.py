"""The renderer of responses."""

from __future__ import annotations

import json as _json
from collections.abc import Mapping
from functools import cache, partial
from typing import Any, ClassVar

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.http import HttpRequest
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from ssrjson_web import json
from ssrjson_web._known.functions import Seams
from ssrjson_web._models.pydantic.json_type_classes import is_json_type, written
from ssrjson_web._shared.hooked_encoder import HookedEncoder
from ssrjson_web._shared.surrogates import escape_surrogates
from ssrjson_web.django._settings import current_settings

__all__ = ["RENDERER", "SSRJSONRenderer", "item_text"]

_STOCK_ENCODER = NinjaJSONEncoder
_stock_default = _STOCK_ENCODER().default
_ENCODER = Seams(
    lambda: (NinjaJSONEncoder.default, DjangoJSONEncoder.default),
    "ninja.responses.NinjaJSONEncoder.default",
    "django.core.serializers.json.DjangoJSONEncoder.default",
    left="the encoding of dates, UUIDs and decimals",
)
RENDERER = Seams(
    lambda: (JSONRenderer.render,), "ninja.renderers.JSONRenderer.render", left="the encoding of responses"
)
"""Ninja's function, which our renderer does not call."""
_FORMATS: Mapping[str, Any] = {
    "datetime": "iso",
    "utc": "Z",
    "timespec": "auto-milliseconds",
    "date": "iso",
    "uuid": "hyphenated",
    "decimal": "str",
}
"""Options of the core that write types as the stock encoder's `default` does."""
_COMPACT = (",", ":")
_SPACED = (", ", ": ")


def _default(value: Any) -> Any:
    """What the stock encoder's `default` gives; and JSON of classes of `json_type`, which Ninja's dump leaves."""
    return written(value) if is_json_type(type(value)) else _stock_default(value)


@cache
def _encoder(ensure_ascii: bool, separators: tuple[str, str], nan: str) -> HookedEncoder:
    return HookedEncoder(
        _default,
        ensure_ascii=ensure_ascii,
        separators=separators,
        allow_nan=nan != "error",
        nan_as_null=nan == "null",
        escape_surrogates=True,
        **_FORMATS,
    )


def item_text(item: Any) -> str:
    """The JSON of an item of a stream, in the layout that Django's settings choose."""
    chosen = current_settings()
    is_ascii = chosen.ascii or settings.DEFAULT_CHARSET.lower() not in ("utf-8", "utf8")
    stock = partial(_json.dumps, item, cls=_STOCK_ENCODER, allow_nan=chosen.nan != "error")
    if not _ENCODER.are_known():
        return stock()
    return _encoder(is_ascii, _COMPACT if chosen.compact else _SPACED, chosen.nan).encode_str(item, stock)


class SSRJSONRenderer(JSONRenderer):
    """Ninja's `JSONRenderer` in compact UTF-8, which leaves no UTF-8 cache in the data's strings.

    `SSRJSON = {"ASCII": True, "COMPACT": False}` in Django's settings, or the attributes, give the stock bytes.
    `encoder_class` and `json_dumps_params` have their stock meaning. `json_dumps_params` override the settings and the
    attributes. `SSRJSON["NAN"]` is respected too, except `"null"` together with either of the two.
    """

    ascii: ClassVar[bool | None] = None
    """Whether characters beyond ASCII are escaped. None means `SSRJSON["ASCII"]`, whose default is False."""

    compact: ClassVar[bool | None] = None
    """Whether there is no space after commas and colons. None means `SSRJSON["COMPACT"]`, whose default is True."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        """The JSON as bytes, or as a str where options, another encoder class or another charset need it.

        Lone surrogates, which UTF-8 cannot hold, are escaped. In another charset all text is ASCII, as in stock, unless
        `json_dumps_params` names `ensure_ascii`.
        """
        if not RENDERER.are_known():
            return super().render(request, data, response_status=response_status)
        chosen = current_settings()
        is_utf8 = self.charset.lower() in ("utf-8", "utf8")
        is_ascii = not is_utf8 or (chosen.ascii if self.ascii is None else bool(self.ascii))
        is_compact = chosen.compact if self.compact is None else self.compact
        params = self.json_dumps_params
        is_stock = self.encoder_class is _STOCK_ENCODER and _ENCODER.are_known()
        if is_stock and not params and is_utf8:
            separators = _COMPACT if is_compact else _SPACED
            stock = partial(_json.dumps, data, cls=_STOCK_ENCODER, allow_nan=chosen.nan != "error")
            return _encoder(is_ascii, separators, chosen.nan).encode(data, stock)
        options: dict[str, Any] = {"ensure_ascii": is_ascii, "allow_nan": chosen.nan != "error", **params}
        if is_compact and options.get("indent") is None:
            options.setdefault("separators", _COMPACT)
        text: Any = json.dumps(data, cls=self.encoder_class, **options)
        return escape_surrogates(text) if isinstance(text, str) else text
