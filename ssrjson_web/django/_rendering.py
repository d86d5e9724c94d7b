"""Renderings of responses, by an encoder class, parameters of `json.dumps`, and the settings."""

from __future__ import annotations

import codecs
import contextlib
import functools
import json
from collections.abc import Callable, Mapping
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder as StockEncoder

import ssrjson_web.json
from ssrjson_web._core import Encoder
from ssrjson_web._shared.surrogates import escape_surrogates, to_utf8
from ssrjson_web.django._encoders import DjangoJSONEncoder
from ssrjson_web.django._encoding import KNOWN_DEFAULT, Layout, Pair, pair_for
from ssrjson_web.django._settings import Settings, current_settings

__all__ = ["Rendering", "is_utf8", "rendering_for"]

_COMPACT = (",", ":")
_OWN_ENCODERS = (DjangoJSONEncoder, StockEncoder)
_LAYOUT_PARAMS = frozenset(Layout._fields) - {"nan_as_null", "escape_surrogates"}


class Rendering:
    """A function that writes a value as one response does.

    Parameters in `json_dumps_params` have the meaning of `json.dumps`. The `SSRJSON` setting decides the others. In a
    charset other than UTF-8 the text is ASCII unless `ensure_ascii` is given.
    """

    def __init__(
        self, encoder: Any, json_dumps_params: Mapping[str, Any] | None, settings: Settings, *, is_utf8: bool
    ) -> None:
        params: dict[str, Any] = {
            "ensure_ascii": settings.ascii or not is_utf8,
            "allow_nan": settings.nan != "error",
            "separators": None,
            "indent": None,
            **(json_dumps_params or {}),
        }
        if settings.compact and params["separators"] is None and params["indent"] is None:
            params["separators"] = _COMPACT
        self._encoder = encoder
        self._params = params
        self._is_utf8 = is_utf8
        self._pair: Pair | None = None
        if encoder in _OWN_ENCODERS and params.keys() <= _LAYOUT_PARAMS:
            is_nan_null = settings.nan == "null" and "allow_nan" not in (json_dumps_params or {})
            with contextlib.suppress(TypeError, ValueError):  # for parameters that only stdlib can interpret
                self._pair = pair_for(Layout(**params, nan_as_null=is_nan_null, escape_surrogates=True))

    def __call__(self, data: Any) -> bytes | str:
        """The JSON of a value: bytes in UTF-8, or a str that the caller encodes in the charset.

        Lone surrogates, which UTF-8 cannot hold, are escaped. Raises the errors of `json.dumps`.
        """
        if self._pair is not None and StockEncoder.default is KNOWN_DEFAULT:
            try:
                return self._pair.encode(data) if self._is_utf8 else self._pair.encode_str(data)
            except (TypeError, ValueError, RecursionError):
                pass  # outside of this block, so that stock's exception has no context
        written: bytes | str = self._by_stdlib(data)
        return written

    def _by_stdlib(self, data: Any) -> Any:
        # the core may serve other subclasses of JSONEncoder; Django's own must raise stdlib's errors
        is_own = self._encoder in _OWN_ENCODERS
        dumps = json.dumps if is_own or "cls" in self._params else ssrjson_web.json.dumps
        encoder = StockEncoder if self._encoder is DjangoJSONEncoder else self._encoder
        text = dumps(data, cls=encoder, **self._params)
        if isinstance(text, bytes):
            return text
        return to_utf8(text) if self._is_utf8 else escape_surrogates(text)


@functools.lru_cache(maxsize=16)
def _own_rendering(settings: Settings, is_utf8: bool) -> Rendering:
    return Rendering(DjangoJSONEncoder, None, settings, is_utf8=is_utf8)


def rendering_for(
    encoder: Any, json_dumps_params: Mapping[str, Any] | None, charset: str
) -> Callable[[Any], bytes | str]:
    """The rendering of a response in a charset; an `Encoder` of the core has all its options itself.

    Raises LookupError for an unknown charset, and TypeError for an `Encoder` with parameters.
    """
    if isinstance(encoder, Encoder):
        if json_dumps_params:
            raise TypeError("json_dumps_params cannot be combined with an Encoder: give the options to the Encoder")
        escaping = encoder._with_escaped_surrogates()
        return escaping.encode if is_utf8(charset) else escaping.encode_str
    settings = current_settings()
    if not json_dumps_params and encoder in _OWN_ENCODERS:
        return _own_rendering(settings, is_utf8(charset))
    return Rendering(encoder, json_dumps_params, settings, is_utf8=is_utf8(charset))


@functools.lru_cache(maxsize=64)
def is_utf8(charset: str) -> bool:
    """Whether a charset is UTF-8. Raises LookupError for an unknown charset."""
    return codecs.lookup(charset).name == "utf-8"
