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

# Python's own codecs, which are no charsets of HTTP. Some of them take quadratic time.
_NO_CHARSETS = frozenset({"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
# json.loads detects these, with or without a byte order mark
_DETECTED = frozenset({"utf-8", "utf-8-sig", "utf-16", "utf-32", "ascii"})


def parse_json(request: HttpRequest) -> Any:
    """The value of a request's JSON body, decoded by the charset of its content-type, as `json.loads` decodes it.

    Raises BadRequest for invalid JSON, an unknown charset, and nesting deeper than `SSRJSON["MAX_DEPTH"]`. Errors of
    reading the body (RequestDataTooBig, UnreadablePostError, RawPostDataException) pass through.
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
    """The text of a body, or bytes whose encoding the decoder detects. Raises LookupError, UnicodeDecodeError."""
    codec = codecs.lookup(charset.strip("\"'"))
    if codec.name in _DETECTED:
        return body
    if codec.name in _NO_CHARSETS:
        raise LookupError(f"unsupported charset: {charset}")
    return body.decode(codec.name)
