"""JSON between services: bodies for httpx, requests and aiohttp, and the values of their responses.

None of them is imported: httpx and requests have no place for a codec, so bytes go past what they have.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from ssrjson_web._core import dumps_to_bytes, loads

__all__ = ["decode", "decode_async", "json_body"]

Client: TypeAlias = Literal["httpx", "requests", "aiohttp"]

_BODY_ARGUMENTS: Mapping[str, str] = {"httpx": "content", "requests": "data", "aiohttp": "data"}
# Python's own codecs: not what a server means by a charset, and some take quadratic time
_NO_CHARSETS = frozenset({"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})


def json_body(
    obj: Any,
    *,
    client: Client = "httpx",
    headers: Mapping[str, str] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Keyword arguments for a request with this JSON: `httpx.post(url, **json_body(obj))`.

    The body and the headers, with `Content-Type: application/json` where `headers` has none. Compact UTF-8, lone
    surrogates escaped; NaN is a ValueError. Other options are those of `ssrjson_web.dumps_to_bytes`:
    `natives=True`, `models=True`, ...
    Raises JSONEncodeError, ValueError for another client.
    """
    if client not in _BODY_ARGUMENTS:
        raise ValueError(f"client must be one of {', '.join(map(repr, _BODY_ARGUMENTS))}, not {client!r}")
    sent = dict(headers or {})
    if all(name.lower() != "content-type" for name in sent):
        sent["Content-Type"] = "application/json"
    return {
        _BODY_ARGUMENTS[client]: dumps_to_bytes(obj, **{"allow_nan": False, "escape_surrogates": True, **options}),
        "headers": sent,
    }


def decode(response: Any, **options: Any) -> Any:
    """The JSON value of a response of httpx or requests, decoded from the bytes.

    UTF-8, UTF-16 and UTF-32 are told by the bytes; what is none of them is read in the charset of the content-type.
    Options are those of `ssrjson_web.loads`: `max_depth`, `max_size`, `allow_nan`, ... The status is not looked at.

    Raises json.JSONDecodeError, also for an empty body, or UnicodeDecodeError, with a note that names the status,
    the URL without what is secret in one, and the content-type. Raises TypeError for a response of aiohttp.
    """
    content = response.content
    if not isinstance(content, bytes):
        raise TypeError(f"{type(response).__qualname__} is not read yet: await decode_async(response)")
    return _decode(response, content, options)


async def decode_async(response: Any, **options: Any) -> Any:
    """As `decode`, after reading the response: of aiohttp, or an httpx.AsyncClient's stream."""
    read = getattr(response, "aread", None) or response.read
    return _decode(response, await read(), options)


def _decode(response: Any, content: bytes, options: Mapping[str, Any]) -> Any:
    try:
        try:
            return loads(content, **options)
        except UnicodeDecodeError:
            text = _in_charset(content, response.headers.get("content-type") or "")
            if text is None:
                raise
        return loads(text, **options)
    except ValueError as error:
        if hasattr(error, "add_note"):  # from Python 3.11 on
            error.add_note(_description(response, content))
        raise


def _in_charset(content: bytes, content_type: str) -> str | None:
    """The content in the charset of the content-type; None where that names none, or it is in no such charset."""
    for parameter in content_type.split(";")[1:]:
        name, _, value = parameter.partition("=")
        if name.strip().lower() == "charset":
            try:
                codec = codecs.lookup(value.strip(" \t\"'")).name
                return None if codec in _NO_CHARSETS else content.decode(codec)
            except (LookupError, ValueError):
                return None
    return None


def _description(response: Any, content: bytes) -> str:
    status = getattr(response, "status_code", None) or getattr(response, "status", None)
    try:
        url = urlsplit(str(response.url))
        place = f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
    except (RuntimeError, ValueError):  # httpx knows no URL of a response without a request
        place = "an unknown URL"
    content_type = response.headers.get("content-type") or "no content-type"
    return f"in the response of {place}: status {status}, {content_type}, {len(content)} bytes"
