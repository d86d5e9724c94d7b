"""JSON as Litestar writes it by msgspec, by the core."""

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
    "check_circular": False,  # msgspec's RecursionError
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
"""What msgspec writes by itself, where an option of the core writes the same."""


class _UnusualError(Exception):
    """A value that takes more than the core's own formats."""


def _refuse(value: Any) -> NoReturn:
    raise _UnusualError


_encode_usual = Encoder(default=_refuse, exact_types=True, **_FORMATS).encode


def encode(content: Any, enc_hook: Serializer) -> bytes:
    """The JSON of a value, the hook asked where msgspec asks it."""
    try:
        return _encode_usual(content)
    except _UnusualError:
        pass  # outside of this block, so that an error has no other as its context
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
        except TypeError:  # it refuses keys and values, Raw among them, that are encoded
            return Fragment(msgspec.json.encode(value, enc_hook=enc_hook))
        return Fragment(write(plain))

    def key_text(key: Any) -> bytes:
        return write(key) if type(key) is str else msgspec.json.encode({key: 0}, enc_hook=enc_hook)[1:-3]

    options = options_of(enc_hook)
    write = Encoder(default=convert, **_FORMATS, **options).encode
    if options is not WITHOUT_PLANS:
        # Structs of some configurations convert themselves, without the hook: then the hook is to have its say
        with suppress(TypeError):
            return write(content)
        write = Encoder(default=convert, **_FORMATS, **WITHOUT_PLANS).encode
    return write(content)
