"""JSON that is signed: sessions, `signing.dumps`."""

from __future__ import annotations

from typing import Any

from django.core.signing import JSONSerializer as StockSerializer

from ssrjson_web._core import Encoder, loads

__all__ = ["JSONSerializer", "SSRJSONSerializer"]

_encode = Encoder(ensure_ascii=True).encode


class SSRJSONSerializer(StockSerializer):
    """For `SESSION_SERIALIZER` and `signing.dumps(serializer=)`: the bytes of Django's, which can be mixed with it."""

    def dumps(self, obj: Any) -> bytes:
        try:
            return _encode(obj)
        except (TypeError, ValueError, RecursionError):
            pass  # outside of this block, so that stock's exception has no other as its context
        data: bytes = super().dumps(obj)
        return data

    def loads(self, data: bytes) -> Any:
        return loads(data.decode("latin-1"))


JSONSerializer = SSRJSONSerializer
"""Alias of `SSRJSONSerializer`, its name in earlier versions."""
