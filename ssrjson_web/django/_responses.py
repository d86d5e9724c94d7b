"""A response of one JSON document."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.http import JsonResponse

from ssrjson_web._core import Encoder
from ssrjson_web._known.functions import known_or_none
from ssrjson_web._shared.switch import is_switched_off
from ssrjson_web.django._encoders import DjangoJSONEncoder
from ssrjson_web.django._rendering import rendering_for

__all__ = ["SSRJSONResponse"]

_KNOWN_INIT: Any = known_or_none(
    JsonResponse.__init__, "django.http.response.JsonResponse.__init__", left="the making of responses"
)


class _Written:
    """Replaces an encoder class: its text is that of a rendering."""

    def __init__(self, rendering: Callable[[Any], bytes | str], **_: Any) -> None:
        self._rendering = rendering

    def encode(self, data: Any) -> str:
        text = self._rendering(data)
        return text.decode() if isinstance(text, bytes) else text


class SSRJSONResponse(JsonResponse):
    """A `JsonResponse` written by the core, in compact UTF-8. `SSRJSON` or `json_dumps_params` can set stock's bytes.

    Parameters and exceptions are stock's. Dates, decimals and other types have the formats of `DjangoJSONEncoder`. Any
    other encoder class is used as in stock. `encoder` may also be a `ssrjson_web.Encoder`, whose options alone count.
    No UTF-8 cache is left in the data's strings.
    """

    __module__ = "ssrjson_web.django"  # caches hold pickled responses, which must outlive this file's name

    def __init__(
        self,
        data: Any,
        encoder: Any = DjangoJSONEncoder,
        safe: bool = True,
        json_dumps_params: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if is_switched_off() and not isinstance(encoder, Encoder):
            super().__init__(data, encoder, safe, json_dumps_params, **kwargs)
            return
        if JsonResponse.__init__ is not _KNOWN_INIT:
            # a str in any charset, which Django encodes
            charset = "ascii" if "charset" in kwargs or "content_type" in kwargs else settings.DEFAULT_CHARSET
            encoder = functools.partial(_Written, rendering_for(encoder, json_dumps_params, charset))
            super().__init__(data, encoder, safe, None, **kwargs)
            return
        if safe and not isinstance(data, dict):
            super().__init__(data, encoder, safe, json_dumps_params, **kwargs)  # raises
        is_charset_named = "charset" in kwargs or "content_type" in kwargs
        kwargs.setdefault("content_type", "application/json")
        # not JsonResponse.__init__, which would encode the data
        if is_charset_named:
            super(JsonResponse, self).__init__(content=b"", **kwargs)
            self.content: Any = rendering_for(encoder, json_dumps_params, self.charset)(data)
        else:
            content = rendering_for(encoder, json_dumps_params, settings.DEFAULT_CHARSET)(data)
            super(JsonResponse, self).__init__(content=content, **kwargs)
