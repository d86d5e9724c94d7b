"""JSON in Redis, in place of pickles."""

from __future__ import annotations

from typing import Any

from ssrjson_web._core import Encoder, loads

__all__ = ["JSONCacheSerializer", "SSRJSONCacheSerializer"]

_encode = Encoder(escape_surrogates=True).encode


class SSRJSONCacheSerializer:
    """For `CACHES[...]["OPTIONS"]["serializer"]` of Django's `RedisCache`: values are kept as UTF-8 JSON.

    Takes what JSON has a form for; a datetime and the like would come back as text, and is a TypeError. Tuples come
    back as lists, keys as str. Ints stay such that Redis can count. Not for a cache that holds pickles.
    """

    def dumps(self, obj: Any) -> bytes | int:
        return obj if type(obj) is int else _encode(obj)

    def loads(self, data: bytes | str) -> Any:
        return loads(data)


JSONCacheSerializer = SSRJSONCacheSerializer
"""Alias of `SSRJSONCacheSerializer`, its name in earlier versions."""
