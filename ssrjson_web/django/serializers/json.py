"""`SERIALIZATION_MODULES = {"json": "ssrjson_web.django.serializers.json"}`: Django's format, written by the core."""

from __future__ import annotations

from django.core.serializers.json import Deserializer as Deserializer
from django.core.serializers.json import DjangoJSONEncoder as StockEncoder
from django.core.serializers.json import Serializer as StockSerializer

from ssrjson_web.django._encoders import StorableJSONEncoder

__all__ = ["Deserializer", "Serializer"]


class Serializer(StockSerializer):
    """Django's serializer to JSON with the same bytes. It writes one object at a time to the stream.

    Lone surrogates are escaped. Stock writes text that neither a response nor a file in UTF-8 can hold.
    """

    def _init_options(self) -> None:
        super()._init_options()
        if self.json_kwargs["cls"] is StockEncoder:
            self.json_kwargs["cls"] = StorableJSONEncoder
