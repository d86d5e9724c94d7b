"""A WebSocket whose JSON the core encodes and decodes."""

from __future__ import annotations

import json
from typing import Any

from starlette.websockets import WebSocket

from ssrjson_web._core import Encoder
from ssrjson_web._known.functions import Seams
from ssrjson_web._shared.stdlib_decoding import decode

__all__ = ["SSRJSONWebSocket"]

_encoder = Encoder(escape_surrogates=True)
_SEAMS = Seams(
    lambda: (WebSocket.send_json, WebSocket.receive_json, json.dumps, json.loads),
    *("starlette.websockets.WebSocket.send_json", "starlette.websockets.WebSocket.receive_json"),
    *("json.dumps", "json.loads"),
    left="the JSON of WebSockets",
)


class SSRJSONWebSocket(WebSocket):
    """A `WebSocket` with the same messages and exceptions, whose JSON the core encodes and decodes.

    Lone surrogates are sent as escapes; stock gives the server text that it cannot encode.
    Assign `websocket.__class__ = SSRJSONWebSocket` to turn a stock WebSocket into one.
    """

    @classmethod
    def of(cls, websocket: WebSocket) -> SSRJSONWebSocket:
        """The same WebSocket, as one of this class: for FastAPI, whose routes make stock ones."""
        websocket.__class__ = cls
        assert isinstance(websocket, cls)
        return websocket

    async def send_json(self, data: Any, mode: str = "text", *, message_type: Any = None) -> None:
        """Send a value as JSON. `mode` is `text` or `binary`.

        With a `message_type`, which is any type that pydantic knows, the value is validated and written as a
        `TypeAdapter` writes it: models, dataclasses, TypedDicts, unions. Raises pydantic's ValidationError then.
        """
        _check_mode(mode)
        if message_type is not None:
            from ssrjson_web.models import _encode_message  # it needs pydantic

            body = _encode_message(data, message_type)
            await self.send({"type": "websocket.send", "text": body.decode()} if mode == "text" else _binary(body))
        elif not _SEAMS.are_known():
            await super().send_json(data, mode)
        elif mode == "text":
            await self.send({"type": "websocket.send", "text": _encoder.encode_str(data)})
        else:
            await self.send(_binary(_encoder.encode(data)))

    async def receive_json(self, mode: str = "text", *, message_type: Any = None) -> Any:
        """The JSON value of the next message. Raises what `json.loads` of it raises.

        With a `message_type`, which is any type that pydantic knows, it is a value of this type. What is malformed or
        of another type raises pydantic's ValidationError; the connection stays open.
        """
        _check_mode(mode)
        if message_type is not None:
            from ssrjson_web.models import _decode_message

            message = await (self.receive_text() if mode == "text" else self.receive_bytes())
            return _decode_message(message, message_type)
        if not _SEAMS.are_known():
            return await super().receive_json(mode)
        if mode == "text":
            return decode(await self.receive_text())
        return decode((await self.receive_bytes()).decode("utf-8"))


def _binary(body: bytes) -> dict[str, Any]:
    return {"type": "websocket.send", "bytes": body}


def _check_mode(mode: str) -> None:
    if mode not in {"text", "binary"}:
        raise RuntimeError('The "mode" argument should be "text" or "binary".')
