"""JSON for HTTP clients: request bodies for httpx, requests and aiohttp, and the values of their responses.

httpx and requests have no parameter for a codec, so bodies are passed as bytes. None of the clients is imported.
"""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, overload
from urllib.parse import urlsplit

from ssrjson_web._core import dumps_to_bytes, loads

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ssrjson_web._core import DecodeOptions, DecodeOptionsWithType, EncodeBytesOptions

__all__ = ["decode", "decode_async", "json_body"]

T = TypeVar("T")
Client: TypeAlias = Literal["httpx", "requests", "aiohttp"]

_BODY_ARGUMENTS: Mapping[str, str] = {"httpx": "content", "requests": "data", "aiohttp": "data"}
# Python's own codecs, which are no charsets of HTTP. Some of them take quadratic time.
_NO_CHARSETS = frozenset({"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})


def json_body(
    obj: Any,
    *,
    client: Client = "httpx",
    headers: Mapping[str, str] | None = None,
    **options: Unpack[EncodeBytesOptions],
) -> dict[str, Any]:
    """Keyword arguments for a request with this JSON: `httpx.post(url, **json_body(obj))`.

    They are the body and the headers, with `Content-Type: application/json` where `headers` has none. The body is
    compact UTF-8 with lone surrogates escaped (`canonical=True` refuses them). Other options are those of
    `ssrjson_web.dumps_to_bytes`, such as `natives=True` and `models=True`.

    Raises JSONEncodeError, which is a ValueError for NaN. Raises ValueError for an unknown client.
    """
    if client not in _BODY_ARGUMENTS:
        raise ValueError(f"client must be one of {', '.join(map(repr, _BODY_ARGUMENTS))}, not {client!r}")
    sent = dict(headers or {})
    if all(name.lower() != "content-type" for name in sent):
        sent["Content-Type"] = "application/json"
    ours: Any = {"allow_nan": False, "escape_surrogates": not options.get("canonical")}
    return {_BODY_ARGUMENTS[client]: dumps_to_bytes(obj, **{**ours, **options}), "headers": sent}


@overload
def decode(response: Any, *, type: type[T], **options: Unpack[DecodeOptionsWithType]) -> T: ...
@overload
def decode(response: Any, **options: Unpack[DecodeOptions]) -> Any: ...


def decode(response: Any, **options: Any) -> Any:
    """The JSON value of a response of httpx or requests, decoded from the bytes.

    UTF-8, UTF-16 and UTF-32 are detected from the bytes. Other bytes are decoded by the charset of the content-type.
    Options are those of `ssrjson_web.loads`, such as `type`, `only` and `max_depth`. The status is ignored.

    Raises json.JSONDecodeError, also for an empty body, or UnicodeDecodeError. A note on the error names the status,
    the content-type, and the URL without credentials, query and fragment. Raises TypeError for a response of aiohttp.
    """
    content = response.content
    if not isinstance(content, bytes):
        raise TypeError(f"{type(response).__qualname__} is not read yet: await decode_async(response)")
    return _decode(response, content, options)


@overload
async def decode_async(response: Any, *, type: type[T], **options: Unpack[DecodeOptionsWithType]) -> T: ...
@overload
async def decode_async(response: Any, **options: Unpack[DecodeOptions]) -> Any: ...


async def decode_async(response: Any, **options: Any) -> Any:
    """Read a response of aiohttp, or a stream of httpx.AsyncClient, and return its JSON value as `decode` does."""
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
        if hasattr(error, "add_note"):  # Python 3.11 and newer
            error.add_note(_description(response, content))
        raise


def _in_charset(content: bytes, content_type: str) -> str | None:
    """The content decoded by the charset of the content-type; None where it names none or decoding fails."""
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
    except (RuntimeError, ValueError):  # in httpx a response without a request has no URL
        place = "an unknown URL"
    content_type = response.headers.get("content-type") or "no content-type"
    return f"in the response of {place}: status {status}, {content_type}, {len(content)} bytes"
