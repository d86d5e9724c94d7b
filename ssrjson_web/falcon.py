"""Falcon's JSON, encoded and decoded by the core: a media handler for WSGI and ASGI, `SSRJSONHandler`, and `setup`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    import falcon
    import falcon.asgi
    from falcon.constants import MEDIA_JSON, WebSocketPayloadType
    from falcon.media import JSONHandler, JSONHandlerWS
except ModuleNotFoundError as _error:
    if (_error.name or "").partition(".")[0] != "falcon":
        raise
    raise ImportError("ssrjson_web.falcon needs Falcon: pip install 'ssrjson_web[falcon]'") from _error

from ssrjson_web._core import Decoder, Encoder
from ssrjson_web._shared.alike import are_alike
from ssrjson_web._shared.application import wrong_application
from ssrjson_web._shared.stdlib_decoding import as_utf8, decode

__all__ = ["SSRJSONHandler", "setup"]

STOCK_ENCODER = Encoder(separators=(", ", ": "), escape_surrogates=True)
"""Writes the text of `JSONHandler`, except that lone surrogates are escaped. `JSONHandler` fails on them."""


class SSRJSONHandler(JSONHandler):
    """A `JSONHandler` with the same bytes, values and errors, which leaves no UTF-8 cache in the media's strings.

    Another `encoder` writes compact text or types beyond JSON's. A `decoder` sets limits, or refuses text that `json`
    accepts; its errors become MediaMalformedError. Two differences from stock: JSON nested too deeply for Python's
    stack raises MediaMalformedError too, and lone surrogates, which UTF-8 cannot hold, are written as escapes.
    """

    def __init__(self, *, encoder: Encoder = STOCK_ENCODER, decoder: Decoder | None = None) -> None:
        if not isinstance(encoder, Encoder):
            raise TypeError(f"encoder must be an Encoder, not {type(encoder).__name__}")
        if not isinstance(decoder, (Decoder, type(None))):
            raise TypeError(f"decoder must be a Decoder or None, not {type(decoder).__name__}")
        self._decode: Callable[[bytes | str], Any] = decode if decoder is None else decoder.decode
        super().__init__(dumps=encoder._with_escaped_surrogates().encode, loads=self._decode)
        if type(self) is SSRJSONHandler:  # JSONHandler has this fast path too; a subclass may override more
            self._serialize_sync = self._serialize_b
            self._deserialize_sync = self._deserialize

    def _deserialize(self, data: bytes) -> Any:
        if not data:
            raise falcon.MediaNotFoundError("JSON")
        try:
            return self._decode(as_utf8(data))
        except (ValueError, RecursionError) as error:
            raise falcon.MediaMalformedError("JSON") from error


def setup(
    app: falcon.App[Any, Any] | falcon.asgi.App[Any, Any],
    *,
    encoder: Encoder = STOCK_ENCODER,
    decoder: Decoder | None = None,
) -> None:
    """Make a WSGI or ASGI application encode and decode JSON by the core: media, errors, WebSocket text media.

    Falcon's own handlers are replaced, and those of an earlier call. A handler of the application's own stays.
    Raises TypeError for an object that is not a Falcon application.
    """
    if not isinstance(app, falcon.App):  # falcon.asgi.App derives from it
        raise wrong_application("setup", "Falcon", falcon.App, app)
    handler = SSRJSONHandler(encoder=encoder, decoder=decoder)
    for handlers in (app.req_options.media_handlers, app.resp_options.media_handlers):
        before = handlers.get(MEDIA_JSON)
        if type(before) is SSRJSONHandler or are_alike(JSONHandler(), before, {}):
            handlers[MEDIA_JSON] = handler
    if isinstance(app, falcon.asgi.App):
        text_handlers = app.ws_options.media_handlers
        text_handler: Any = text_handlers.get(WebSocketPayloadType.TEXT)
        if type(text_handler) is _TextHandler or are_alike(JSONHandlerWS(), text_handler, {}):
            text_handlers[WebSocketPayloadType.TEXT] = _TextHandler(
                dumps=encoder._with_escaped_surrogates().encode_str, loads=decode if decoder is None else decoder.decode
            )


class _TextHandler(JSONHandlerWS):
    """A `JSONHandlerWS` of the core."""
