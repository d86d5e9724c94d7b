"""Litestar's JSON, which it writes by msgspec, written by the core."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn

import msgspec
from litestar.types import Serializer

from ssrjson_web._core import Encoder, Fragment
from ssrjson_web.litestar._plans import WITHOUT_PLANS, options_of

__all__ = ["encode"]

_FORMATS: Mapping[str, Any] = {
    "check_circular": False,  # msgspec raises RecursionError here
    "nan_as_null": True,
    "floats": "e16",
    "datetime": "rfc3339",
    "date": "iso",
    "time": "iso",
    "utc": "Z",
    "uuid": "hyphenated",
    "enum": "value",
    "decimal": "str",
    "bytes": "base64",
    "iterables": False,
    "timedelta": None,
}
"""Options of the core that write types as msgspec does without a hook."""


class _UnusualError(Exception):
    """A value has a type that the core's own formats do not include."""


def _refuse(value: Any) -> NoReturn:
    raise _UnusualError


_encode_usual = Encoder(default=_refuse, exact_types=True, **_FORMATS).encode


def encode(content: Any, enc_hook: Serializer) -> bytes:
    """The JSON of a value. The hook is called for the values for which msgspec calls it."""
    try:
        return _encode_usual(content)
    except _UnusualError:
        pass  # outside of this block, so that an error has no context
    return _encode_with_hook(content, enc_hook)


def _encode_with_hook(content: Any, enc_hook: Serializer) -> bytes:
    def convert(value: Any) -> Fragment:
        if isinstance(value, dict):
            pairs = (key_text(key) + b":" + write(each) for key, each in dict.items(value))
            return Fragment(b"{" + b",".join(pairs) + b"}")
        if isinstance(value, (list, tuple, set, frozenset)):
            return Fragment(write(list(value)))
        if isinstance(value, msgspec.Raw):
            return Fragment(bytes(value))
        try:
            plain = msgspec.to_builtins(value, str_keys=True, enc_hook=enc_hook)
        except TypeError:  # msgspec refuses some keys and values that the core would encode, such as Raw
            return Fragment(msgspec.json.encode(value, enc_hook=enc_hook))
        return Fragment(write(plain))

    def key_text(key: Any) -> bytes:
        return write(key) if type(key) is str else msgspec.json.encode({key: 0}, enc_hook=enc_hook)[1:-3]

    options = options_of(enc_hook)
    write = Encoder(default=convert, **_FORMATS, **options).encode
    if options is not WITHOUT_PLANS:
        # Structs of some configurations are converted without the hook, so a hook needs the slow path
        with suppress(TypeError):
            return write(content)
        write = Encoder(default=convert, **_FORMATS, **WITHOUT_PLANS).encode
    return write(content)
