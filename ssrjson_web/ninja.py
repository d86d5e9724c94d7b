"""Django Ninja's JSON, rendered and parsed by the core: `SSRJSONRenderer`, `SSRJSONParser`."""

from __future__ import annotations

import json as _json
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, cast

try:
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.http import HttpRequest
    from ninja.parser import Parser
    from ninja.renderers import JSONRenderer
    from ninja.responses import NinjaJSONEncoder
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("django", "ninja"):
        raise
    raise ImportError("ssrjson_web.ninja needs Django Ninja: pip install 'ssrjson_web[ninja]'") from error

from ssrjson_web import json
from ssrjson_web._core import Decoder
from ssrjson_web.hooked_encoder import HookedEncoder

__all__ = ["SSRJSONParser", "SSRJSONRenderer"]

_STOCK_ENCODER = NinjaJSONEncoder
_STOCK_DEFAULT = _STOCK_ENCODER.default
_FORMATS: Mapping[str, Any] = {
    "datetime": "iso",
    "utc": "Z",
    "timespec": "auto-milliseconds",
    "date": "iso",
    "uuid": "hyphenated",
    "decimal": "str",
}
"""What the stock encoder's `default` gives, where an option of the core gives the same."""
_COMPACT = (",", ":")
_SPACED = (", ", ": ")


@cache
def _encoder(ensure_ascii: bool, separators: tuple[str, str]) -> HookedEncoder:
    return HookedEncoder(
        _STOCK_ENCODER().default, ensure_ascii=ensure_ascii, separators=separators, allow_nan=True, **_FORMATS
    )


class SSRJSONRenderer(JSONRenderer):
    """Ninja's `JSONRenderer`: the same values in compact UTF-8, that leaves no UTF-8 copy in the data's strings.

    `SSRJSON = {"ASCII": True, "COMPACT": False}` in Django's settings, or the attributes, give the stock bytes.
    `encoder_class` and `json_dumps_params` have their meaning; the latter go before both.
    """

    ascii: ClassVar[bool | None] = None
    """Whether text beyond ASCII is escaped; None: as `SSRJSON["ASCII"]` says, else False."""

    compact: ClassVar[bool | None] = None
    """Whether there is no space behind commas and colons; None: as `SSRJSON["COMPACT"]` says, else True."""

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> Any:
        """The JSON as bytes; as a str where options or an encoder of one's own, or another charset, ask for it."""
        is_ascii = _chosen("ASCII", False) if self.ascii is None else bool(self.ascii)
        is_compact = _chosen("COMPACT", True) if self.compact is None else self.compact
        params = self.json_dumps_params
        is_stock = self.encoder_class is _STOCK_ENCODER and _STOCK_ENCODER.default is _STOCK_DEFAULT
        if is_stock and not params and self.charset.lower() in ("utf-8", "utf8"):
            separators = _COMPACT if is_compact else _SPACED
            return _encoder(is_ascii, separators).encode(
                data,
                stock=lambda: _json.dumps(
                    data, cls=_STOCK_ENCODER, ensure_ascii=is_ascii, separators=separators
                ).encode(),
            )
        options: dict[str, Any] = {"ensure_ascii": is_ascii, **params}
        if is_compact and options.get("indent") is None:
            options.setdefault("separators", _COMPACT)
        return json.dumps(data, cls=self.encoder_class, **options)


def _chosen(key: str, otherwise: bool) -> bool:
    """The setting `SSRJSON[key]`. Raises ImproperlyConfigured."""
    options = getattr(settings, "SSRJSON", None)
    if options is None:
        return otherwise
    if not isinstance(options, Mapping):
        raise ImproperlyConfigured(f"SSRJSON must be a dict, not {options!r}")
    value = options.get(key, otherwise)
    if not isinstance(value, bool):
        raise ImproperlyConfigured(f"SSRJSON[{key!r}] must be True or False, not {value!r}")
    return value


# The core could go deeper than Python's stack; what is deeper than any usual document is left to stdlib, so that the
# code behind the parser never meets a nesting that stock would have refused.
_decode = Decoder(max_depth=200).decode


class SSRJSONParser(Parser):
    """Ninja's `Parser` with the same values and the same errors."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        """The value of the body. Raises what `json.loads` does; Ninja answers that with a 400."""
        body = request.body
        try:
            return cast(dict[str, Any], _decode(body))
        except ValueError:
            pass  # stdlib's exception is to have no other as its context
        return cast(dict[str, Any], _json.loads(body))
