"""Django Channels' JSON consumers, encoded and decoded by the core."""

from __future__ import annotations

from typing import Any, ClassVar

try:
    from channels.generic.websocket import AsyncJsonWebsocketConsumer, JsonWebsocketConsumer
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] not in ("channels", "django", "asgiref"):
        raise
    raise ImportError("ssrjson_web.channels needs Django Channels: pip install 'ssrjson_web[channels]'") from _error

from ssrjson_web._core import Encoder
from ssrjson_web._shared.stdlib_decoding import decode

__all__ = ["SSRJSONAsyncWebsocketConsumer", "SSRJSONWebsocketConsumer"]

_encode = Encoder(escape_surrogates=True).encode_str


class _Messages:
    """What both consumers encode and decode."""

    receives: ClassVar[Any] = None
    """The type of the messages that come, which pydantic knows: `receive_json` gets values of it. None: any JSON value.

    A message that is no JSON, or of another type, raises pydantic's ValidationError."""

    sends: ClassVar[Any] = None
    """The type of the messages that `send_json` sends. None: any JSON value.

    A value of another type raises pydantic's ValidationError."""

    @classmethod
    def _decoded(cls, text: str) -> Any:
        if cls.receives is None:
            return decode(text)
        from ssrjson_web.models import _decode_message  # it needs pydantic

        return _decode_message(text, cls.receives)

    @classmethod
    def _encoded(cls, value: Any) -> str:
        if cls.sends is None:
            return _encode(value)
        from ssrjson_web.models import _encode_message

        return _encode_message(value, cls.sends).decode()


class SSRJSONWebsocketConsumer(_Messages, JsonWebsocketConsumer):  # type: ignore[misc]
    """A `JsonWebsocketConsumer` with the same values and exceptions. It sends compact UTF-8."""

    @classmethod
    def decode_json(cls, text_data: str) -> Any:
        """The value of a message. Raises what `json.loads` raises."""
        return cls._decoded(text_data)

    @classmethod
    def encode_json(cls, content: Any) -> str:
        """The text of a message. Raises what `json.dumps` raises; lone surrogates are escaped."""
        return cls._encoded(content)


class SSRJSONAsyncWebsocketConsumer(_Messages, AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """An `AsyncJsonWebsocketConsumer` with the same values and exceptions. It sends compact UTF-8."""

    @classmethod
    async def decode_json(cls, text_data: str) -> Any:
        """The value of a message. Raises what `json.loads` raises."""
        return cls._decoded(text_data)

    @classmethod
    async def encode_json(cls, content: Any) -> str:
        """The text of a message. Raises what `json.dumps` raises; lone surrogates are escaped."""
        return cls._encoded(content)
