"""The serializer for sessions and `signing.dumps`."""

from __future__ import annotations

from typing import Any

from django.core.signing import JSONSerializer as StockSerializer

from ssrjson_web._core import Encoder, loads
from ssrjson_web._known.functions import Seams

__all__ = ["SSRJSONSerializer"]

_encode = Encoder(ensure_ascii=True).encode
_SEAMS = Seams(
    lambda: (StockSerializer.dumps, StockSerializer.loads),
    *(f"django.core.signing.JSONSerializer.{name}" for name in ("dumps", "loads")),
    left="the JSON of sessions and signed values",
)


class SSRJSONSerializer(StockSerializer):
    """The serializer for `SESSION_SERIALIZER` and `signing.dumps(serializer=)`, with the bytes of Django's own.

    Sessions and signed values of either can be read by the other.
    """

    def dumps(self, obj: Any) -> bytes:
        try:
            if _SEAMS.are_known():
                return _encode(obj)
        except (TypeError, ValueError, RecursionError):
            pass  # outside of this block, so that stock's exception has no context
        data: bytes = super().dumps(obj)
        return data

    def loads(self, data: bytes) -> Any:
        return loads(data.decode("latin-1")) if _SEAMS.are_known() else super().loads(data)
