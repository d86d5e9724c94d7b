"""JSON for aiohttp: `json_response` for servers, and `dumps`, `dumps_to_bytes` and `loads` for aiohttp's parameters."""

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
"""Writes the text of `json.dumps`, which aiohttp calls by default."""


def json_response(
    data: Any,
    *,
    status: int = 200,
    reason: str | None = None,
    headers: LooseHeaders | None = None,
    content_type: str = "application/json",
    encoder: Encoder = STOCK_ENCODER,
) -> web.Response:
    """The response of `aiohttp.web.json_response`. Its body is encoded directly to bytes.

    `encoder=Encoder()` writes compact UTF-8. Lone surrogates are escaped. Raises the encoder's JSONEncodeError.
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
    """The text of `json.dumps`, for `ClientSession(json_serialize=dumps)` and `ws.send_json(dumps=dumps)`."""
    return STOCK_ENCODER.encode_str(obj)


def dumps_to_bytes(obj: Any) -> bytes:
    """The bytes of `json.dumps`, for `ClientSession(json_serialize_bytes=dumps_to_bytes)` of aiohttp 3.14 and newer."""
    return STOCK_ENCODER.encode(obj)


def loads(text: str) -> Any:
    """The value of `json.loads`, for `json(loads=loads)` of requests, clients' responses and WebSocket messages.

    Raises json.JSONDecodeError. Where `json` raises RecursionError it raises the subclass JSONDepthError.
    """
    try:
        return decode(text)
    except RecursionError:
        pass
    raise JSONDepthError("Nesting is deeper than Python's stack", text, 0)
