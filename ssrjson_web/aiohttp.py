"""aiohttp's JSON by the core: `json_response` of a server; `dumps`, `dumps_to_bytes`, `loads` for what takes those."""

from __future__ import annotations

from typing import Any

try:
    from aiohttp import web
    from aiohttp.typedefs import LooseHeaders
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] != "aiohttp":
        raise
    raise ImportError("ssrjson_web.aiohttp needs aiohttp: pip install 'ssrjson_web[aiohttp]'") from _error

from ssrjson_web._core import Encoder, JSONDepthError
from ssrjson_web._shared.stdlib_decoding import decode

__all__ = ["dumps", "dumps_to_bytes", "json_response", "loads"]

STOCK_ENCODER = Encoder(ensure_ascii=True, separators=(", ", ": "))
"""Writes what `json.dumps` does, which aiohttp calls."""


def json_response(
    data: Any,
    *,
    status: int = 200,
    reason: str | None = None,
    headers: LooseHeaders | None = None,
    content_type: str = "application/json",
    encoder: Encoder = STOCK_ENCODER,
) -> web.Response:
    """The response of `aiohttp.web.json_response`, its bytes written without a str in between.

    `encoder=Encoder()` writes compact UTF-8, lone surrogates escaped. Raises what the encoder raises: JSONEncodeError.
    """
    return web.Response(
        body=encoder._with_escaped_surrogates().encode(data),
        status=status,
        reason=reason,
        headers=headers,
        content_type=content_type,
        charset="utf-8",
    )


def dumps(obj: Any) -> str:
    """What `json.dumps` gives, for `ClientSession(json_serialize=dumps)` and `ws.send_json(dumps=dumps)`."""
    return STOCK_ENCODER.encode_str(obj)


def dumps_to_bytes(obj: Any) -> bytes:
    """The same as bytes, for `ClientSession(json_serialize_bytes=dumps_to_bytes)`, which aiohttp 3.14 has."""
    return STOCK_ENCODER.encode(obj)


def loads(text: str) -> Any:
    """What `json.loads` gives, for `json(loads=loads)` of requests, client's responses and WebSockets' messages.

    Raises json.JSONDecodeError; its subclass JSONDepthError where `json` raises RecursionError.
    """
    try:
        return decode(text)
    except RecursionError:
        pass
    raise JSONDepthError("Nesting is deeper than Python's stack", text, 0)
