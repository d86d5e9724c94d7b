"""REST framework's JSON, parsed by the core: `SSRJSONParser`."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from typing import Any, ClassVar, Literal

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.json import strict_constant

from ssrjson_web._core import Decoder, dumps
from ssrjson_web._shared.stdlib_decoding import USUAL_DEPTH, as_utf8, decoder_to_depth
from ssrjson_web._shared.switch import is_switched_off
from ssrjson_web.rest_framework._rendering import SSRJSONRenderer

__all__ = ["SSRJSONParser"]

_IS_OFF = is_switched_off()
_decode = decoder_to_depth(USUAL_DEPTH).decode
_decode_strictly = Decoder(max_depth=USUAL_DEPTH, parse_constant=strict_constant).decode


@cache
def _decoder_in_case(is_strict: bool, key_case: Literal["snake", "snake-joined"]) -> Decoder:
    if is_strict:
        return Decoder(max_depth=USUAL_DEPTH, parse_constant=strict_constant, key_case=key_case)
    return Decoder(max_depth=USUAL_DEPTH, key_case=key_case)


class SSRJSONParser(JSONParser):
    """A `JSONParser` with the same values, errors, charsets and limits. It respects `STRICT_JSON`.

    One difference: JSON nested too deeply for Python's stack raises ParseError. In stock it is a RecursionError: 500.
    """

    renderer_class: type[JSONRenderer] = SSRJSONRenderer
    key_case: ClassVar[Literal["snake", "snake-joined"] | None] = None
    """`"snake"` gives the keys of all dicts in snake case, as the parser of djangorestframework-camel-case does;
    `"snake-joined"` as it does with `no_underscore_before_number`."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """The value of the stream's JSON. Raises ParseError."""
        if _IS_OFF and self.key_case is None:
            return super().parse(stream, media_type, parser_context)
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        if _is_utf8(encoding):
            try:
                body = stream.read()
            except ValueError as error:
                raise ParseError(f"JSON parse error - {error}") from error
            if self.key_case is not None:
                decode = _decoder_in_case(bool(self.strict), self.key_case).decode
            else:
                decode = _decode_strictly if self.strict else _decode
            try:
                return decode(as_utf8(body))
            except (TypeError, ValueError):
                stream = BytesIO(body)  # stdlib gives the error or the value
        try:
            value = super().parse(stream, media_type, parser_context)
            if self.key_case is not None:  # stdlib has read another charset than UTF-8
                value = _decoder_in_case(False, self.key_case).decode(dumps(value))
            return value
        except RecursionError as error:
            raise ParseError("JSON parse error - nested too deeply") from error


def _is_utf8(encoding: Any) -> bool:
    try:
        return codecs.lookup(encoding).name == "utf-8"
    except (LookupError, TypeError, ValueError):
        return False
