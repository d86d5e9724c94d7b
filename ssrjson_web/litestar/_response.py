"""A response of one JSON document."""

from __future__ import annotations

from typing import Any, TypeVar

from litestar.exceptions import ImproperlyConfiguredException, SerializationException
from litestar.response import Response
from litestar.response.base import MEDIA_TYPE_APPLICATION_JSON_PATTERN
from litestar.serialization import default_serializer
from litestar.types import Empty, Serializer

from ssrjson_web._shared.switch import left_to_stock
from ssrjson_web.litestar._encoding import encode

__all__ = ["SSRJSONResponse"]

T = TypeVar("T")


@left_to_stock(Response, "render")
class SSRJSONResponse(Response[T]):
    """A `Response` with the same JSON bytes, which leaves no UTF-8 cache in the content's strings.

    Type encoders are called for the same values as in Litestar. pydantic's models are written without `model_dump`,
    with and without Litestar's plug-in, unless another type encoder converts them.
    """

    def render(self, content: Any, media_type: str, enc_hook: Serializer = default_serializer) -> bytes:
        if (
            isinstance(content, (bytes, str))
            or content is Empty
            or not MEDIA_TYPE_APPLICATION_JSON_PATTERN.match(media_type)
        ):
            return super().render(content, media_type, enc_hook)
        try:
            return encode(content, enc_hook)
        except TypeError as error:
            raise SerializationException(str(error)) from error
        except (AttributeError, ValueError) as error:
            raise ImproperlyConfiguredException("Unable to serialize response content") from error
