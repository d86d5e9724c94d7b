"""REST framework's JSON, parsed by the core: `SSRJSONParser`."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.json import strict_constant

from ssrjson_web._core import Decoder
from ssrjson_web._shared.stdlib_decoding import USUAL_DEPTH, as_utf8, decoder_to_depth
from ssrjson_web.rest_framework._rendering import SSRJSONRenderer

__all__ = ["SSRJSONParser"]

_decode = decoder_to_depth(USUAL_DEPTH).decode
_decode_strictly = Decoder(max_depth=USUAL_DEPTH, parse_constant=strict_constant).decode


class SSRJSONParser(JSONParser):
    """A `JSONParser` with the same values, errors, charsets and limits. It respects `STRICT_JSON`.

    One difference: JSON nested too deeply for Python's stack raises ParseError. In stock it is a RecursionError: 500.
    """

    renderer_class: type[JSONRenderer] = SSRJSONRenderer

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """The value of the stream's JSON. Raises ParseError."""
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        if _is_utf8(encoding):
            try:
                body = stream.read()
            except ValueError as error:
                raise ParseError(f"JSON parse error - {error}") from error
            try:
                return (_decode_strictly if self.strict else _decode)(as_utf8(body))
            except (TypeError, ValueError):
                stream = BytesIO(body)  # stdlib gives the error or the value
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise ParseError("JSON parse error - nested too deeply") from error


def _is_utf8(encoding: Any) -> bool:
    try:
        return codecs.lookup(encoding).name == "utf-8"
    except (LookupError, TypeError, ValueError):
        return False
