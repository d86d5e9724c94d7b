"""A response of one JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import JsonResponse

from ssrjson_web.django.encoders import DjangoJSONEncoder
from ssrjson_web.django.rendering import rendering_for

__all__ = ["SSRJSONResponse"]


class SSRJSONResponse(JsonResponse):
    """A `JsonResponse` written by the core: UTF-8 and compact, or stock's bytes by `SSRJSON` or `json_dumps_params`.

    Parameters and exceptions are stock's. Formats of dates, decimals and the like are `DjangoJSONEncoder`'s; any other
    encoder class is used as stock uses it. No UTF-8 copy is left in the data's strings.
    """

    def __init__(
        self,
        data: Any,
        encoder: Any = DjangoJSONEncoder,
        safe: bool = True,
        json_dumps_params: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if safe and not isinstance(data, dict):
            super().__init__(data, encoder, safe, json_dumps_params, **kwargs)  # raises
        is_charset_named = "charset" in kwargs or "content_type" in kwargs
        kwargs.setdefault("content_type", "application/json")
        # past JsonResponse, which would encode
        if is_charset_named:
            super(JsonResponse, self).__init__(content=b"", **kwargs)
            self.content: Any = rendering_for(encoder, json_dumps_params, self.charset)(data)
        else:
            content = rendering_for(encoder, json_dumps_params, settings.DEFAULT_CHARSET)(data)
            super(JsonResponse, self).__init__(content=content, **kwargs)
