"""The serializer for sessions and `signing.dumps`."""

from __future__ import annotations

from typing import Any

from django.core.signing import JSONSerializer as StockSerializer

from ssrjson_web._core import Encoder, loads

__all__ = ["SSRJSONSerializer"]

_encode = Encoder(ensure_ascii=True).encode


class SSRJSONSerializer(StockSerializer):
    """The serializer for `SESSION_SERIALIZER` and `signing.dumps(serializer=)`, with the bytes of Django's own.

    Sessions and signed values of either can be read by the other.
    """

    def dumps(self, obj: Any) -> bytes:
        try:
            return _encode(obj)
        except (TypeError, ValueError, RecursionError):
            pass  # outside of this block, so that stock's exception has no context
        data: bytes = super().dumps(obj)
        return data

    def loads(self, data: bytes) -> Any:
        return loads(data.decode("latin-1"))
