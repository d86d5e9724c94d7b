"""A WebSocket whose JSON the core encodes and decodes."""

from __future__ import annotations

from typing import Any

from starlette.websockets import WebSocket

from ssrjson_web._core import Encoder
from ssrjson_web._shared.stdlib_decoding import decode

__all__ = ["SSRJSONWebSocket"]

_encoder = Encoder(escape_surrogates=True)


class SSRJSONWebSocket(WebSocket):
    """A `WebSocket` with the same messages and exceptions, whose JSON the core encodes and decodes.

    Lone surrogates are sent as escapes; stock gives the server text that it cannot encode.
    Assign `websocket.__class__ = SSRJSONWebSocket` to turn a stock WebSocket into one.
    """

    async def send_json(self, data: Any, mode: str = "text") -> None:
        """Send a value as JSON. `mode` is `text` or `binary`."""
        _check_mode(mode)
        if mode == "text":
            await self.send({"type": "websocket.send", "text": _encoder.encode_str(data)})
        else:
            await self.send({"type": "websocket.send", "bytes": _encoder.encode(data)})

    async def receive_json(self, mode: str = "text") -> Any:
        """The JSON value of the next message. Raises what `json.loads` of it raises."""
        _check_mode(mode)
        if mode == "text":
            return decode(await self.receive_text())
        return decode((await self.receive_bytes()).decode("utf-8"))


def _check_mode(mode: str) -> None:
    if mode not in {"text", "binary"}:
        raise RuntimeError('The "mode" argument should be "text" or "binary".')
