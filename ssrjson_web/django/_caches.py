"""A cache serializer that stores JSON instead of pickles."""

from __future__ import annotations

from typing import Any

from ssrjson_web._core import Encoder, loads

__all__ = ["SSRJSONCacheSerializer"]

_encode = Encoder(escape_surrogates=True).encode


class SSRJSONCacheSerializer:
    """Stores values as UTF-8 JSON, for `CACHES[...]["OPTIONS"]["serializer"]` of Django's `RedisCache`.

    Values must be of JSON's types. A datetime raises TypeError, because it would be read as text. Tuples are read as
    lists, and keys as str. Ints are stored as numbers that Redis can increment. A cache with pickles must be cleared
    first.
    """

    def dumps(self, obj: Any) -> bytes | int:
        return obj if type(obj) is int else _encode(obj)

    def loads(self, data: bytes | str) -> Any:
        return loads(data)
