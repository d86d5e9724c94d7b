"""The encoder class for Django's `encoder=` parameters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder as StockEncoder

import ssrjson_web.json
from ssrjson_web._shared.surrogates import escape_surrogates
from ssrjson_web._shared.switch import left_to_stock
from ssrjson_web.django._encoding import KNOWN_DEFAULT, Layout, pair_for

__all__ = ["DjangoJSONEncoder", "StorableJSONEncoder"]

_JSON_DEFAULT = json.JSONEncoder.default


@left_to_stock(StockEncoder, "encode", "iterencode")
class DjangoJSONEncoder(StockEncoder):
    """Django's `DjangoJSONEncoder` by the core, with the same text and exceptions.

    Use it for `JSONField(encoder=)`, `json_script(encoder=)`, a test client's `json_encoder=` and `json.dumps(cls=)`.
    `default` may be overridden. `iterencode` gives the text in one piece. One difference: documents may be nested as
    deep as memory allows.
    """

    __module__ = "ssrjson_web.django"  # migrations record it, and must outlive this file's name

    def encode(self, o: Any) -> str:
        """The JSON text of an object."""
        if getattr(self.iterencode, "__func__", None) is not _OUR_ITERENCODE:
            text: str = super().encode(o)
            return text
        return _encode(self, o)

    def iterencode(self, o: Any, _one_shot: bool = False) -> Iterator[str]:
        """The JSON text of an object, in one piece."""
        return iter((_encode(self, o, in_chunks=not _one_shot),))


class StorableJSONEncoder(DjangoJSONEncoder):
    """A `DjangoJSONEncoder` whose text UTF-8 can always hold: it escapes lone surrogates without `ensure_ascii` too."""

    __module__ = "ssrjson_web.django._encoders"


_OUR_ITERENCODE = DjangoJSONEncoder.iterencode


def _encode(encoder: DjangoJSONEncoder, o: Any, *, in_chunks: bool = False) -> str:
    """The JSON text. With `in_chunks` it is that of stdlib's encoder in Python, which accepts proxies of containers."""
    if not _has_stock_default(encoder):
        return _encode_by_hook(encoder, o, in_chunks)
    try:
        return pair_for(_layout_of(encoder)).encode_str(o)
    except (TypeError, ValueError, RecursionError):
        pass  # outside of this block, so that stock's exception has no context
    text = _encode_by_stock(o, _options_of(encoder), in_chunks)
    return escape_surrogates(text) if isinstance(encoder, StorableJSONEncoder) else text


def _encode_by_hook(encoder: DjangoJSONEncoder, o: Any, in_chunks: bool) -> str:
    options = {**_options_of(encoder), "default": encoder.default}
    if in_chunks:
        pieces = _Pieces()
        try:
            ssrjson_web.json.dump(o, pieces, **options)
            return "".join(pieces)
        except (TypeError, ValueError, RecursionError):
            pass  # stdlib's encoder in Python has other error texts
        return _encode_by_stock(o, options, in_chunks)
    if isinstance(o, str):  # stdlib has a fast path for str, which fails on a lazy text
        return _encode_by_stock(o, options, in_chunks)
    return ssrjson_web.json.JSONEncoder(**options).encode(o)


def _encode_by_stock(o: Any, options: dict[str, Any], in_chunks: bool) -> str:
    encoder: json.JSONEncoder = StockEncoder(**options)
    return "".join(encoder.iterencode(o)) if in_chunks else encoder.encode(o)


class _Pieces(list[str]):
    """The text that was written to it."""

    write = list.append


def _has_stock_default(encoder: DjangoJSONEncoder) -> bool:
    """Whether `default` is Django's own, and the `default` that it calls is stdlib's."""
    cls = type(encoder)
    if cls.default is not KNOWN_DEFAULT or "default" in encoder.__dict__:
        return False
    return cls is DjangoJSONEncoder or getattr(super(StockEncoder, encoder).default, "__func__", None) is _JSON_DEFAULT


def _layout_of(encoder: json.JSONEncoder) -> Layout:
    return Layout(
        bool(encoder.skipkeys),
        bool(encoder.ensure_ascii),
        bool(encoder.check_circular),
        bool(encoder.allow_nan),
        bool(encoder.sort_keys),
        encoder.indent,
        (encoder.item_separator, encoder.key_separator),
        escape_surrogates=isinstance(encoder, StorableJSONEncoder),
    )


def _options_of(encoder: json.JSONEncoder) -> dict[str, Any]:
    return {
        "skipkeys": encoder.skipkeys,
        "ensure_ascii": encoder.ensure_ascii,
        "check_circular": encoder.check_circular,
        "allow_nan": encoder.allow_nan,
        "sort_keys": encoder.sort_keys,
        "indent": encoder.indent,
        "separators": (encoder.item_separator, encoder.key_separator),
    }
