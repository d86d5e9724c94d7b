"""The JSON of a request."""

from __future__ import annotations

import codecs
import functools
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest

from ssrjson_web._core import Decoder
from ssrjson_web.django._settings import current_settings

__all__ = ["parse_json"]

# Python's own codecs: not what a client means by a charset, and some take quadratic time
_NO_CHARSETS = frozenset({"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
# what json.loads finds out by itself, byte order mark or none
_DETECTED = frozenset({"utf-8", "utf-8-sig", "utf-16", "utf-32", "ascii"})


def parse_json(request: HttpRequest) -> Any:
    """The value of a request's JSON body: what `json.loads` makes of it, in the charset that its content-type names.

    Raises BadRequest for what is no JSON, in a charset that there is not, or nested deeper than `SSRJSON["MAX_DEPTH"]`.
    What reading the body raises (RequestDataTooBig, UnreadablePostError, RawPostDataException) passes through.
    """
    body = request.body
    charset = (request.content_params or {}).get("charset")
    try:
        document = body if charset is None else _in_charset(body, charset)
        return _decoder(current_settings().max_depth).decode(document)
    except (LookupError, ValueError, RecursionError) as error:
        raise BadRequest(f"JSON parse error - {error}") from error


@functools.lru_cache(maxsize=16)
def _decoder(max_depth: int | None) -> Decoder:
    return Decoder(max_depth=max_depth)


def _in_charset(body: bytes, charset: str) -> str | bytes:
    """The text of a body, or bytes that the decoder finds the encoding of. Raises LookupError, UnicodeDecodeError."""
    codec = codecs.lookup(charset.strip("\"'"))
    if codec.name in _DETECTED:
        return body
    if codec.name in _NO_CHARSETS:
        raise LookupError(f"unsupported charset: {charset}")
    return body.decode(codec.name)
